// The cluster that runs behind the page: who suspects whom, since when and on what evidence, what the nodes do, and
// buttons to hurt and heal them. It asks twice a second, and not at all while nobody looks.
(function () {
  'use strict';
  const WK = window.WK;
  const { h, fill, session, api } = WK;
  const EVERY = 500;
  const STATES = { running: '●', starting: '○', paused: '‖', killed: '✕', left: '◁', failed: '✕' };
  const DOWN = ['killed', 'failed', 'left'];
  const GONE = 'The cluster has ended, or its page cannot be reached. Start it again, and open the address that it prints.';

  const seconds = (s) => (s < 0.9995 ? (s * 1000).toFixed(s < 0.00995 ? 1 : 0) + ' ms' : s < 99.95 ? s.toFixed(1) + ' s' : Math.round(s) + ' s');

  class Live extends HTMLElement {
    connectedCallback() {
      if (this.body) return;
      this.acts = 0;
      this.status = h('p', { data: { testid: 'live-status' } });
      this.body = h('div', { class: 'live' });
      this.lost = h('p', { class: 'wrong', role: 'alert', data: { testid: 'live-lost' } });
      this.wrong = h('p', { class: 'wrong', role: 'alert', data: { testid: 'live-wrong' } });
      this.suspicions = h('div', {});
      this.cards = h('div', { class: 'cards' });
      this.links = h('div', {});
      this.drawing = document.createElement('wk-drawing');
      this.span = h('select', { 'aria-label': 'Seconds in the chart', data: { testid: 'live-span' }, on: { change: () => this.chart().catch(() => {}) } }, [2, 5, 10, 30].map((s) => h('option', { value: s, selected: s === 5 }, 'last ' + s + ' s')));
      this.frozen = h('input', { type: 'checkbox' });
      this.chartNote = h('p', { class: 'hint' });
      this.sheet = h('div', { class: 'sheet', tabindex: '0', role: 'region', 'aria-label': 'Chart of the last seconds', data: { testid: 'live-chart' } }, this.drawing);
      this.news = h('ul', { class: 'news plain', tabindex: '0', 'aria-label': 'Last events, the newest first', data: { testid: 'live-news' } });
      fill(this.body, this.status, this.lost, this.wrong,
        h('div', {}, h('section', { 'aria-label': 'Suspicions' }, h('h2', {}, 'Who suspects whom'), this.suspicions), h('section', { 'aria-label': 'Nodes' }, h('h2', {}, 'Nodes'), this.cards), this.links),
        h('div', {}, h('section', { 'aria-label': 'Chart' }, h('div', { class: 'head' }, h('h2', {}, 'Chart'), h('div', { class: 'inline' }, this.span, h('label', {}, this.frozen, ' hold still'))), this.sheet, this.chartNote),
        h('section', { 'aria-label': 'Events' }, h('h2', {}, 'Last events'), this.news)));
      this.append(this.body);
      document.addEventListener('visibilitychange', () => this.wake());
    }

    draw() {
      this.wake();
    }

    looked() {
      return session.tab === 'live' && !document.hidden && session.program && session.program.live;
    }

    wake() {
      if (this.awake || !this.looked()) return;
      this.awake = true;
      this.loop().finally(() => (this.awake = false));
    }

    async loop() {
      let turn = 0;
      while (this.looked()) {
        try {
          const { acts } = this;
          const live = await api.get('/api/live');
          // What was told before an act was done says nothing of what came of it.
          if (acts === this.acts) this.show(live);
          if (turn++ % 2 === 0 && !this.frozen.checked) await this.chart();
          this.tell(this.lost, '');
        } catch (error) {
          if (error.status === 401) return WK.fail(error);
          if (error.status === 0) this.rest();
          this.tell(this.lost, error.status === 0 ? GONE : error.message);
          await new Promise((done) => setTimeout(done, 4 * EVERY));
        }
        await new Promise((done) => setTimeout(done, EVERY));
      }
    }

    /** The newest steps are at the foot of the chart; it stays there unless somebody has scrolled up. */
    async chart() {
      const found = await api.get('/api/live/chart?seconds=' + this.span.value);
      this.chartNote.textContent = found.note || '';
      if (!found.svg || found.svg === this.drawing.text) return;
      const below = this.sheet.scrollHeight - this.sheet.clientHeight - this.sheet.scrollTop;
      this.drawing.show(found.svg);
      // Its steps are places in a run, and there is no run to stand in.
      for (const one of this.drawing.svg.querySelectorAll('.step')) one.classList.remove('step');
      if (below < 40) this.sheet.scrollTop = this.sheet.scrollHeight;
    }

    /** An alert is read aloud when it is written, so it is written once. */
    tell(place, text) {
      if (place.textContent !== text) place.textContent = text;
    }

    /** The cluster has ended: what was known last stays, and nothing can be done to it. */
    rest() {
      for (const button of this.body.querySelectorAll('button')) button.disabled = true;
      if (this.last && this.last.running) this.show({ ...this.last, running: false });
    }

    async act(body) {
      this.acts += 1;
      try {
        this.tell(this.wrong, '');
        const live = await api.post('/api/live/act', body);
        this.acts += 1;
        this.show(live);
      } catch (error) {
        this.tell(this.wrong, error.status === 0 ? GONE : error.message);
      }
    }

    show(live) {
      this.last = live;
      const bound = live.assumptions || {};
      const assumed = [bound.delay && 'delays up to ' + seconds(bound.delay.seconds), bound.round_trip && 'round trips up to ' + seconds(bound.round_trip.seconds), bound.lossless === true ? 'no losses' : bound.lossless === false ? 'losses' : null, bound.lateness && 'timers late by at most ' + seconds(bound.lateness)].filter(Boolean);
      fill(this.status, h('b', {}, live.protocol + ', ' + WK.plural(live.n, 'node')), live.running ? ' runs for ' + Math.floor(live.uptime) + ' s' : ' has ended', '; a tick is ' + seconds(live.tick) + '. ',
        assumed.length > 0 && 'The model assumes ' + assumed.join(', ') + '. ', !live.control && h('strong', {}, 'This page only looks on; start the cluster with --control to act on its nodes here.'));
      this.table(live, bound);
      this.nodes(live);
      this.network(live);
      const news = [...live.news].reverse().slice(0, 200);
      const key = news.length + '|' + (news[0] ? news[0].at : '');
      if (key !== this.newest) {
        this.newest = key;
        fill(this.news, news.map((n) => h('li', {}, h('small', {}, n.at.toFixed(1) + ' s '), n.what)));
        if (news[0] && this.told) WK.say(news[0].what);
        this.told = true;
      }
    }

    table(live, bound) {
      const peer = (node, name) => {
        if (node.name === name) return h('td', { class: 'faint' }, '·');
        const p = node.peers.find((one) => one.peer === name);
        const id = { testid: 'live-' + node.name + '-' + name };
        if (!p) return h('td', { class: 'faint', data: id }, h('span', { 'aria-hidden': 'true' }, '–'), WK.hidden('no opinion'));
        const suspected = p.suspected !== null && p.suspected !== undefined;
        const heard = p.heard ? 'heard ' + p.heard.kind + ' ' + seconds(p.heard.ago) + ' ago' : 'never heard';
        return h('td', { class: 'live-cell ' + (suspected ? 'suspected' : 'trusted'), data: id }, h('span', { class: 'who' }, suspected ? '✗ suspects, for ' + seconds(p.suspected) : '✓ trusts'),
          h('small', {}, heard), p.probed && h('small', {}, 'sent ' + p.probed.kind + ' ' + seconds(p.probed.ago) + ' ago'), this.measured(p, bound), p.lost > 0 && h('small', {}, WK.plural(p.lost, 'message') + ' lost'), p.cut && h('small', {}, h('strong', {}, '✂ cut')));
      };
      const names = live.nodes.map((n) => n.name);
      const rows = live.nodes.map((node) => h('tr', {}, h('th', { scope: 'row' }, node.name, node.state !== 'running' && h('small', {}, ' ' + node.state)), names.map((name) => peer(node, name))));
      this.keep(this.suspicions, () => fill(this.suspicions, h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Who suspects whom' }, h('table', { data: { testid: 'live-table' } }, h('caption', { class: 'aloud' }, 'A row for each node: whom it suspects'),
        h('thead', {}, h('tr', {}, h('td', {}), names.map((name) => h('th', { scope: 'col' }, 'about ' + name)))), h('tbody', {}, rows)))));
    }

    /** What was measured of a peer, against the bounds that the model assumes. */
    measured(p, bound) {
      const trip = bound.round_trip ? bound.round_trip.seconds : bound.delay ? 2 * bound.delay.seconds : null;
      return [p.round_trip && this.measure('round trip', p.round_trip.most, trip), typeof p.worst_delay === 'number' && this.measure('delay', p.worst_delay, bound.delay ? bound.delay.seconds : null)];
    }

    measure(what, worst, most) {
      if (!most) return h('small', {}, what + ' up to ' + seconds(worst));
      const meter = h('meter', { min: '0', max: String(most), high: String(most * 0.8), 'aria-label': 'longest ' + what + ' against the bound' });
      meter.value = Math.min(worst, most);
      return h('small', {}, meter, ' ' + what + ' ' + seconds(worst) + ' of ' + seconds(most) + (worst > most ? ', ✗ over the bound' : ''));
    }

    /** The buttons of a card stay the same elements, so that no click falls between two drawings. */
    nodes(live) {
      const names = live.nodes.map((n) => n.name).join() + live.control;
      if (this.carded !== names) {
        this.carded = names;
        this.parts = live.nodes.map((node) => {
          const act = (verb) => h('button', { type: 'button', data: { testid: verb + '-' + node.name }, 'aria-label': verb + ' ' + node.name, on: { click: () => this.act({ act: verb, node: node.name }) } }, verb);
          const part = { text: h('div', { class: 'card-text' }), kill: act('kill'), pause: act('pause'), resume: act('resume'), restart: act('restart') };
          part.card = h('article', { class: 'card', 'aria-label': node.name, data: { testid: 'node-' + node.name } }, part.text, live.control && h('div', { class: 'inline' }, part.kill, part.pause, part.resume, part.restart));
          return part;
        });
        fill(this.cards, this.parts.map((part) => part.card));
      }
      live.nodes.forEach((node, i) => {
        const part = this.parts[i];
        const down = DOWN.includes(node.state);
        WK.handOver([part.resume, part.restart, part.kill, part.pause], () => {
          part.kill.disabled = down || !live.running;
          part.pause.disabled = down || node.state === 'paused' || node.state === 'leaving' || !live.running;
          part.resume.disabled = node.state !== 'paused' || !live.running;
          // A node that runs is killed first.
          part.restart.disabled = !live.running;
        });
        fill(part.text, this.node(node));
      });
    }

    node(node) {
      const head = h('div', { class: 'head' }, h('h3', {}, node.name), h('span', {}, h('span', { 'aria-hidden': 'true' }, (STATES[node.state] || '○') + ' '), node.state + (node.why ? ': ' + node.why : '')));
      const last = node.last && h('p', { class: 'hint' }, node.last.what + ', ' + seconds(node.last.ago) + ' ago');
      // Of a node that is down nothing is known but that.
      if (DOWN.includes(node.state)) return [head, last];
      const suspicion = (s) => [h('p', {}, 'suspects ', h('span', { class: 'suspect' }, s.peer), ' for ' + seconds(s.since)), s.evidence && h('p', { class: 'hint', data: { testid: 'evidence-' + node.name + '-' + s.peer } }, s.evidence.text)];
      return [
        head,
        node.suspects.length ? node.suspects.map(suspicion) : h('p', {}, 'suspects nobody'),
        node.decision && h('p', {}, 'has decided ' + node.decision.value),
        node.view && h('p', {}, 'has the view {' + node.view.members.join(',') + '}'),
        node.state_text && h('p', { class: 'hint' }, node.state_text),
        h('p', { class: 'hint' }, node.timers.length ? node.timers.map((t) => '◷ ' + t.timer + ' ' + (t.due_in >= 0 ? 'in ' + seconds(t.due_in) : 'due')).join(', ') : 'no timer is armed'),
        h('p', { class: 'hint' }, 'up for ' + Math.floor(node.uptime || 0) + ' s; timers late by at most ' + seconds(node.worst_late || 0) + (node.stalled ? '; stalled for ' + seconds(node.stalled) : '')),
        last,
        node.breaches.length > 0 && h('ul', { class: 'warnings plain' }, node.breaches.slice(-5).map((b) => h('li', {}, '✗ ' + b.what + ', ' + seconds(b.ago) + ' ago'))),
      ];
    }

    /** Redrawing a table must take neither the focus nor the place away. */
    keep(place, work) {
      const old = place.firstElementChild;
      const [focused, scrolled] = old ? [old === document.activeElement, old.scrollLeft] : [false, 0];
      work();
      place.firstElementChild.scrollLeft = scrolled;
      if (focused) place.firstElementChild.focus({ preventScroll: true });
    }

    network(live) {
      const about = (text) => h('section', { class: 'card', 'aria-label': 'Network' }, h('h2', {}, 'Network'), h('p', { class: 'hint' }, text));
      if (!live.control || !live.partition) {
        if (this.linked !== live.uncut) fill(this.links, about('Links cannot be cut: ' + live.uncut + '.'));
        this.linked = live.uncut;
        return;
      }
      const names = live.nodes.map((n) => n.name);
      if (this.linked !== names.join()) {
        this.linked = names.join();
        const choose = (label, i) => h('select', { 'aria-label': label, data: { testid: 'link-end-' + i }, on: { change: () => this.allowed(this.last) } }, names.map((n, k) => h('option', { value: n, selected: k === i }, n)));
        this.pair = [choose('One end of the link', 0), choose('The other end of the link', 1)];
        const link = (verb) => ({ act: verb, node: this.pair[0].value, peer: this.pair[1].value });
        const button = (id, body, text) => h('button', { type: 'button', data: { testid: id }, on: { click: () => this.act(body()) } }, text);
        const sides = names.map((n, i) => h('label', {}, h('input', { type: 'checkbox', value: n, checked: i === 0, data: { testid: 'side-' + n } }), ' ' + n));
        const groups = () => {
          const one = names.filter((_, i) => sides[i].querySelector('input').checked);
          return [one, names.filter((n) => !one.includes(n))].filter((g) => g.length);
        };
        this.cut = button('link-cut', () => link('cut'), 'Cut');
        this.heal = button('link-heal', () => link('heal'), 'Heal');
        this.parting = button('partition', () => ({ act: 'partition', groups: groups() }), 'Partition');
        this.healAll = button('heal-all', () => ({ act: 'heal' }), 'Heal all links');
        this.cuts = h('p', { class: 'hint', data: { testid: 'cuts' } });
        this.drops = h('p', { class: 'hint', data: { testid: 'drops' } });
        fill(this.links, h('section', { class: 'card', 'aria-label': 'Network' }, h('h2', {}, 'Network'), h('div', { class: 'inline' }, 'Link between ', this.pair[0], ' and ', this.pair[1], this.cut, this.heal),
          h('fieldset', {}, h('legend', {}, 'Partition: these nodes on one side, the others on the other'), h('div', { class: 'inline' }, sides, this.parting, this.healAll)), this.cuts, this.drops));
      }
      this.allowed(live);
      this.tell(this.cuts, live.cuts.length ? 'Cut: ' + live.cuts.map((c) => c.join(' ✂ ')).join(', ') : 'No link is cut.');
      this.tell(this.drops, live.dropped.length ? 'Dropped on cut links: ' + live.dropped.map((d) => WK.plural(d.count, 'datagram') + ' from ' + d.from + ' to ' + d.to).join(', ') : 'No datagram was dropped.');
    }

    /** What can be done to links: to the one that is chosen, and to all. */
    allowed(live) {
      if (!this.pair) return;
      const [a, b] = this.pair.map((one) => one.value);
      const cut = live.cuts.some((pair) => pair.includes(a) && pair.includes(b));
      WK.handOver([this.cut, this.heal, this.parting, this.healAll], () => {
        this.cut.disabled = a === b || cut || !live.running;
        this.heal.disabled = a === b || !cut || !live.running;
        this.parting.disabled = !live.running;
        this.healAll.disabled = live.cuts.length === 0 || !live.running;
      });
    }
  }

  customElements.define('wk-live', Live);
})();
