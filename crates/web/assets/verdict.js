// The verdict: choose a property or write a formula, let the server search, and see its answer with what it rests on. A
// violation opens as a run; beside that run stands what else could have happened, and what would repair it.
(function () {
  'use strict';
  const WK = window.WK;
  const { h, fill, session, api } = WK;
  const SIGNS = { holds: '✓', violated: '✗', unknown: '?' };

  /** Opens the space in which a run lives, and the run in it. */
  async function openRun(found, protocol) {
    await session.openAddress({ ...WK.address.empty(), protocol: protocol || session.protocol, settings: found.settings, clients: found.clients, run: found.run, loop: found.loop, at: 0, tab: 'steps' }, { push: true });
    session.choose('steps');
    WK.say('Opened the run of ' + WK.plural(session.run.steps.length, 'step') + '. You stand at its start.');
  }

  /** One verdict as the server gave it. */
  function card(found, protocol) {
    const json = found.json || {};
    const list = (title, items, kind) => items && items.length > 0 && h('details', { open: kind === 'warnings' }, h('summary', {}, title + ' ', h('span', { class: 'count' }, String(items.length))), h('ul', { class: kind }, items.map((item) => h('li', {}, typeof item === 'string' ? item : item.text || JSON.stringify(item)))));
    const title = WK.unique('verdict');
    return h('article', { class: 'card verdict-card ' + found.verdict, 'aria-labelledby': title },
      h('header', {}, h('span', { class: 'seal', 'aria-hidden': 'true' }, SIGNS[found.verdict] || '?'),
        h('h3', { id: title, data: { testid: 'verdict-headline' } }, found.headline || found.verdict + ': ' + found.property)),
      h('div', { class: 'inline' }, found.run && !api.exported && h('button', { type: 'button', class: 'main', data: { testid: 'open-run' }, on: { click: WK.tried(() => openRun(found, protocol)) } }, 'Open the run' + (found.steps ? ' (' + WK.plural(found.steps, 'step') + ')' : '')),
        h('button', { type: 'button', on: { click: () => WK.save((protocol || session.protocol) + '-verdict.json', 'application/json', JSON.stringify(json, null, 2)) } }, 'Save the verdict (JSON)')),
      list('Warnings', json.warnings, 'warnings'), list('Rests on', json.assumptions, 'plain'),
      found.text && h('details', { open: true }, h('summary', {}, 'Report'), h('pre', { class: 'report', tabindex: '0' }, found.text)));
  }

  class VerdictView extends HTMLElement {
    connectedCallback() {
      if (this.form) return;
      this.form = h('form', { class: 'side', on: { submit: (e) => (e.preventDefault(), WK.tried(() => this.check())()) } });
      this.job = document.createElement('wk-job');
      this.found = h('div', { class: 'found' }, h('p', { class: 'hint' }, 'Choose a property and start the check. The verdict is shown here.'));
      this.append(h('div', { class: 'with-side' }, this.form, h('div', {}, h('h2', {}, 'Verdict'), this.job, this.found)));
    }

    draw(what) {
      if (api.exported) {
        const { verdict } = api.exported;
        this.form.hidden = true;
        fill(this.found, verdict ? card(verdict) : h('p', { class: 'hint' }, 'This export has no verdict.'));
        return;
      }
      if (what !== 'scenario' && this.drawn === session.open) return;
      this.drawn = session.open;
      const about = session.about();
      const chosen = (session.settings.property || '').split(',').filter(Boolean);
      const formula = session.settings.ltl || '';
      const pick = (value, title, says, checked) => h('label', { class: 'pick' }, h('input', { type: 'radio', name: 'property', value, checked }), h('span', {}, h('b', {}, title), says && h('small', {}, says)));
      const properties = about ? about.properties : [];
      const plain = new Set(properties.map((p) => p.name));
      const other = chosen.length && !(chosen.length === 1 && plain.has(chosen[0])) ? chosen.join(',') : '';
      this.own = h('input', { type: 'text', spellcheck: 'false', value: other, placeholder: 'oscillation:2:p0:p1', 'aria-label': 'Names of properties', data: { testid: 'property-names' }, on: { input: () => this.tick('names') } });
      this.ltl = h('textarea', { rows: '2', spellcheck: 'false', placeholder: 'crashed(p1) ~> suspects(p0,p1)', 'aria-label': 'LTL formula', data: { testid: 'ltl' }, on: { input: () => this.tick('formula') } });
      this.ltl.value = formula;
      this.more = session.program.settings.filter((s) => s.heading === 'Limits' || s.heading === 'Search' || s.name === 'fairness').map((s) => [s.name, WK.settings.input(s, session.settings[s.name])]);
      const fair = this.more.find(([name]) => name === 'fairness');
      fill(this.form, h('h2', {}, 'Check'),
        h('fieldset', { class: 'picks' }, h('legend', {}, 'Property'),
          pick('default', 'What the scenario asks', session.open.asked.join(', '), !other && !formula && !chosen.length),
          h('div', { class: 'list', tabindex: '0', role: 'group', 'aria-label': 'Properties of ' + session.protocol }, properties.map((p) => pick('=' + p.name, p.name, p.about, !formula && chosen.length === 1 && chosen[0] === p.name))),
          pick('names', 'By name, with its numbers', null, !formula && !!other), this.own,
          pick('formula', 'A formula of linear temporal logic', 'G F X U R W, ! & | -> <-> ~>; atoms such as ' + session.open.atoms.slice(0, 2).join(', '), !!formula), this.ltl),
        fair && fair[1].element,
        h('details', {}, h('summary', {}, 'Search and limits'), this.more.filter((m) => m !== fair).map(([, f]) => f.element)),
        h('button', { type: 'submit', class: 'main', data: { testid: 'verdict-run' } }, 'Check'),
        h('details', {}, h('summary', {}, 'The scenario rests on'), h('ul', { class: 'plain' }, session.open.assumptions.map((a) => h('li', {}, a)))),
        h('p', { class: 'hint' }, 'In a terminal: ', h('code', {}, session.open.check)));
    }

    tick(value) {
      const radio = this.form.querySelector('input[name=property][value=' + value + ']');
      if (radio) radio.checked = true;
    }

    settings() {
      const settings = { ...session.settings };
      const radio = this.form.querySelector('input[name=property]:checked');
      const value = radio ? radio.value : 'default';
      if (value !== 'default') {
        delete settings.property;
        delete settings.ltl;
      }
      if (value === 'formula') settings.ltl = this.ltl.value.trim();
      else if (value === 'names') settings.property = this.own.value.trim();
      else if (value !== 'default') settings.property = value.slice(1);
      for (const [name, field] of this.more) {
        delete settings[name];
        if (field.value()) settings[name] = field.value();
      }
      return settings;
    }

    async check(given) {
      const protocol = session.protocol;
      const settings = given || this.settings();
      const done = await this.job.follow('/api/check', { protocol, settings });
      if (!done || !done.result) return;
      const { verdicts } = done.result;
      // It stays when another scenario is opened.
      fill(this.found, h('p', { class: 'hint' }, 'Of ' + WK.scenario(protocol, settings)), verdicts.map((v) => card(v, protocol)));
      WK.say(verdicts.map((v) => v.headline).join('. '));
    }
  }

  class Alternatives extends HTMLElement {
    connectedCallback() {
      if (this.job) return;
      this.job = document.createElement('wk-job');
      this.body = h('div', {});
      this.ask = h('button', { type: 'button', data: { testid: 'alternatives-run' }, on: { click: WK.tried(() => this.find()) } }, 'What else could have happened?');
      this.append(h('section', { class: 'alternatives', 'aria-label': 'Alternatives', data: { testid: 'alternatives' } }, h('div', { class: 'head' }, h('h2', {}, 'Alternatives'), this.ask), this.job, this.body));
    }

    async find() {
      const { open, run } = session;
      this.asked = open;
      const done = await this.job.follow('/api/alternatives', { ...session.request(), protocol: session.protocol, settings: session.settings });
      if (!done || !done.result || open !== session.open) return;
      session.alternatives = { ...done.result, run };
      session.emit('alternatives');
    }

    draw() {
      this.hidden = !!api.exported || session.run.steps.length === 0;
      if (this.asked && this.asked !== session.open) this.job.end(), (this.asked = null);
      const found = session.alternatives;
      // They belong to the run that was asked about; on another branch they would mislead.
      const fits = found && (found.run === session.run || found.run.steps.slice(0, session.at).join() === session.run.steps.slice(0, session.at).join());
      if (!fits) return void fill(this.body, h('p', { class: 'hint' }, 'Of a run that violates a property: what could have happened instead at each step, whether it can still fail from there, and what would repair it.'));
      const place = found.places.find((p) => p.at === session.at);
      const item = (a) => h('li', {}, h('button', { type: 'button', class: 'row-button', on: { click: () => session.take((state) => session.at === place.at && state.steps.find((s) => s.step === a.step)) } }, WK.verdict(a.verdict), ' ', h('span', {}, a.label), h('small', {}, a.text + (a.steps !== null && a.verdict === 'violated' && !/\d/.test(a.text) ? ', after ' + WK.plural(a.steps, 'step') : ''))));
      fill(this.body, h('h3', {}, 'Instead of step ' + (session.at + 1)),
        place && place.alternatives.length ? h('ul', { class: 'plain rows' }, place.alternatives.map(item)) : h('p', { class: 'hint' }, session.at >= session.run.steps.length ? 'The run ends here.' : 'Nothing else could have happened here.'),
        h('h3', {}, 'What would repair it'),
        found.settings.length ? h('ul', { class: 'plain rows' }, found.settings.map((s) => h('li', {}, h('button', { type: 'button', class: 'row-button', data: { testid: 'repair' }, on: { click: WK.tried(() => this.repair(s)) } },
          WK.verdict(s.verdict), ' ', h('code', {}, s.change), h('small', {}, s.text + ' Open it.'))))) : h('p', { class: 'hint' }, 'No single changed setting was found.'),
        found.note && h('p', { class: 'hint' }, found.note));
    }

    repair(s) {
      return session.openAddress({ ...WK.address.empty(), protocol: session.protocol, settings: s.settings, tab: 'steps' }, { push: true });
    }
  }

  customElements.define('wk-verdict', VerdictView);
  customElements.define('wk-alternatives', Alternatives);
  WK.openRun = openRun;
  WK.verdictCard = card;
})();
