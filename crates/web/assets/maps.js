// Maps: a sweep over one or two ranges as a grid of cells, the classes of Chandra and Toueg, and the measured quality of
// detectors. A violated cell and a refuted property open the run behind them.
(function () {
  'use strict';
  const WK = window.WK;
  const { h, fill, session } = WK;

  /** Searches a scenario for its violation, and opens the run. */
  async function openViolation(job, protocol, settings) {
    const done = await job.follow('/api/check', { protocol, settings });
    if (!done || !done.result) return;
    const found = done.result.verdicts.find((v) => v.run);
    if (found) return WK.openRun(found, protocol);
    const first = done.result.verdicts[0];
    fill(job, h('p', { class: 'hint', role: 'status' }, first ? first.headline + '. It has no run to open.' : 'There is no run to open.'));
  }

  /** All names that may be a range: numbers of the scenario and parameters. */
  function names() {
    const about = session.about();
    const params = about ? about.params.map((p) => p.name) : [];
    return [...params, ...session.program.settings.filter((s) => !s.switch).map((s) => s.name)];
  }

  function drawing(svg, label) {
    const element = document.createElement('wk-drawing');
    const sheet = h('div', { class: 'sheet', tabindex: '0', role: 'region', 'aria-label': label }, element);
    element.show(svg);
    requestAnimationFrame(() => element.size());
    return sheet;
  }

  const report = (text) => text && h('details', {}, h('summary', {}, 'Report'), h('pre', { class: 'report', tabindex: '0' }, text));

  /** `NAME=VALUE` in lines, as settings. */
  function lines(text) {
    const found = {};
    for (const line of text.split('\n')) {
      const at = line.indexOf('=');
      const name = (at < 0 ? line : line.slice(0, at)).trim().replace(/^--/, '');
      if (name) found[name] = at < 0 ? 'true' : line.slice(at + 1).trim();
    }
    return found;
  }

  const written = (settings) => Object.entries(settings).map(([name, value]) => name + '=' + value).join('\n');

  /** Of the settings of the scenario those that a measurement has too: the size, and the parameters of the protocol. */
  function measurable() {
    const about = session.about();
    const params = new Set(about ? about.params.map((p) => p.name) : []);
    return Object.fromEntries(Object.entries(session.settings).filter(([name]) => name === 'n' || params.has(name)));
  }

  /** A view with a form at the side, a job, and what it found. */
  class Tool extends HTMLElement {
    connectedCallback() {
      if (this.form) return;
      this.form = h('form', { class: 'side', on: { submit: (e) => (e.preventDefault(), WK.tried(() => this.start())()) } });
      this.job = document.createElement('wk-job');
      this.found = h('div', { class: 'found' });
      this.append(h('div', { class: 'with-side' }, this.form, h('div', {}, h('h2', {}, this.constructor.heading), this.job, this.found)));
    }

    draw() {
      if (this.drawn === session.open) return;
      this.drawn = session.open;
      fill(this.form, this.inputs());
    }
  }

  class Sweep extends Tool {
    static heading = 'Where does it hold?';

    inputs() {
      const all = names();
      const about = session.about();
      const range = (i, name, value) => {
        const choose = h('select', { data: { testid: 'sweep-name-' + i } }, i > 0 && h('option', { value: '' }, 'no second range'), all.map((n) => h('option', { value: n, selected: n === name }, n)));
        const text = h('input', { type: 'text', value, placeholder: '1..12', spellcheck: 'false', data: { testid: 'sweep-range-' + i } });
        this.ranges[i] = () => [choose.value, text.value.trim()];
        return [WK.field(i ? 'Up (y)' : 'Across (x)', choose), WK.field(i ? 'Values of y' : 'Values of x', text, 'a range such as 1..12')];
      };
      // Whoever opens a cell comes back to the same map.
      const before = this.protocol === session.protocol ? this.ranges.map((get) => get()) : [];
      this.protocol = session.protocol;
      this.ranges = [];
      const first = about && about.params.length ? about.params.map((p) => p.name) : ['n'];
      const given = [[first[0], first[0] === 'n' ? '2..4' : '1..12'], [first[1] || '', first[1] ? '1..12' : '']];
      this.property = h('input', { type: 'text', value: session.settings.property || '', placeholder: session.open.asked.join(','), spellcheck: 'false', data: { testid: 'sweep-property' } });
      return [h('h2', {}, 'Sweep'), given.map((one, i) => range(i, ...(before[i] || one))),
        WK.field('Properties', this.property, 'separated by commas; empty: what the scenario asks'), h('button', { type: 'submit', class: 'main', data: { testid: 'sweep-run' } }, 'Sweep'),
        h('p', { class: 'hint' }, 'Every cell is a check of its own. All other settings are those of the scenario.')];
    }

    async start() {
      const protocol = session.protocol;
      const settings = { ...session.settings };
      for (const get of this.ranges) {
        const [name, values] = get();
        if (name && values) settings[name] = values;
      }
      if (this.property.value.trim()) settings.property = this.property.value.trim();
      const done = await this.job.follow('/api/sweep', { protocol, settings });
      if (!done || !done.result) return;
      const { result } = done;
      this.detail = h('div', { class: 'card', role: 'status', data: { testid: 'sweep-detail' } }, h('p', { class: 'hint' }, 'Choose a cell. ✓ holds, ✗ violated, ? unknown, · impossible. Arrow keys move from cell to cell; Enter opens.'));
      this.cellJob = document.createElement('wk-job');
      fill(this.found, this.detail, this.cellJob, h('div', { class: 'panels-row' }, result.panels.map((panel) => this.panel(panel, result, protocol))),
        result.svg && h('details', {}, h('summary', {}, 'As a drawing'), drawing(result.svg, 'Map')));
      const count = (word) => result.panels.reduce((sum, p) => sum + p.cells.filter((c) => c.verdict === word).length, 0);
      WK.say('Sweep: ' + ['holds', 'violated', 'unknown'].map((w) => count(w) + ' ' + w).join(', ') + '.');
    }

    panel(panel, { x, y }, protocol) {
      const cells = new Map(panel.cells.map((c) => [c.x + '|' + (y ? c.y : ''), c]));
      const ys = y ? [...y.values].reverse() : [''];
      const cell = (vx, vy) => {
        const c = cells.get(vx + '|' + vy);
        if (!c) return h('td', {});
        const name = x.name + ' ' + vx + (y ? ', ' + y.name + ' ' + vy : '') + ': ' + c.verdict + (c.verdict === 'violated' && c.steps !== null ? ' after ' + WK.plural(c.steps, 'step') : '');
        return h('td', { class: c.verdict }, h('button', { type: 'button', tabindex: '-1', 'aria-label': name, title: name + (c.why ? '. ' + c.why : ''), data: { testid: 'cell-' + vx + '-' + (y ? vy : '') + '-' + panel.property }, on: { click: WK.tried((e) => this.choose(e.currentTarget || e.target, panel, c, name, protocol)), focus: (e) => this.rove(e.target) } }, WK.MARKS[c.verdict] || '?'));
      };
      const table = h('table', { class: 'map', data: { keys: 'grid' }, on: { keydown: (e) => this.move(e) } }, h('caption', { class: 'aloud' }, panel.property + ' over ' + x.name + (y ? ' and ' + y.name : '')),
        h('tbody', {}, ys.map((vy) => h('tr', {}, h('th', { scope: 'row' }, y ? String(vy) : ''), x.values.map((vx) => cell(vx, vy)))),
          h('tr', {}, h('td', {}), x.values.map((vx) => h('th', { scope: 'col' }, String(vx))))));
      const first = table.querySelector('button');
      if (first) first.tabIndex = 0;
      return h('section', { class: 'card', 'aria-label': panel.property }, h('h3', {}, panel.property), panel.caption && h('p', {}, panel.caption),
        h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Map of ' + panel.property }, table), h('p', { class: 'hint' }, 'across: ' + x.name + (y ? '; up: ' + y.name : '')));
    }

    rove(button) {
      for (const other of button.closest('table').querySelectorAll('button[tabindex="0"]')) other.tabIndex = -1;
      button.tabIndex = 0;
    }

    move(event) {
      const by = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[event.key];
      const cell = event.target.closest('td');
      if (!by || !cell) return;
      event.preventDefault();
      const row = cell.parentElement;
      const other = by[1] ? row.parentElement.rows[row.sectionRowIndex + by[1]] : row;
      const next = other && other.cells[cell.cellIndex + by[0]];
      const button = next && next.querySelector('button');
      if (button) button.focus();
    }

    async choose(button, panel, cell, name, protocol) {
      for (const other of this.found.querySelectorAll('[aria-pressed]')) other.removeAttribute('aria-pressed');
      if (button && button.setAttribute) button.setAttribute('aria-pressed', 'true');
      const settings = { ...cell.settings, property: cell.settings.property || panel.property };
      fill(this.detail, h('p', {}, WK.verdict(cell.verdict), ' ', h('b', {}, panel.property), ' at ' + name + (cell.why ? '. ' + cell.why : '')),
        cell.verdict !== 'impossible' && h('div', { class: 'inline' }, h('button', { type: 'button', on: { click: WK.tried(() => session.openAddress({ ...WK.address.empty(), protocol, settings: cell.settings, tab: 'steps' }, { push: true })) } }, 'Open this scenario')));
      if (cell.verdict === 'violated') await openViolation(this.cellJob, protocol, settings);
    }
  }

  class Classes extends Tool {
    static heading = 'Classes of Chandra and Toueg';

    inputs() {
      this.settings = h('textarea', { rows: '6', spellcheck: 'false', data: { testid: 'classify-settings' } });
      this.settings.value = written(session.settings);
      return [h('h2', {}, 'Classify'), WK.field('Settings', this.settings, 'NAME=VALUE, one in a line; those of the scenario unless you change them'), h('button', { type: 'submit', class: 'main', data: { testid: 'classify-run' } }, 'Classify'),
        h('p', { class: 'hint' }, 'Finds the classes that the detector belongs to in this scenario. A refuted property opens the run that refutes it.')];
    }

    async start() {
      const protocol = session.protocol;
      const done = await this.job.follow('/api/classify', { protocol, settings: lines(this.settings.value) });
      if (!done || !done.result) return;
      const { result } = done;
      const job = document.createElement('wk-job');
      const open = (row) => row.verdict === 'violated' && h('button', { type: 'button', data: { testid: 'refuted-' + row.property }, on: { click: WK.tried(() => openViolation(job, protocol, row.settings)) } }, 'Open the run');
      fill(this.found, h('p', { class: 'headline' }, h('strong', {}, result.headline)), job,
        WK.table('Properties', ['property', 'verdict', 'says', 'counterexample', 'run'], result.rows.map((row) => [row.property, WK.verdict(row.verdict), row.about || '', row.counterexample || '-', open(row) || ''])), report(result.text));
      WK.say(result.headline);
    }
  }

  class Measure extends Tool {
    static heading = 'Quality of service';

    inputs() {
      this.settings = h('textarea', { rows: '6', spellcheck: 'false', data: { testid: 'measure-settings' } });
      this.settings.value = written(measurable());
      this.contenders = h('textarea', { rows: '3', spellcheck: 'false', placeholder: 'nfd-s:eta=1s,delta=500ms\nphi:period=1s', data: { testid: 'compare-contenders' } });
      return [h('h2', {}, 'Measure'), WK.field('Settings', this.settings, 'NAME=VALUE, one in a line: parameters of the protocol, and flags of `measure` such as delay=uniform:5ms,195ms, loss=1% or timeout=5s'),
        h('button', { type: 'submit', class: 'main', data: { testid: 'measure-run' } }, 'Measure ' + session.protocol),
        WK.field('Contenders', this.contenders, 'NAME:PARAM=VALUE,..., one in a line, on the same network'),
        h('button', { type: 'button', data: { testid: 'compare-run' }, on: { click: WK.tried(() => this.compare()) } }, 'Compare them')];
    }

    start() {
      return this.follow('/api/measure', { protocol: session.protocol, settings: lines(this.settings.value) });
    }

    compare() {
      const contenders = this.contenders.value.split('\n').map((line) => line.trim()).filter(Boolean);
      if (contenders.length < 2) return this.job.refuse('Name at least two contenders, one in a line.');
      return this.follow('/api/compare', { contenders, settings: lines(this.settings.value) });
    }

    async follow(path, body) {
      const done = await this.job.follow(path, body);
      if (!done || !done.result) return;
      const { headline, table, svg, text } = done.result;
      fill(this.found, h('p', {}, h('strong', {}, headline)), table && WK.table('Figures', table.header, table.rows), svg && drawing(svg, 'Plot'), report(text));
      WK.say(headline);
    }
  }

  customElements.define('wk-sweep', Sweep);
  customElements.define('wk-classes', Classes);
  customElements.define('wk-measure', Measure);
})();
