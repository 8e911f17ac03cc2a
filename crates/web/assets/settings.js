// The form of a scenario: protocol, settings by heading and parameters, each with its help. The dialog of the header
// opens another scenario with it; other views borrow single inputs.
(function () {
  'use strict';
  const WK = window.WK;
  const { h, fill, session } = WK;
  const HEADINGS = ['Scenario', 'Property', 'Network', 'Time', 'Search', 'Limits'];

  /** An input for a setting or a parameter: `value()` gives its text, empty if it is not set. */
  function input(setting, text) {
    const test = { testid: 'setting-' + setting.name };
    if (setting.switch) {
      const box = h('select', { data: test }, ['', 'true', 'false'].map((v) => h('option', { value: v, selected: v === (text || '') }, v === '' ? 'default' : v === 'true' ? 'on' : 'off')));
      return { element: WK.field(setting.name, box, setting.help), value: () => box.value };
    }
    const box = h('input', { type: 'text', spellcheck: 'false', autocomplete: 'off', value: text || '', placeholder: setting.value || '', data: test });
    return { element: WK.field(setting.name, box, setting.help), value: () => box.value.trim() };
  }

  /** All inputs of a protocol's scenario. */
  class Form {
    constructor(program, protocol, settings) {
      const about = program.protocols.find((p) => p.name === protocol);
      const params = about ? about.params : [];
      this.fields = new Map();
      this.extra = {};
      const groups = new Map(HEADINGS.map((name) => [name, []]));
      if (params.length) groups.set('Parameters of ' + protocol, []);
      const put = (heading, setting) => {
        if (!groups.has(heading)) groups.set(heading, []);
        const field = input(setting, settings[setting.name]);
        this.fields.set(setting.name, field);
        groups.get(heading).push(field.element);
      };
      for (const setting of program.settings) {
        const n = setting.name === 'n' && about && about.n;
        put(setting.heading, n ? { ...setting, value: String(n.default), help: setting.help + '; here from ' + n.least + ' to ' + n.most } : setting);
      }
      for (const p of params) put('Parameters of ' + protocol, { name: p.name, help: p.about, value: p.default });
      for (const [name, value] of Object.entries(settings)) if (!this.fields.has(name)) put('Other', { name, help: '', value: '' }, value);
      const first = 'Parameters of ' + protocol;
      const order = [...groups].sort(([a], [b]) => (b === first) - (a === first));
      const set = (list) => list.some((f) => [...f.querySelectorAll('input,select')].some((i) => i.value));
      this.element = h('div', {}, order.filter(([, list]) => list.length).map(([heading, list]) => h('details', { class: 'heading', open: set(list) || heading === first || heading === 'Scenario' || heading === 'Network' },
        h('summary', {}, heading), h('div', { class: 'fields' }, list))));
    }

    values() {
      const found = {};
      for (const [name, field] of this.fields) {
        const value = field.value();
        if (value) found[name] = value;
      }
      return found;
    }
  }

  function openDialog() {
    const { program } = session;
    let form = null;
    const holder = h('div', {});
    const about = h('p', { class: 'hint' });
    const note = h('p', { class: 'wrong', role: 'alert' });
    const choose = h('select', { data: { testid: 'setting-protocol' }, on: { change: () => show(form ? shared() : {}) } },
      program.protocols.map((p) => h('option', { value: p.name, selected: p.name === session.protocol }, p.name)));
    /** What another protocol understands too: everything but the parameters of this one. */
    const shared = () => {
      const values = form.values();
      const names = new Set(program.settings.map((s) => s.name));
      for (const name of Object.keys(values)) if (!names.has(name) || name === 'property') delete values[name];
      return values;
    };
    const show = (settings) => {
      const chosen = program.protocols.find((p) => p.name === choose.value);
      about.textContent = chosen ? chosen.about : '';
      form = new Form(program, choose.value, settings);
      fill(holder, form.element);
    };
    const apply = async (event) => {
      event.preventDefault();
      note.textContent = '';
      try {
        await session.openAddress({ ...WK.address.empty(), protocol: choose.value, settings: form.values(), cols: choose.value === session.protocol ? session.cols : [], tab: session.tab }, { push: true });
        dialog.close();
        WK.say('Opened ' + session.open.title + '.');
      } catch (error) {
        note.textContent = error.message;
        note.scrollIntoView({ block: 'nearest' });
      }
    };
    const title = WK.unique('dialog');
    const dialog = h('dialog', { class: 'wide', 'aria-labelledby': title, on: { close: () => dialog.remove() } },
      h('form', { method: 'dialog', on: { submit: apply } },
        h('div', { class: 'head' }, h('h2', { id: title }, 'Scenario'), h('button', { type: 'button', class: 'quiet', 'aria-label': 'Close', on: { click: () => dialog.close() } }, '×')),
        program.protocols.length > 1 ? WK.field('protocol', choose) : h('p', {}, h('b', {}, session.protocol)), about, holder,
        h('div', { class: 'foot-bar' }, note, h('button', { type: 'submit', class: 'main', data: { testid: 'settings-apply' } }, 'Open this scenario'), h('button', { type: 'button', on: { click: () => dialog.close() } }, 'Keep the present one'))));
    show(session.settings);
    document.body.append(dialog);
    dialog.showModal();
  }

  WK.settings = { openDialog, input, Form };
})();
