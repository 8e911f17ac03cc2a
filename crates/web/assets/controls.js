// The bar above the steps: moving along the run, random walks, walking until a formula holds, and the branches that
// were left. Every button has a key; the keys themselves are bound in app.js.
(function () {
  'use strict';
  const WK = window.WK;
  const { h, fill, refill, session } = WK;
  /** The most ticks that pass at once. */
  const MOST = 1000;
  const ENDED = { deadlock: 'in a deadlock', 'time-lock': 'in a time-lock', finished: 'because all is finished', cut: 'at a cap of the model' };

  class Controls extends HTMLElement {
    connectedCallback() {
      if (this.place) return;
      const button = (id, label, sign, key, work) => h('button', { type: 'button', data: { testid: id }, 'aria-label': label, title: label + ' (' + key + ')', on: { click: WK.tried(work) } }, sign);
      this.buttons = {
        start: button('start', 'To the start', '|◀', 'Home', () => session.stand(0)),
        back: button('back', 'Back', '◀', 'b or k', () => session.back()),
        forward: button('forward', 'Forward', '▶', 'j', () => session.forward()),
        end: button('end', 'To the end', '▶|', 'End', () => session.stand(session.run.steps.length)),
      };
      this.place = h('output', { class: 'place', data: { testid: 'place' } });
      this.slider = h('input', { type: 'range', min: '0', step: '1', 'aria-label': 'Step of the run', on: { input: () => session.stand(Number(this.slider.value)) } });
      this.count = h('input', { type: 'number', min: '1', max: '10000', value: '20', 'aria-label': 'Steps of the random walk', data: { testid: 'walk-count' } });
      this.seed = h('input', { type: 'number', min: '0', value: String(session.seed), 'aria-label': 'Seed of the random walk', data: { testid: 'walk-seed' } });
      this.formula = h('input', { type: 'text', size: '24', spellcheck: 'false', placeholder: 'suspects(p0,p1)', 'aria-label': 'Formula over atoms, until which to walk', list: 'atoms', data: { testid: 'until-formula' } });
      this.job = document.createElement('wk-job');
      this.note = h('p', { class: 'hint note', role: 'status', data: { testid: 'control-note' } });
      this.branches = h('div', { class: 'branches', data: { testid: 'branches' } });
      const walk = h('form', { class: 'inline live-only', on: { submit: (e) => (e.preventDefault(), this.walk()) } },
        h('button', { type: 'submit', data: { testid: 'walk' }, title: 'Random walk (r)' }, 'Random walk'), this.count, h('span', {}, 'steps, seed'), this.seed);
      this.ticks = h('button', { type: 'button', class: 'live-only', hidden: true, data: { testid: 'pass' }, title: 'Let time pass until something else can happen (p)', on: { click: WK.tried(() => this.pass()) } }, '» Let time pass');
      const until = h('form', { class: 'inline live-only', on: { submit: (e) => (e.preventDefault(), this.until()) } },
        h('button', { type: 'submit', data: { testid: 'until' }, title: 'Walk the shortest way until this holds (u)' }, 'Until'), this.formula);
      this.append(
        h('div', { class: 'bar', role: 'group', 'aria-label': 'Move along the run' },
          h('div', { class: 'buttons' }, Object.values(this.buttons)), this.place, this.slider, this.ticks, walk, until),
        this.job, this.note, this.branches);
    }

    draw() {
      const { run, at, loop, round } = session;
      const last = run.steps.length;
      WK.handOver(Object.values(this.buttons), () => {
        this.buttons.start.disabled = at === 0;
        this.buttons.back.disabled = at === 0 && !(loop === 0 && round > 1);
        this.buttons.forward.disabled = at === last && loop === null;
        this.buttons.end.disabled = at === last;
      });
      this.slider.max = String(last);
      this.slider.value = String(at);
      this.slider.disabled = last === 0;
      fill(this.place, 'step ', h('b', {}, WK.number(at)), ' of ' + WK.number(last),
        loop !== null && h('span', { class: 'tag' }, '↻ lasso: after step ' + last + ' it goes on after step ' + loop + (round > 1 ? ', round ' + round : '')));
      // What was told is about where one stood then.
      if (this.told && (this.told.run !== run || this.told.at !== at)) this.tell('');
      this.drawBranches();
    }

    /** Anew only if there is something new: a list that is open, and a button that is being pressed, stay. */
    drawBranches() {
      const { run, open } = session;
      const shown = [open, session.clients, run.start, session.branches];
      if (this.shown && shown.every((one, i) => one === this.shown[i])) return;
      this.shown = shown;
      const list = this.branches.querySelector('details');
      refill(this.branches,
        open.clients.length > 1 && h('label', {}, 'Clients ', h('select', { data: { testid: 'clients' }, on: { change: (e) => this.asked(Number(e.target.value)) } },
          open.clients.map((name, i) => h('option', { value: i, selected: i === session.clients }, name || 'number ' + (i + 1))))),
        open.initial.length > 1 && h('label', {}, 'Initial state ', h('select', { on: { change: (e) => session.startFrom(open.initial[e.target.value]) } },
          open.initial.map((one, i) => h('option', { value: i, selected: one.state === run.start }, one.label || 'number ' + (i + 1))))),
        session.branches.length > 0 && h('details', { open: !!list && list.open }, h('summary', {}, 'Branches that you left ', h('span', { class: 'count' }, String(session.branches.length))),
          h('ul', {}, session.branches.map((branch) => h('li', {}, h('button', { type: 'button', data: { testid: 'branch' }, on: { click: () => session.returnTo(branch) } },
            WK.plural(branch.run.steps.length, 'step') + (branch.loop !== null ? ', lasso' : '') + ', left at ' + branch.at + (branch.run.labels[branch.at] ? ' before: ' + branch.run.labels[branch.at] : '')))))));
    }

    /** The same scenario where clients ask something else, from its start. */
    asked(clients) {
      const { protocol, settings, cols, only } = session;
      return session.openAddress({ ...WK.address.empty(), protocol, settings, cols, only, clients }, { push: true }).catch(WK.fail);
    }

    tell(text) {
      this.note.textContent = text;
      this.told = text ? { run: session.run, at: session.at } : null;
    }

    /** Another scenario: what was searched for in the last one is of no use. */
    reset() {
      this.formula.placeholder = session.example();
      this.ticks.hidden = session.open.time !== 'ticks';
      this.tell('');
      this.job.end();
    }

    async walk() {
      const count = Math.min(10000, Math.max(1, Number(this.count.value) || 20));
      const seed = Math.max(0, Math.floor(Number(this.seed.value) || 0));
      const found = await session.walk(count, seed);
      if (!found) return;
      this.tell('Walked ' + WK.plural(found.steps.length, 'step') + ' with seed ' + seed + (found.ended ? ', and ended ' + (ENDED[found.ended] || found.ended) : '') + '.');
      this.seed.value = String(seed + 1);
    }

    async pass() {
      if (this.ticks.hidden) return;
      const count = await session.pass(MOST);
      if (count === null) return;
      this.tell(count ? WK.plural(count, 'tick') + ' passed.' : 'No time can pass here before something else happens.');
    }

    async until() {
      const formula = this.formula.value.trim();
      if (!formula) {
        this.tell('Type a formula over atoms, such as ' + session.example() + '.');
        this.formula.focus();
        return;
      }
      const { open, run, at } = session;
      this.tell('');
      const done = await this.job.follow('/api/until', { space: open.space, state: run.states[at], formula, most: 1000000 });
      if (!done || !done.result) return;
      const { result } = done;
      await session.act(() => {
        if (session.open !== open || session.run.states[session.at] !== run.states[at]) return this.tell('You have moved on; ask again from here.');
        if (result.none) return this.tell(result.none);
        if (!result.steps.length) return this.tell('It holds here already.');
        session.grow(result);
        this.tell('It holds after ' + WK.plural(result.steps.length, 'more step') + '; no way there is shorter.');
      });
    }
  }

  customElements.define('wk-controls', Controls);
})();
