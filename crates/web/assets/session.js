// What the page looks at: the open scenario, the run, where one stands in it, and how it is shown. All changes go
// through here one after the other; the parts of the page listen for them. It keeps at most 200 whole states.
(function () {
  'use strict';
  const WK = (window.WK = window.WK || {});
  const { api } = WK;
  const STATES = 200;
  const BRANCHES = 20;

  class Session extends EventTarget {
    constructor() {
      super();
      Object.assign(this, {
        program: null, protocol: '', settings: {}, clients: 0, open: null, run: null, loop: null, at: 0, round: 1, only: null, cols: [],
        picks: [], tab: 'steps', missing: null, branches: [], alternatives: null, seed: 1 + Math.floor(Math.random() * 9999), verdict: null,
      });
      this.states = new Map();
      this.turn = Promise.resolve();
      this.write = WK.later(150, () => {
        this.writeAddress(this.taken);
        this.taken = false;
      });
    }

    emit(what) {
      this.dispatchEvent(new CustomEvent('change', { detail: what }));
      if (this.open) this.write();
    }

    /** One change after the other: a key that is pressed twice takes two steps, and no step is taken in the next scenario. */
    queue(work) {
      const done = this.turn.then(work);
      this.turn = done.catch(() => {});
      return done;
    }

    act(work) {
      return this.queue(work).catch((error) => {
        WK.fail(error);
        return null;
      });
    }

    about(name) {
      return this.program && this.program.protocols.find((p) => p.name === (name || this.protocol));
    }

    address() {
      const { run } = this;
      const worth = run && (run.steps.length > 0 || (this.open.initial.length > 1 && run.start !== this.open.initial[0].state));
      return {
        protocol: this.protocol, settings: this.settings, clients: this.clients || null, run: worth ? run.keys.join('.') : null, loop: this.loop,
        at: worth && this.at < run.steps.length ? this.at : null, only: this.only, cols: this.cols, tab: this.tab, times: this.picks,
      };
    }

    writeAddress(push) {
      if (!this.open) return;
      const text = WK.address.format(this.address());
      if (text === location.hash) return;
      this.written = text;
      try {
        history[push ? 'pushState' : 'replaceState'](null, '', text);
      } catch {
        // A browser may refuse very long addresses, or too many changes; the link is still copied whole.
      }
    }

    /** Opens a scenario, and in it a run by its keys. */
    openAddress(address, how) {
      return this.queue(() => this.load(address, how));
    }

    async load(address, { push = false, keepTab = false } = {}) {
      const open = await api.post('/api/open', { protocol: address.protocol, settings: address.settings, clients: address.clients || 0 });
      let run = null;
      if (address.run || api.exported) run = await api.post('/api/resolve', { space: open.space, run: address.run });
      if (push) this.writeAddress(false);
      this.states.clear();
      Object.assign(this, { protocol: address.protocol, settings: { ...address.settings }, clients: address.clients || 0, open, branches: [], alternatives: null, round: 1 });
      this.missing = run ? run.missing : null;
      const first = open.initial[0];
      this.run = run
        ? { start: run.start, steps: run.steps, states: run.states, keys: run.keys, labels: run.labels }
        : { start: first.state, steps: [], states: [first.state], keys: [first.key], labels: [] };
      const most = this.run.steps.length;
      this.loop = !this.missing && address.loop !== null && address.loop < most ? address.loop : null;
      this.at = address.at === null || address.at > most ? most : address.at;
      const names = new Set(open.processes);
      const only = address.only && address.only.filter((name) => names.has(name));
      this.only = only && only.length ? only : null;
      this.cols = address.cols || [];
      this.picks = (address.times || []).filter(([step]) => step <= most);
      if (!keepTab && address.tab) this.tab = address.tab;
      if (push) this.writeAddress(true);
      this.emit('scenario');
    }

    /** Where the browser's way back or forward leads. Of several that are taken at once only the last is followed. */
    goTo(address) {
      this.goal = address;
      return this.queue(async () => {
        if (this.goal !== address) return;
        if (!this.standsAt(address)) await this.load(address);
        // An address that is written later may cross the browser's next way back, which is then lost.
        this.write.now();
      });
    }

    /** Stands where an address says, if that is on the present run or on a branch that was left; whether it is. */
    standsAt(address) {
      const same = (a, b) => JSON.stringify(Object.entries(a).sort()) === JSON.stringify(Object.entries(b).sort());
      if (!this.open || address.protocol !== this.protocol || (address.clients || 0) !== this.clients || !same(address.settings, this.settings)) return false;
      const keys = address.run ? address.run.split('.') : [this.open.initial[0].key];
      const fits = ({ run }) => keys.every((key, i) => key === run.keys[i]);
      if (!fits(this)) {
        const branch = this.branches.find(fits);
        if (!branch) return false;
        this.exchange(branch);
      }
      this.place(address.at === null ? keys.length - 1 : address.at);
      return true;
    }

    /** After a restart of the server all numbers of states are new: the keys find them again. */
    reopen() {
      return this.queue(() => this.load(this.address(), { keepTab: true }));
    }

    async state(id) {
      const known = this.states.get(id);
      if (known) {
        this.states.delete(id);
        this.states.set(id, known);
        return known;
      }
      const { space } = this.open;
      const found = await api.post('/api/state', { space, state: id });
      if (space !== this.open.space) return found;
      this.states.set(id, found);
      if (this.states.size > STATES) this.states.delete(this.states.keys().next().value);
      return found;
    }

    current() {
      return this.state(this.run.states[this.at]);
    }

    /** The step that led here, with what it changed; null at the start. */
    async last() {
      let before = this.at - 1;
      if (this.at === this.loop && this.round > 1) before = this.run.steps.length - 1;
      if (before < 0) return null;
      const state = await this.state(this.run.states[before]);
      return state.steps.find((step) => step.step === this.run.steps[before]) || null;
    }

    place(at, round) {
      if (!this.run) return;
      const to = Math.max(0, Math.min(at, this.run.steps.length));
      if (to === this.at && (round || this.round) === this.round) return;
      this.at = to;
      this.round = round || this.round;
      this.emit('stand');
    }

    stand(at, round) {
      return this.act(() => this.place(at, round));
    }

    back() {
      if (this.loop !== null && this.round > 1 && this.at === this.loop) return this.stand(this.run.steps.length, this.round - 1);
      return this.stand(this.at - 1);
    }

    forward() {
      const last = this.run.steps.length;
      if (this.at < last) return this.stand(this.at + 1);
      if (this.loop === null) return Promise.resolve();
      // The state at the end of the loop is the state at its start, so nothing changes but the round.
      return this.stand(this.loop, this.round + 1);
    }

    /** Takes the step that is chosen from the state in which one stands by then. */
    take(choose) {
      return this.act(async () => {
        const step = choose(await this.current());
        if (!step) return;
        if (this.at < this.run.steps.length && this.run.steps[this.at] === step.step) {
          this.at += 1;
          this.emit('stand');
          return;
        }
        if (api.exported) throw new api.Failure(422, api.LEFT);
        // The browser's way back takes a step back.
        this.taken = true;
        this.grow({ steps: [step.step], states: [step.to], keys: [step.key], labels: [step.label] });
      });
    }

    /** Continues the run from where one stands. What came after is kept as a branch. */
    grow(more) {
      this.keepBranch();
      const { run, at } = this;
      const upTo = (list, n) => list.slice(0, n);
      this.run = {
        start: run.start,
        steps: upTo(run.steps, at).concat(more.steps),
        states: upTo(run.states, at + 1).concat(more.states),
        keys: upTo(run.keys, at + 1).concat(more.keys),
        labels: upTo(run.labels, at).concat(more.labels),
      };
      this.picks = this.picks.filter(([step]) => step <= at);
      this.loop = null;
      this.round = 1;
      this.missing = null;
      this.at = this.run.steps.length;
      this.emit('run');
    }

    keepBranch() {
      if (this.at < this.run.steps.length || this.loop !== null) this.keep();
    }

    keep() {
      const { run, at, loop } = this;
      const same = (b) => b.run.start === run.start && b.loop === loop && b.run.steps.join() === run.steps.join();
      this.branches = this.branches.filter((b) => !same(b));
      this.branches.unshift({ run, at, loop, picks: this.picks });
      this.branches.length = Math.min(this.branches.length, BRANCHES);
    }

    returnTo(branch) {
      return this.act(() => this.branches.includes(branch) && this.exchange(branch));
    }

    /** The run that is left becomes a branch in turn. */
    exchange(branch) {
      this.branches = this.branches.filter((b) => b !== branch);
      if (this.run.steps.length) this.keep();
      Object.assign(this, { run: branch.run, at: branch.at, loop: branch.loop, picks: branch.picks, round: 1 });
      this.emit('run');
    }

    startFrom(initial) {
      return this.act(() => {
        if (this.run.steps.length) this.keep();
        this.run = { start: initial.state, steps: [], states: [initial.state], keys: [initial.key], labels: [] };
        Object.assign(this, { at: 0, loop: null, round: 1, picks: [], missing: null });
        this.emit('run');
      });
    }

    walk(count, seed) {
      return this.act(async () => {
        const found = await api.post('/api/walk', { space: this.open.space, state: this.run.states[this.at], count, seed });
        if (found.steps.length) this.grow(found);
        return found;
      });
    }

    /** A formula as one could write it here. */
    example() {
      const { atoms } = this.open;
      return atoms.find((atom) => atom.startsWith('suspects')) || atoms[0] || 'true';
    }

    /** Lets time pass until a process or a message can do something that it could not do before; gives how many ticks. */
    pass(most) {
      return this.act(async () => {
        const more = { steps: [], states: [], keys: [], labels: [] };
        const open = (state) => state.steps.filter((step) => step.kind !== 'time' && step.kind !== 'fault').map((step) => step.label).sort().join('\n');
        let state = await this.current();
        const before = open(state);
        while (more.steps.length < most && open(state) === before) {
          const tick = state.steps.find((step) => step.kind === 'time');
          if (!tick || tick.to === state.state) break;
          for (const [list, value] of [['steps', tick.step], ['states', tick.to], ['keys', tick.key], ['labels', tick.label]]) more[list].push(value);
          state = await this.state(tick.to);
        }
        if (more.steps.length) this.grow(more);
        return more.steps.length;
      });
    }

    look(change) {
      Object.assign(this, change);
      this.emit('look');
    }

    choose(tab) {
      if (this.tab === tab) return;
      this.tab = tab;
      this.emit('tab');
    }

    request() {
      return { space: this.open.space, start: this.run.start, steps: this.run.steps };
    }
  }

  WK.session = new Session();
})();
