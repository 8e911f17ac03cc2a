// The graph of all states, level by level, on a canvas: to pan, to zoom and to walk with the keys. A space that is too
// large for that is shown as the number of states on each level.
(function () {
  'use strict';
  const WK = window.WK;
  const { h, fill, session } = WK;
  const MOST = 3000;
  const GAP = 24;
  const SIZE = 6;

  /** Places of nodes: a row for each level, in an order that keeps edges short (barycentres, down and up). */
  function layout(nodes, edges) {
    const rows = [];
    nodes.forEach((node, i) => (rows[node.level] = rows[node.level] || []).push(i));
    for (let i = 0; i < rows.length; i++) rows[i] = rows[i] || [];
    const near = nodes.map(() => ({ up: [], down: [] }));
    for (const [from, to] of edges) {
      const step = nodes[to].level - nodes[from].level;
      if (step > 0) near[from].down.push(to), near[to].up.push(from);
    }
    const place = new Float64Array(nodes.length);
    const spread = (row) => row.forEach((node, i) => (place[node] = i - (row.length - 1) / 2));
    rows.forEach(spread);
    const settle = (row, side) => {
      const wish = new Map(row.map((node) => {
        const others = near[node][side];
        return [node, others.length ? others.reduce((sum, other) => sum + place[other], 0) / others.length : place[node]];
      }));
      row.sort((a, b) => wish.get(a) - wish.get(b) || a - b);
      spread(row);
    };
    for (let round = 0; round < 6; round++) {
      for (let i = 1; i < rows.length; i++) settle(rows[i], 'up');
      for (let i = rows.length - 2; i >= 0; i--) settle(rows[i], 'down');
    }
    const widest = Math.max(1, ...rows.map((row) => row.length));
    const x = new Float64Array(nodes.length);
    const y = new Float64Array(nodes.length);
    const gap = Math.max(48, (0.36 * widest * GAP) / rows.length);
    // Narrow rows are pulled apart a little, so that the picture is no needle.
    rows.forEach((row, level) => row.forEach((node) => {
      x[node] = place[node] * GAP * Math.min(4, Math.sqrt(widest / row.length));
      y[node] = level * gap;
    }));
    return { rows, x, y, gap, width: widest * GAP, height: rows.length * gap };
  }

  class Graph extends HTMLElement {
    connectedCallback() {
      if (this.job) return;
      this.job = document.createElement('wk-job');
      this.most = h('input', { type: 'number', min: '10', max: '20000', value: String(MOST), data: { testid: 'graph-most' } });
      const form = h('form', { class: 'inline', on: { submit: (e) => (e.preventDefault(), WK.tried(() => this.start())()) } },
        h('button', { type: 'submit', class: 'main', data: { testid: 'graph-run' } }, 'Draw the graph'), h('label', {}, 'of at most ', this.most, ' states'));
      this.found = h('div', { class: 'found' }, h('p', { class: 'hint' }, 'Every reachable state is a node, on the level of its least number of steps.'));
      this.append(h('div', { class: 'head' }, h('h2', {}, 'Graph of states'), form), this.job, this.found);
      document.addEventListener('wk-theme', () => this.paint());
      new ResizeObserver(() => this.resized()).observe(this.found);
    }

    draw() {
      if (this.drawn && this.drawn !== session.open) {
        this.graph = null;
        fill(this.found, h('p', { class: 'hint' }, 'The scenario has changed. Draw its graph.'));
      }
      this.drawn = session.open;
    }

    async start() {
      const { open } = session;
      const done = await this.job.follow('/api/graph', { space: open.space, most: Number(this.most.value) || MOST });
      if (!done || !done.result || open !== session.open) return;
      const { result } = done;
      const headline = WK.plural(result.states, 'state') + (result.complete ? '' : ' so far: the search was not complete') + ', ' + WK.plural(result.levels.length, 'level');
      fill(this.found, h('p', { data: { testid: 'graph-headline' } }, h('strong', {}, headline)));
      WK.say(headline);
      if (result.nodes && result.nodes.length) this.show(result);
      else this.found.append(h('p', { class: 'hint' }, 'The space has more states than the graph may have; here are its levels.'));
      const most = Math.max(...result.levels);
      this.found.append(h('details', { open: !result.nodes || !result.nodes.length }, h('summary', {}, 'States on each level'),
        WK.table('States on each level', ['level', 'states', 'share of the largest level'], result.levels.map((count, level) => {
          const meter = h('meter', { min: '0', max: String(most), 'aria-label': 'level ' + level });
          meter.value = count;
          return [String(level), WK.number(count), meter];
        }))));
    }

    show(result) {
      const { nodes } = result;
      const index = new Map(nodes.map((node, i) => [node.state, i]));
      const edges = result.edges.filter(([from, to]) => index.has(from) && index.has(to)).map(([from, to, label]) => [index.get(from), index.get(to), label]);
      const out = nodes.map(() => []);
      const into = nodes.map(() => []);
      edges.forEach(([from, to], e) => (out[from].push(e), into[to].push(e)));
      this.graph = { nodes, edges, out, into, index, ...layout(nodes, edges) };
      this.canvas = h('canvas', { tabindex: '0', role: 'application', 'aria-label': 'Graph of states. Arrow keys walk from state to state, plus and minus zoom, 0 fits.', data: { keys: 'graph', testid: 'graph-canvas' }, on: {
        keydown: (e) => this.key(e), wheel: (e) => (e.preventDefault(), this.zoomAt(Math.exp(-e.deltaY / 400), e.offsetX, e.offsetY)),
        pointerdown: (e) => this.press(e), pointermove: (e) => this.drag(e), pointerup: (e) => this.release(e), pointercancel: () => (this.held = null),
      } });
      this.info = h('div', { class: 'card', data: { testid: 'graph-info' } }, h('p', { class: 'hint' }, 'Click a node, or press the arrow keys. Squares are stuck states.'));
      const button = (label, sign, work) => h('button', { type: 'button', 'aria-label': label, title: label, on: { click: work } }, sign);
      this.found.append(h('div', { class: 'inline' }, button('Zoom in', '+', () => this.zoomMiddle(1.4)), button('Zoom out', '−', () => this.zoomMiddle(1 / 1.4)), button('Fit', '⤢ fit', () => this.fit())),
        h('div', { class: 'canvas' }, this.canvas), this.info);
      this.selected = null;
      const here = index.get(session.run.states[session.at]);
      this.fit();
      if (here !== undefined) this.select(here, true);
    }

    /** The middle stays in the middle. */
    resized() {
      const width = this.canvas && this.graph ? this.canvas.clientWidth : 0;
      if (width && this.view && this.painted && this.painted !== width) this.view.x += (width - this.painted) / 2;
      if (width) this.painted = width;
      this.paint();
    }

    fit() {
      const { width, height } = this.graph;
      const box = this.canvas.getBoundingClientRect();
      const zoom = Math.min(1.6, (box.width - 40) / (width + 20), (box.height - 40) / height);
      this.view = { zoom: Math.max(0.02, zoom), x: box.width / 2, y: 24 + 10 * zoom };
      this.painted = this.canvas.clientWidth;
      this.paint();
    }

    zoomAt(factor, x, y) {
      const { view } = this;
      const zoom = Math.max(0.02, Math.min(4, view.zoom * factor));
      view.x = x - ((x - view.x) / view.zoom) * zoom;
      view.y = y - ((y - view.y) / view.zoom) * zoom;
      view.zoom = zoom;
      this.paint();
    }

    zoomMiddle(factor) {
      const box = this.canvas.getBoundingClientRect();
      this.zoomAt(factor, box.width / 2, box.height / 2);
    }

    press(event) {
      this.held = { x: event.offsetX, y: event.offsetY, from: { ...this.view }, moved: false };
      this.canvas.setPointerCapture(event.pointerId);
    }

    drag(event) {
      const { held } = this;
      if (!held) return;
      const [dx, dy] = [event.offsetX - held.x, event.offsetY - held.y];
      if (Math.abs(dx) + Math.abs(dy) > 4) held.moved = true;
      if (!held.moved) return;
      Object.assign(this.view, { x: held.from.x + dx, y: held.from.y + dy });
      this.paint();
    }

    release(event) {
      const { held, graph, view } = this;
      this.held = null;
      if (!held || held.moved) return;
      const x = (event.offsetX - view.x) / view.zoom;
      const y = (event.offsetY - view.y) / view.zoom;
      let best = null;
      let least = Math.max(12, 12 / view.zoom);
      graph.nodes.forEach((_, i) => {
        const distance = Math.hypot(graph.x[i] - x, graph.y[i] - y);
        if (distance < least) [best, least] = [i, distance];
      });
      if (best !== null) this.select(best);
    }

    key(event) {
      const { graph } = this;
      const zoom = { '+': 1.3, '=': 1.3, '-': 1 / 1.3 }[event.key];
      if (zoom) return event.preventDefault(), event.stopPropagation(), this.zoomMiddle(zoom);
      if (event.key === '0') return event.stopPropagation(), this.fit();
      if (!/^Arrow/.test(event.key)) return;
      event.preventDefault();
      event.stopPropagation();
      if (event.shiftKey) {
        const by = { ArrowLeft: [50, 0], ArrowRight: [-50, 0], ArrowUp: [0, 50], ArrowDown: [0, -50] }[event.key];
        this.view.x += by[0];
        this.view.y += by[1];
        return this.paint();
      }
      if (this.selected === null) return this.select(0, true);
      const at = this.selected;
      const row = graph.rows[graph.nodes[at].level];
      const place = row.indexOf(at);
      const next = {
        ArrowLeft: () => row[place - 1], ArrowRight: () => row[place + 1],
        ArrowDown: () => graph.out[at].map((e) => graph.edges[e][1]).find((n) => graph.nodes[n].level > graph.nodes[at].level),
        ArrowUp: () => graph.into[at].map((e) => graph.edges[e][0]).find((n) => graph.nodes[n].level < graph.nodes[at].level),
      }[event.key]();
      if (next !== undefined) this.select(next, true);
    }

    /** Shows a node: its state, where it comes from and where it goes. */
    select(i, bring) {
      const { graph, view } = this;
      this.selected = i;
      if (bring) {
        const box = this.canvas.getBoundingClientRect();
        const [x, y] = [graph.x[i] * view.zoom + view.x, graph.y[i] * view.zoom + view.y];
        if (x < 20 || x > box.width - 20) view.x += box.width / 2 - x;
        if (y < 20 || y > box.height - 20) view.y += box.height / 2 - y;
      }
      this.paint();
      const node = graph.nodes[i];
      const go = (e, end) => h('li', {}, h('button', { type: 'button', class: 'quiet', on: { click: () => this.select(graph.edges[e][end], true) } }, (end ? '→ ' : '← ') + graph.edges[e][2] + ' (state ' + graph.nodes[graph.edges[e][end]].state + ')'));
      const list = (title, edges, end) => h('details', { open: edges.length < 9 }, h('summary', {}, title + ' ', h('span', { class: 'count' }, String(edges.length))), h('ul', {}, edges.slice(0, 60).map((e) => go(e, end))));
      const place = h('div', {});
      fill(this.info, h('div', { class: 'head' }, h('h3', {}, 'State ' + node.state + ', level ' + node.level + (node.stuck ? ', ' + node.stuck : '')), h('button', { type: 'button', data: { testid: 'graph-stand' }, on: { click: WK.tried(() => this.stand(i)) } }, 'Stand here')),
        h('div', { class: 'pair' }, list('Steps from here', graph.out[i], 1), list('Steps that lead here', graph.into[i], 0)), place);
      WK.say('State ' + node.state + ', level ' + node.level + (node.stuck ? ', ' + node.stuck : '') + ', ' + WK.plural(graph.out[i].length, 'step') + ' from here.');
      this.describe(i, place);
    }

    async describe(i, place) {
      await new Promise((done) => setTimeout(done, 120));
      if (this.selected !== i) return;
      try {
        const state = await session.state(this.graph.nodes[i].state);
        if (this.selected !== i) return;
        fill(place, WK.table('The state', ['process', 'status', 'suspects', 'fields', 'timers'], state.processes.map((p) => [p.name, p.status, p.suspects.join(', ') || '-', p.fields.map((f) => f.name + ' ' + f.value).join(', '), p.timers.map((t) => t.name + (t.due ? ' ' + t.due.text : '')).join(', ')])),
          h('p', { class: 'hint' }, state.messages.length ? 'In flight: ' + state.messages.map((m) => m.label + ' ' + m.from + ' → ' + m.to).join('; ') : 'No message is in flight.'));
      } catch (error) {
        fill(place, h('p', { class: 'wrong' }, error.message));
      }
    }

    /** A shortest way in the graph from the initial state, taken step by step. */
    async stand(goal) {
      const { graph } = this;
      const { open } = session;
      const before = new Map();
      const starts = session.open.initial.map((one) => graph.index.get(one.state)).filter((i) => i !== undefined);
      const queue = [...starts];
      starts.forEach((i) => before.set(i, null));
      for (let k = 0; k < queue.length && !before.has(goal); k++) {
        for (const e of graph.out[queue[k]]) {
          const to = graph.edges[e][1];
          if (!before.has(to)) before.set(to, queue[k]), queue.push(to);
        }
      }
      if (!before.has(goal)) throw new Error('No way to this state is in the graph.');
      const path = [];
      for (let i = goal; i !== null; i = before.get(i)) path.unshift(graph.nodes[i].state);
      const initial = session.open.initial.find((one) => one.state === path[0]);
      const more = { steps: [], states: [], keys: [], labels: [] };
      for (let k = 0; k + 1 < path.length; k++) {
        const step = (await session.state(path[k])).steps.find((s) => s.to === path[k + 1]);
        if (open !== session.open) return;
        if (!step) throw new Error('The server knows no step from state ' + path[k] + ' to state ' + path[k + 1] + '.');
        more.steps.push(step.step);
        more.states.push(step.to);
        more.keys.push(step.key);
        more.labels.push(step.label);
      }
      await session.startFrom(initial);
      if (more.steps.length) await session.act(() => open === session.open && session.grow(more));
      session.choose('steps');
    }

    paint() {
      if (this.waiting || !this.graph || !this.canvas) return;
      this.waiting = true;
      requestAnimationFrame(() => {
        this.waiting = false;
        if (this.graph && this.canvas.clientWidth) this.paintNow();
      });
    }

    paintNow() {
      const { canvas, graph, view, selected } = this;
      const sharp = devicePixelRatio || 1;
      const [width, height] = [canvas.clientWidth, canvas.clientHeight];
      if (canvas.width !== Math.round(width * sharp)) canvas.width = Math.round(width * sharp);
      if (canvas.height !== Math.round(height * sharp)) canvas.height = Math.round(height * sharp);
      const night = WK.dark();
      const colour = night ? { edge: '#4b535d', node: '#6cb0ff', stuck: '#ff7b72', mark: '#dda73a', out: '#c296ff', ink: '#e6edf3', faint: '#9aa4af' } : { edge: '#b6bec8', node: '#1f5fd0', stuck: '#c4202c', mark: '#915900', out: '#7f3fc4', ink: '#1f2328', faint: '#57606a' };
      const pen = canvas.getContext('2d');
      pen.setTransform(sharp, 0, 0, sharp, 0, 0);
      pen.clearRect(0, 0, width, height);
      const px = (i) => graph.x[i] * view.zoom + view.x;
      const py = (i) => graph.y[i] * view.zoom + view.y;
      const lines = (list, style, weight) => {
        pen.beginPath();
        for (const [from, to] of list) {
          const [x1, y1, x2, y2] = [px(from), py(from), px(to), py(to)];
          if (Math.max(x1, x2) < 0 || Math.min(x1, x2) > width || Math.max(y1, y2) < 0 || Math.min(y1, y2) > height) continue;
          pen.moveTo(x1, y1);
          if (y2 > y1) pen.lineTo(x2, y2);
          else pen.quadraticCurveTo((x1 + x2) / 2 + 24 * view.zoom, (y1 + y2) / 2 - 14 * view.zoom, x2, y2);
        }
        pen.strokeStyle = style;
        pen.lineWidth = weight;
        pen.stroke();
      };
      lines(graph.edges, colour.edge, Math.max(0.3, Math.min(1, view.zoom)));
      if (selected !== null) {
        lines(graph.into[selected].map((e) => graph.edges[e]), colour.mark, 1.8);
        lines(graph.out[selected].map((e) => graph.edges[e]), colour.out, 1.8);
      }
      const r = Math.max(1.4, Math.min(9, SIZE * view.zoom));
      const here = graph.index.get(session.run.states[session.at]);
      graph.nodes.forEach((node, i) => {
        const [x, y] = [px(i), py(i)];
        if (x < -20 || x > width + 20 || y < -20 || y > height + 20) return;
        pen.fillStyle = node.stuck ? colour.stuck : colour.node;
        pen.beginPath();
        if (node.stuck) pen.rect(x - r, y - r, 2 * r, 2 * r);
        else pen.arc(x, y, r, 0, 7);
        pen.fill();
        if (i !== selected && i !== here) return;
        pen.beginPath();
        pen.arc(x, y, r + 4, 0, 7);
        pen.strokeStyle = i === selected ? colour.ink : colour.mark;
        pen.lineWidth = 2;
        pen.stroke();
        if (i === here) {
          pen.fillStyle = colour.mark;
          pen.font = '12px system-ui, sans-serif';
          pen.fillText('you stand here', x + r + 8, y + 4);
        }
      });
      pen.fillStyle = colour.faint;
      pen.font = '11px system-ui, sans-serif';
      let last = -99;
      graph.rows.forEach((row, level) => {
        const y = level * graph.gap * view.zoom + view.y;
        if (y - last < 14 || y < 0 || y > height) return;
        last = y;
        pen.fillText(String(level), 6, y + 4);
      });
    }
  }

  customElements.define('wk-graph', Graph);
})();
