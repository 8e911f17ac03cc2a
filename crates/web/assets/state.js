// The state in which one stands, a panel for each process, and the steps that are enabled there. What the last step
// changed is marked in words; a step under the pointer or the focus shows beforehand what it would change.
(function () {
  'use strict';
  const WK = window.WK;
  const { h, fill, session, api } = WK;
  const STATUS = { up: ['●', 'up'], crashed: ['✕', 'crashed'], blocked: ['■', 'blocked'] };
  const KINDS = { message: ['✉', 'message'], timer: ['◷', 'timer'], fault: ['⚡', 'fault'], time: ['»', 'time'], other: ['◦', 'other'] };
  const KIND_ORDER = ['message', 'timer', 'time', 'other', 'fault'];
  const STUCK = {
    deadlock: 'Deadlock: nothing can happen any more, and some process has not crashed.',
    'time-lock': 'Time-lock: time cannot pass, and nothing can happen.',
    finished: 'Finished: nothing is left to do.',
  };

  const shown = (value) => (value === '' || value === null || value === undefined ? 'none' : value);
  const isChannel = (where) => / -> /.test(where);

  /** A change in a line: a message that comes (+) or goes (−), or a value before and after. */
  function sentence(c) {
    if (isChannel(c.where) && !c.before !== !c.after) return (c.after ? '+ ' : '− ') + (c.after || c.before) + ', ' + c.where.replace('->', '→');
    return (c.where ? c.where + ' ' : '') + c.what + ': ' + shown(c.before) + ' → ' + shown(c.after);
  }

  /** Changes of one process, taken away from the list as places for them are found. */
  class Marks {
    constructor(changes) {
      this.left = [...(changes || [])];
    }

    take(test) {
      const found = this.left.filter(test);
      this.left = this.left.filter((change) => !test(change));
      return found;
    }
  }

  class StateView extends HTMLElement {
    async render() {
      // Of several states that are asked for, only the last is shown.
      const turn = (this.turn = {});
      const [state, last] = await Promise.all([session.current(), session.last()]);
      if (turn !== this.turn) return;
      this.state = state;
      const marks = new Marks(last && last.changes);
      const about = session.about();
      const panels = state.processes.map((process) => this.process(process, marks, about && about.suspects));
      const channels = this.messages(state.messages, marks);
      const rest = this.rest(state.rest, marks);
      const atoms = h('details', { class: 'atoms', open: this.atomsOpen, on: { toggle: (e) => (this.atomsOpen = e.target.open) } },
        h('summary', {}, 'Atoms that hold ', h('span', { class: 'count' }, String(state.atoms.length))),
        state.atoms.length ? h('ul', { class: 'chips' }, state.atoms.map((atom) => h('li', {}, h('code', {}, atom)))) : h('p', { class: 'hint' }, 'None.'));
      fill(this,
        state.stuck && h('p', { class: 'stuck', role: 'status' }, h('strong', {}, '■ '), this.stuck(state)),
        h('div', { class: 'panels' + (panels.length > 6 ? ' many' : '') }, panels), channels, rest, atoms);
      this.dispatchEvent(new CustomEvent('shown', { detail: { state, last } }));
    }

    /** Where only faults are left, they are listed beside it. */
    stuck({ stuck, steps, processes }) {
      const ends = stuck === 'deadlock' && !processes.some((process) => process.status === 'blocked');
      const text = (STUCK[stuck] || stuck) + (ends ? ' No process is blocked: a protocol whose processes end comes to rest like this.' : '');
      return steps.length && steps.every((step) => step.kind === 'fault') ? text.replace('nothing can happen', 'nothing but faults can happen') : text;
    }

    process(process, marks, detector) {
      const name = process.name;
      const own = new Marks(marks.take((c) => c.where === name));
      const touched = own.left.length > 0;
      const [sign, word] = STATUS[process.status] || ['○', process.status];
      const row = (what, label, value, found) => h('div', { class: 'row' + (found.length ? ' changed' : ''), data: { what } },
        h('dt', {}, label), h('dd', {}, value, found.map((c) => h('span', { class: 'was' }, ' was ' + shown(c.before))), h('span', { class: 'will' })));
      const status = own.take((c) => c.what === 'status' || c.what === 'crashed');
      const rows = process.fields.map((f) => row(f.name, f.name, h('code', {}, f.value), own.take((c) => c.what === f.name)));
      const suspects = own.take((c) => c.what === 'suspects');
      if (detector || process.suspects.length || suspects.length) {
        const value = process.suspects.length
          ? process.suspects.map((p) => h('span', { class: 'suspect' }, p, ' '))
          : h('span', { class: 'faint' }, 'nobody');
        rows.unshift(row('suspects', 'suspects', value, suspects));
      }
      for (const timer of process.timers) {
        const found = own.take((c) => c.what === timer.name || c.what.endsWith(' ' + timer.name));
        rows.push(row(timer.name, h('span', {}, h('span', { 'aria-hidden': 'true' }, '◷ '), timer.name), timer.due ? timer.due.text : 'armed', found));
      }
      if (process.unsent && process.unsent.length) rows.push(row('unsent', 'unsent', process.unsent.join(', '), own.take((c) => c.what === 'unsent')));
      const others = own.left.map((c) => h('div', { class: 'row changed' }, h('dt', {}, c.what), h('dd', {}, h('code', {}, shown(c.after)), h('span', { class: 'was' }, ' was ' + shown(c.before)))));
      const title = WK.unique('process');
      return h('article', { class: 'process ' + process.status + (touched ? ' touched' : ''), 'aria-labelledby': title, data: { testid: 'process-' + name, process: name } },
        h('header', {}, h('h3', { id: title }, name),
          h('span', { class: 'status', data: { what: 'status' } }, h('span', { 'aria-hidden': 'true' }, sign + ' '), word, status.map((c) => h('span', { class: 'was' }, ' was ' + shown(c.before))), h('span', { class: 'will' })),
          touched && h('span', { class: 'badge' }, 'changed')),
        process.blocked && h('p', { class: 'why' }, process.blocked),
        h('dl', {}, rows, others), h('p', { class: 'will-also' }));
    }

    messages(messages, marks) {
      const channels = new Map();
      const at = (from, to) => {
        const key = from + ' -> ' + to;
        if (!channels.has(key)) channels.set(key, { from, to, list: [], changes: marks.take((c) => c.where === key) });
        return channels.get(key);
      };
      for (const message of messages) at(message.from, message.to).list.push(message);
      for (const change of [...marks.left]) if (isChannel(change.where)) at(...change.where.split(' -> '));
      const rows = [...channels.values()].map((channel) => {
        const fresh = channel.changes.filter((c) => c.after && !c.before).map((c) => c.after);
        const gone = channel.changes.filter((c) => c.before && !c.after);
        const other = channel.changes.filter((c) => !!c.before === !!c.after);
        const listed = [...channel.list].reverse().map((message) => {
          const i = fresh.indexOf(message.label);
          if (i >= 0) fresh.splice(i, 1);
          return h('li', { class: i >= 0 ? 'changed' : null }, h('code', {}, message.label), message.due && h('small', {}, ' ' + message.due.text), i >= 0 && h('span', { class: 'was' }, ' new'));
        }).reverse();
        return h('li', { class: 'channel', data: { channel: channel.from + ' -> ' + channel.to } },
          h('span', { class: 'way' }, channel.from, h('span', { 'aria-hidden': 'true' }, ' → '), WK.hidden(' to '), channel.to),
          h('ul', { class: 'chips' }, listed,
            gone.map((c) => h('li', { class: 'gone' }, h('s', {}, c.before), h('span', { class: 'was' }, ' gone'))),
            other.map((c) => h('li', { class: 'changed' }, c.what + ': ' + shown(c.before) + ' → ' + shown(c.after)))));
      });
      return h('section', { class: 'flight', 'aria-label': 'Messages in flight' },
        h('h3', {}, 'In flight ', h('span', { class: 'count' }, String(messages.length))),
        rows.length ? h('ul', { class: 'channels' }, rows) : h('p', { class: 'hint' }, 'No message is in flight.'));
    }

    rest(rest, marks) {
      const rows = rest.map((r) => {
        const found = marks.take((c) => c.what === r.name || c.where === r.name);
        return h('div', { class: 'row' + (found.length ? ' changed' : ''), data: { what: r.name } }, h('dt', {}, r.name), h('dd', {}, r.value, found.map((c) => h('span', { class: 'was' }, ' was ' + shown(c.before))), h('span', { class: 'will' })));
      });
      const others = marks.left.filter((c) => !isChannel(c.where)).map((c) => h('div', { class: 'row changed' }, h('dt', {}, (c.where ? c.where + ' ' : '') + c.what), h('dd', {}, shown(c.after), h('span', { class: 'was' }, ' was ' + shown(c.before)))));
      if (!rows.length && !others.length) return null;
      return h('section', { class: 'rest', 'aria-label': 'The rest' }, h('h3', {}, 'The rest'), h('dl', {}, rows, others));
    }

    /** Shows what a step would change; without a step, nothing. */
    preview(step) {
      for (const old of this.querySelectorAll('.will,.will-also')) old.textContent = '';
      for (const old of this.querySelectorAll('.previewed')) old.classList.remove('previewed');
      if (!step) return;
      for (const change of step.changes) {
        const ends = isChannel(change.where) ? change.where.split(' -> ') : [change.where];
        const panel = this.querySelector('[data-process="' + CSS.escape(ends[ends.length > 1 && change.after ? 0 : ends.length - 1]) + '"]');
        const scope = panel || this.querySelector('.rest') || this;
        if (panel) panel.classList.add('previewed');
        const place = ends.length === 1 && scope.querySelector('[data-what="' + CSS.escape(change.what.replace(/^timer /, '')) + '"] .will');
        if (place) {
          place.textContent = ' → ' + shown(change.after);
          place.closest('.row,.status').classList.add('previewed');
        } else if (panel) {
          const also = panel.querySelector('.will-also');
          const text = ends.length > 1 ? (change.after ? 'sends ' + change.after + ' to ' + ends[1] : 'takes ' + change.before + ' from ' + ends[0]) : change.what + ' → ' + shown(change.after);
          also.textContent += (also.textContent ? '; ' : 'would: ') + text;
        }
        const channel = ends.length > 1 && this.querySelector('[data-channel="' + CSS.escape(change.where) + '"]');
        if (channel) channel.classList.add('previewed');
      }
    }
  }

  class StepList extends HTMLElement {
    constructor() {
      super();
      this.closed = new Set();
      this.filter = '';
      this.by = 'process';
    }

    connectedCallback() {
      if (this.list) return;
      this.box = h('input', { type: 'search', id: 'filter', placeholder: 'filter', 'aria-label': 'Filter the enabled steps', on: {
        input: () => this.narrow(),
        // A browser may empty the box at Escape without a word.
        keydown: (e) => e.key === 'Escape' && ((this.box.value = ''), this.narrow()),
      } });
      this.group = h('select', { 'aria-label': 'Group the steps by', on: { change: () => ((this.by = this.group.value), this.draw()) } },
        h('option', { value: 'process' }, 'by process'), h('option', { value: 'kind' }, 'by kind'), h('option', { value: 'class' }, 'by action'));
      this.count = h('span', { class: 'count' });
      this.list = h('div', { class: 'steps', tabindex: '-1' });
      const preview = (event) => {
        const button = event.target.closest && event.target.closest('button.step');
        this.dispatchEvent(new CustomEvent('preview', { detail: button ? this.state.steps.find((s) => s.step === Number(button.dataset.step)) : null }));
      };
      for (const event of ['mouseover', 'focusin']) this.list.addEventListener(event, preview);
      for (const event of ['mouseleave', 'focusout']) this.list.addEventListener(event, () => this.dispatchEvent(new CustomEvent('preview', { detail: null })));
      this.append(h('div', { class: 'head' }, h('h2', {}, 'Enabled steps ', this.count), this.group), this.box, this.list);
    }

    show(state) {
      this.state = state;
      this.draw();
    }

    narrow() {
      this.filter = this.box.value.trim().toLowerCase();
      this.draw();
    }

    groupOf(step) {
      if (this.by === 'kind') return (KINDS[step.kind] || KINDS.other)[1];
      if (this.by === 'class') return step.class || 'other';
      return step.process || 'network and time';
    }

    fits(step) {
      return !this.filter || [step.label, step.class, step.kind, step.process || ''].join(' ').toLowerCase().includes(this.filter);
    }

    /** The steps of a state that fit the filter, in the order in which they are shown. */
    groups(state) {
      const groups = new Map();
      if (this.by === 'process') for (const p of state.processes) groups.set(p.name, []);
      for (const step of state.steps.filter((s) => this.fits(s))) {
        const name = this.groupOf(step);
        if (!groups.has(name)) groups.set(name, []);
        groups.get(name).push(step);
      }
      for (const list of groups.values()) list.sort((a, b) => KIND_ORDER.indexOf(a.kind) - KIND_ORDER.indexOf(b.kind));
      return [...groups].filter(([, list]) => list.length);
    }

    draw() {
      const { state } = this;
      if (!state) return;
      const active = this.list.contains(document.activeElement) && document.activeElement;
      const steps = state.steps.filter((step) => this.fits(step));
      this.count.textContent = steps.length === state.steps.length ? String(steps.length) : steps.length + ' of ' + state.steps.length;
      this.list.classList.toggle('many', steps.length > 12);
      const place = (session.alternatives && session.alternatives.places.find((p) => p.at === session.at)) || null;
      const next = session.at < session.run.steps.length ? session.run.steps[session.at] : session.loop !== null ? session.run.steps[session.loop] : null;
      let count = 0;
      const parts = [];
      for (const [name, list] of this.groups(state)) {
        const shut = this.closed.has(name);
        const buttons = list.map((step) => {
          const order = shut ? -1 : ++count;
          return h('li', {}, this.button(step, order, step.step === next, place && place.alternatives.find((a) => a.step === step.step)));
        });
        parts.push(h('details', { class: 'group', data: { group: name }, open: !shut, on: { toggle: (e) => this.fold(name, !e.target.open) } },
          h('summary', {}, name + ' ', h('span', { class: 'count' }, String(list.length))), h('ul', {}, buttons)));
      }
      const empty = state.steps.length ? 'No step fits the filter.' : 'No step is enabled here' + (state.stuck ? ': ' + state.stuck + '.' : '.');
      fill(this.list, parts.length ? parts : h('p', { class: 'hint' }, empty),
        state.cut && state.cut.length > 0 && h('p', { class: 'hint' }, 'Beyond a cap of the model: ' + state.cut.join('; ')));
      if (active && active !== this.list) {
        const same = active.localName === 'summary' ? '[data-group="' + CSS.escape(active.parentElement.dataset.group) + '"] > summary' : '[data-order="' + active.dataset.order + '"]';
        const again = this.list.querySelector(same) || this.list.querySelector('button.step') || this.list;
        again.focus({ preventScroll: true });
      }
    }

    fold(name, shut) {
      if (this.closed.has(name) === shut) return;
      this.closed[shut ? 'add' : 'delete'](name);
      this.draw();
    }

    button(step, order, next, alternative) {
      const [sign, word] = KINDS[step.kind] || KINDS.other;
      const effects = step.changes.slice(0, 4).map(sentence);
      if (step.changes.length > 4) effects.push('and ' + (step.changes.length - 4) + ' more');
      const off = api.exported && !next;
      // A state that has been on the run already: a loop closes there, or nothing changes at all.
      const before = session.run.states.lastIndexOf(step.to, session.at);
      const again = before === session.at ? '↻ changes nothing' : before >= 0 && '↻ back to the state ' + (before ? 'after step ' + before : 'at the start');
      return h('button', { type: 'button', class: 'step' + (next ? ' next' : ''), 'aria-disabled': off ? 'true' : null, title: off ? api.LEFT : step.changes.map(sentence).join('\n'),
        data: { testid: 'step-' + step.step, step: step.step, order }, on: { click: () => (this.leave(), session.take((state) => state.steps.find((s) => s.step === step.step && s.key === step.key))) } },
        h('span', { class: 'line' }, order > 0 && order < 10 && h('kbd', {}, String(order)),
          h('span', { class: 'kind ' + step.kind, 'aria-hidden': 'true' }, sign), WK.hidden(word + ': '), h('span', { class: 'label' }, step.label)),
        next && h('span', { class: 'tag' }, '▶ next in the run'),
        again && h('span', { class: 'tag' }, again),
        alternative && h('span', { class: 'tag ' + alternative.verdict }, WK.MARKS[alternative.verdict] + ' ' + alternative.text),
        effects.length > 0 && h('span', { class: 'effects' }, effects.map((e) => h('span', {}, e))));
    }

    leave() {
      this.dispatchEvent(new CustomEvent('preview', { detail: null }));
    }

    /** A number pressed twice quickly means the list of the next state, although that is not drawn yet. */
    takeNumber(number) {
      session.take((state) => this.groups(state).filter(([name]) => !this.closed.has(name)).flatMap(([, list]) => list)[number - 1]);
    }
  }

  customElements.define('wk-state', StateView);
  customElements.define('wk-steps', StepList);
})();
