// The run: its sequence chart as the server draws it, the times of its steps in dense time, and a table of steps with
// derived values. Of long runs only a window is drawn, and only the rows in sight are in the document.
(function () {
  'use strict';
  const WK = window.WK;
  const { h, fill, refill, arrange, session, api } = WK;
  const WINDOW = 80;
  const ROW = 27;

  class RunView extends HTMLElement {
    connectedCallback() {
      if (this.sheet) return;
      this.drawing = document.createElement('wk-drawing');
      this.drawing.addEventListener('step', (event) => session.stand(event.detail));
      this.sheet = h('div', { class: 'sheet', tabindex: '0', role: 'region', 'aria-label': 'Sequence chart of the run', data: { testid: 'chart' } }, this.drawing);
      this.note = h('p', { class: 'hint', role: 'status' });
      this.windows = h('div', { class: 'inline windows' });
      this.only = h('div', {});
      this.times = h('div', { class: 'times' });
      this.timeForm();
      this.wide = h('button', { type: 'button', class: 'quiet wide-only', 'aria-pressed': 'false', data: { testid: 'wide' }, on: { click: () => this.widen() } }, 'Wide');
      const zoom = (label, sign, work) => h('button', { type: 'button', class: 'quiet', 'aria-label': label, title: label, on: { click: () => (work(), this.drawing.size(), this.mark()) } }, sign);
      const at = () => this.drawing.svg ? this.drawing.svg.getBoundingClientRect().width / this.drawing.svg.wkNatural[0] : 1;
      this.append(h('div', { class: 'head' }, h('h2', {}, 'Sequence chart'),
        h('div', { class: 'buttons' }, this.wide, zoom('Smaller', '−', () => (this.drawing.zoom = Math.max(0.3, at() / 1.2))),
          zoom('Fit to the column', '⤢', () => (this.drawing.zoom = 0)), zoom('Larger', '+', () => (this.drawing.zoom = Math.min(3, at() * 1.2))))),
        this.only, this.windows, this.sheet, this.note, this.times);
      this.ask = WK.later(40, () => this.chart());
    }

    /** Gives the chart more of the page; the state then stands below the steps. */
    widen() {
      const wide = this.closest('.columns').classList.toggle('wide');
      this.wide.setAttribute('aria-pressed', String(wide));
      this.drawing.size();
      this.mark();
    }

    draw(what) {
      if (what === 'scenario') {
        this.from = null;
        this.found = null;
      }
      if (what !== 'look') this.wrong = null;
      if (what === 'run' || what === 'scenario') this.typed = this.latest = null;
      this.projection();
      const total = session.run.steps.length;
      const outside = this.found && (session.at < this.found.from || session.at > this.found.to);
      if (what === 'run') this.from = null;
      if (what === 'stand' && this.found && !(total > WINDOW && outside)) return this.mark();
      if (what === 'stand') this.from = null;
      this.ask();
    }

    projection() {
      const { open, only } = session;
      if (this.projected === open && this.shownOnly === only) return;
      this.projected = open;
      this.shownOnly = only;
      const change = () => {
        const names = [...this.only.querySelectorAll('input:checked')].map((box) => box.value);
        this.shownOnly = names.length === open.processes.length || !names.length ? null : names;
        session.look({ only: this.shownOnly });
      };
      fill(this.only, open.processes.length > 1 && h('details', { class: 'only', open: only !== null },
        h('summary', {}, only ? 'Shows only ' + only.join(', ') : 'Shows all processes'),
        h('fieldset', { class: 'boxes' }, h('legend', { class: 'aloud' }, 'Processes in the chart'), open.processes.map((name) => h('label', {},
          h('input', { type: 'checkbox', value: name, checked: !only || only.includes(name), on: { change } }), ' ' + name)))));
    }

    range() {
      const total = session.run.steps.length;
      if (total <= WINDOW) return { from: 0, to: total };
      if (this.from === null || this.from === undefined) this.from = session.at - WINDOW / 2;
      this.from = Math.max(0, Math.min(this.from, total - WINDOW));
      return { from: this.from, to: this.from + WINDOW };
    }

    async chart() {
      const { open, run } = session;
      if (!open) return;
      const { from, to } = this.range();
      const { picks } = session;
      const body = { ...session.request(), from, to, only: session.only, loop: session.loop, picks };
      // Of several charts that are asked for, only the last is drawn.
      const turn = (this.turn = {});
      const late = () => turn !== this.turn || open !== session.open || run !== session.run;
      try {
        const found = await api.post('/api/chart', body);
        if (late()) return;
        this.found = found;
        this.drawing.show(found.svg);
        this.note.textContent = '';
        this.note.className = 'hint';
        this.good = picks;
      } catch (error) {
        if (late()) return;
        if (error.status === 410 || error.status === 401 || error.status === 0) return WK.fail(error);
        this.note.textContent = error.message;
        this.note.className = 'wrong';
        if (error.status === 422 && session.picks.length && session.picks !== this.good) {
          this.wrong = error.message;
          session.look({ picks: this.without(picks) });
        }
        return;
      }
      this.drawWindows();
      this.mark();
      this.dispatchEvent(new CustomEvent('times'));
    }

    /** The picks to go on with when these were refused. What was picked while another moment was being refused may still do. */
    without(picks) {
      const good = this.good || [];
      if (!this.latest) return good;
      const alone = exchanged(good, this.latest);
      return String(alone) === String(picks) ? good : alone;
    }

    drawWindows() {
      const { from, to } = this.found;
      const total = session.run.steps.length;
      const move = (by) => () => {
        this.from = from + by;
        this.chart();
      };
      const button = (label, by, off) => h('button', { type: 'button', class: 'quiet', disabled: off, on: { click: WK.tried(move(by)) } }, label);
      refill(this.windows, total > WINDOW && [button('Earlier', -WINDOW / 2, from <= 0), h('span', {}, 'steps ' + WK.number(from + 1) + ' to ' + WK.number(to) + ' of ' + WK.number(total)),
        button('Later', WINDOW / 2, to >= total), h('button', { type: 'button', class: 'quiet', on: { click: WK.tried(() => ((this.from = null), this.chart())) } }, 'Where I stand')]);
    }

    /** The moment of a step, counted from 1, and within which it may be moved. */
    time(step) {
      const times = this.found && this.found.times;
      if (!times || step < 1) return null;
      const offset = times.length === session.run.steps.length ? 0 : this.found.from;
      return times[step - 1 - offset] || null;
    }

    mark() {
      const { sheet } = this;
      const place = this.drawing.mark(session.at);
      if (place) {
        const { top, left, right } = place;
        if (top < sheet.scrollTop + 60 || top > sheet.scrollTop + sheet.clientHeight - 40) sheet.scrollTop = Math.max(0, top - sheet.clientHeight / 2);
        // Of many processes the chart is wide: what the step does is brought into sight, its beginning first.
        if (left < sheet.scrollLeft || right > sheet.scrollLeft + sheet.clientWidth) sheet.scrollLeft = right < sheet.clientWidth ? 0 : Math.max(0, Math.min(left - 40, (left + right - sheet.clientWidth) / 2));
      } else if (session.at === 0) sheet.scrollTo(0, 0);
      this.drawTimes();
    }

    /** The form of the time of a step. Its parts stay the same elements: a chart that arrives while one types or clicks takes nothing away. */
    timeForm() {
      this.which = h('span', {});
      this.moment = h('input', { type: 'text', size: '8', inputmode: 'decimal', data: { testid: 'pick' }, on: { input: () => (this.typed = session.at) } });
      this.window = h('span', { class: 'hint' });
      const forget = () => {
        this.moment.focus();
        this.look([]);
      };
      this.forget = h('button', { type: 'button', class: 'quiet', on: { click: forget } });
      this.wrongTime = h('p', { class: 'wrong', role: 'alert', data: { testid: 'pick-error' } });
      const set = (event) => {
        event.preventDefault();
        const [step, value] = [session.at, this.moment.value.trim()];
        const latest = value ? [step, value] : null;
        this.look(latest ? exchanged(session.picks, latest) : session.picks.filter(([k]) => k !== step), latest);
      };
      this.picking = h('form', { class: 'inline', on: { submit: set } }, h('label', {}, this.which, this.moment), h('button', { type: 'submit' }, 'Pick'), this.window, this.forget);
    }

    look(picks, latest = null) {
      this.latest = latest;
      this.typed = null;
      this.wrong = null;
      session.look({ picks });
      this.drawTimes();
    }

    drawTimes() {
      const step = session.at;
      const time = session.open.time === 'dense' && this.time(step);
      const pick = session.picks.find(([k]) => k === step);
      if (this.typed !== step) this.typed = null;
      if (time) {
        const value = pick ? pick[1] : time.at;
        if (this.typed === null && this.moment.value !== value) this.moment.value = value;
        this.which.textContent = 'Time of step ' + step + ' ';
        this.window.textContent = windowText(time);
        this.forget.textContent = 'Forget ' + WK.plural(session.picks.length, 'picked time');
        this.forget.hidden = session.picks.length === 0;
      }
      if (this.wrong && this.wrongTime.textContent !== this.wrong) this.wrongTime.textContent = this.wrong;
      arrange(this.times, time && this.picking, this.wrong && this.wrongTime);
    }
  }

  /** Picks in the order of their steps, with this one instead of another of its step. */
  const exchanged = (picks, one) => picks.filter(([k]) => k !== one[0]).concat([one]).sort((a, b) => a[0] - b[0]);
  const windowText = (time) => (time.most === null ? 'may be at any time from ' + time.least + ' on' : time.least === time.most ? 'can only be at ' + time.least : 'may be from ' + time.least + ' to ' + time.most);

  class RunTable extends HTMLElement {
    connectedCallback() {
      if (this.scroller) return;
      this.columns = [];
      this.lines = new Map();
      this.above = spacer();
      this.below = spacer();
      this.body = h('tbody', {});
      this.headRow = h('tr', {});
      this.grid = h('table', { class: 'run', 'aria-label': 'Steps of the run' }, h('thead', {}, this.headRow), this.body);
      this.scroller = h('div', { class: 'scroll rows', tabindex: '0', role: 'region', 'aria-label': 'Table of the run', data: { testid: 'run-table' } }, this.grid);
      let waiting = false;
      this.scroller.addEventListener('scroll', () => {
        if (waiting) return;
        waiting = true;
        requestAnimationFrame(() => ((waiting = false), this.rows()));
      });
      this.scroller.addEventListener('keydown', (event) => {
        if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
        event.preventDefault();
        if (event.key === 'ArrowDown') session.forward();
        else session.back();
      });
      this.input = h('input', { type: 'text', spellcheck: 'false', placeholder: '!suspects(p0,p1)', list: 'atoms', 'aria-label': 'Expression over atoms for a new column', data: { testid: 'column-expression' } });
      this.errors = h('div', { role: 'status' });
      const form = h('form', { class: 'inline live-only', on: { submit: (e) => (e.preventDefault(), this.addColumn()) } }, this.input, h('button', { type: 'submit', data: { testid: 'column-add' } }, 'Add column'));
      this.append(h('div', { class: 'head' }, h('h2', {}, 'Run'), form), this.errors, this.scroller);
      this.ask = WK.later(60, WK.tried(() => this.values()));
      new ResizeObserver(() => session.run && this.rows()).observe(this.scroller);
    }

    addColumn() {
      const text = this.input.value.trim();
      if (!text || session.cols.includes(text)) return;
      this.input.value = '';
      session.look({ cols: session.cols.concat(text) });
    }

    draw(what) {
      if (what !== 'stand') this.ask();
      this.input.placeholder = '!' + session.example();
      this.header();
      this.rows(true);
    }

    async values() {
      if (!session.open) return;
      const { run, cols } = session;
      if (!cols.length || api.exported) {
        this.columns = [];
        refill(this.errors);
        return this.draw('stand');
      }
      const found = await api.post('/api/columns', { ...session.request(), expressions: cols });
      if (run !== session.run || cols !== session.cols) return;
      this.columns = found.columns;
      this.valued = run;
      refill(this.errors, found.columns.filter((c) => c.error).map((c) => h('p', { class: 'wrong', data: { testid: 'column-error' } }, c.error.includes(c.expression) ? null : [h('code', {}, c.expression), ': '], WK.marked(c.error), ' ', this.remove(c.expression))));
      this.draw('stand');
    }

    remove(expression) {
      return h('button', { type: 'button', class: 'quiet', 'aria-label': 'Remove the column ' + expression, title: 'Remove', on: { click: () => (this.input.focus(), session.look({ cols: session.cols.filter((c) => c !== expression) })) } }, '×');
    }

    good() {
      return this.columns.filter((c) => !c.error && session.cols.includes(c.expression));
    }

    header() {
      const timed = !!(this.times && this.times(1));
      const columns = this.good().map((c) => c.expression);
      const what = JSON.stringify([timed, columns]);
      if (what === this.headed) return;
      this.headed = what;
      refill(this.headRow, h('th', { scope: 'col' }, '#'), timed && h('th', { scope: 'col' }, 'time'), timed && h('th', { scope: 'col' }, 'may be'), h('th', { scope: 'col' }, 'action'),
        columns.map((one) => h('th', { scope: 'col', class: 'derived' }, h('code', {}, one), ' ', this.remove(one))));
    }

    /** Puts the rows in sight into the document; `follow` scrolls to where one stands. */
    rows(follow) {
      const { run, at } = session;
      const total = run.steps.length + 1;
      const height = this.scroller.clientHeight;
      if (follow && height) {
        const top = at * ROW;
        if (top < this.scroller.scrollTop) this.scroller.scrollTop = Math.max(0, top - ROW);
        else if (top + 3 * ROW > this.scroller.scrollTop + height) {
          // The spacer below must be there before one can scroll into it.
          this.below.firstChild.style.height = total * ROW + 'px';
          if (!this.below.isConnected) this.body.append(this.below);
          this.scroller.scrollTop = top + 3 * ROW - height;
        }
      }
      const first = Math.max(0, Math.floor(this.scroller.scrollTop / ROW) - 8);
      const end = Math.min(total, first + Math.ceil((height || 300) / ROW) + 16);
      const inside = this.body.contains(document.activeElement);
      const before = this.lines;
      this.lines = new Map();
      for (let k = first; k < end; k++) this.lines.set(k, this.line(k, before.get(k)));
      this.grid.setAttribute('aria-rowcount', String(total + 1));
      this.above.firstChild.style.height = first * ROW + 'px';
      this.below.firstChild.style.height = (total - end) * ROW + 'px';
      arrange(this.body, first > 0 && this.above, [...this.lines.values()].map((line) => line.row), end < total && this.below);
      if (inside) this.scroller.focus({ preventScroll: true });
    }

    /** The row of a step. Its button stays the same element, so that no click falls between two drawings. */
    line(k, known) {
      const { run, at, loop } = session;
      const line = known || {
        head: h('th', { scope: 'row' }), time: h('td', {}), window: h('td', { class: 'faint' }), derived: [],
        button: h('button', { type: 'button', class: 'bare', tabindex: '-1', on: { click: () => session.stand(k) } }),
      };
      line.action = line.action || h('td', { class: 'action' }, line.button);
      line.row = line.row || h('tr', { 'aria-rowindex': k + 2, data: { testid: 'row-' + k } });
      const here = k === at;
      const mark = (here ? 'here' : '') + (loop === k ? ' loop' : '');
      if (line.mark !== mark) {
        line.mark = mark;
        line.row.classList.toggle('here', here);
        if (here) line.row.setAttribute('aria-current', 'step');
        else line.row.removeAttribute('aria-current');
        fill(line.head, here && h('span', { 'aria-hidden': 'true' }, '▸'), String(k), loop === k && h('span', { class: 'tag', title: 'The loop begins after this step' }, '↻'));
      }
      const write = (place, text) => place.textContent !== text && (place.textContent = text);
      const timed = this.times && this.times(1);
      const time = timed && this.times(k);
      write(line.time, time ? time.at : '');
      write(line.window, time ? time.least + '..' + (time.most === null ? '' : time.most) : '');
      write(line.button, k ? run.labels[k - 1] : 'initial state');
      const columns = this.good();
      while (line.derived.length < columns.length) line.derived.push(h('td', {}));
      line.derived.length = columns.length;
      columns.forEach((c, i) => {
        const known = this.valued === run;
        line.derived[i].className = 'derived' + (!known ? '' : c.values[k] ? ' yes' : ' no');
        write(line.derived[i], !known ? '…' : c.values[k] ? '✓ yes' : '· no');
      });
      arrange(line.row, line.head, timed && [line.time, line.window], line.action, line.derived);
      return line;
    }
  }

  function spacer() {
    return h('tr', { class: 'spacer', 'aria-hidden': 'true' }, h('td', {}));
  }

  customElements.define('wk-run', RunView);
  customElements.define('wk-table', RunTable);
})();
