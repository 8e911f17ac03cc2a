// Small things that every part of the page uses: building elements (always by text, never by markup), saying aloud
// what happened, showing errors, the progress of a job, and drawings of the server in a sheet of their own.
(function () {
  'use strict';
  const WK = (window.WK = window.WK || {});

  /** Builds an element. `on` holds listeners, `data` data attributes; everything else is an attribute. */
  function h(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (name === 'on') for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
      else if (name === 'data') Object.assign(element.dataset, value);
      else if (name === 'value' || name === 'checked' || name === 'disabled' || name === 'open') element[name] = value;
      else element.setAttribute(name, value === true ? '' : value);
    }
    add(element, children);
    return element;
  }

  function add(element, children) {
    for (const child of children) {
      if (Array.isArray(child)) add(element, child);
      else if (child !== null && child !== undefined && child !== false) element.append(child);
    }
  }

  function fill(element, ...children) {
    element.replaceChildren();
    add(element, children);
    return element;
  }

  /** Puts these children into an element in this order. Those that are there already do not move: they keep the focus and a press that has begun. */
  function arrange(element, ...children) {
    const wanted = children.flat().filter(Boolean);
    for (const old of [...element.children]) if (!wanted.includes(old)) old.remove();
    wanted.forEach((child, i) => element.children[i] !== child && element.insertBefore(child, element.children[i] || null));
  }

  /** Fills again what may have the focus: what stands in the same place then gets it. */
  function refill(element, ...children) {
    const all = () => [...element.querySelectorAll('button,input,select,summary')];
    const at = all().indexOf(document.activeElement);
    fill(element, ...children);
    if (at < 0) return element;
    const now = all();
    const next = [...now.slice(at), ...now.slice(0, at).reverse()].find((one) => !one.disabled);
    if (next) next.focus({ preventScroll: true });
    return element;
  }

  /** Switches buttons on and off. One that has the focus and is switched off hands it to the first that is on. */
  function handOver(buttons, change) {
    const focused = buttons.find((one) => one === document.activeElement);
    change();
    const next = focused && focused.disabled && buttons.find((one) => !one.disabled);
    if (next) next.focus({ preventScroll: true });
  }

  const hidden = (text) => h('span', { class: 'aloud' }, text);
  const number = (n) => Number(n).toLocaleString('en-US');
  const plural = (n, one, many) => number(n) + ' ' + (n === 1 ? one : many || one + 's');

  /** For screen readers: what happened, politely. */
  function say(text) {
    const region = document.getElementById('said');
    if (region) region.textContent = text;
  }

  function fail(error) {
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof Error && !(error instanceof WK.api.Failure)) console.error(error);
    document.dispatchEvent(new CustomEvent('wk-error', { detail: { message, status: error.status } }));
  }

  /** Runs what a listener starts, and shows its error at the top of the page. */
  const tried = (work) => (...given) => Promise.resolve().then(() => work(...given)).catch(fail);

  const MARKS = { holds: '✓', violated: '✗', unknown: '?', impossible: '·' };
  const verdict = (word) => h('span', { class: 'verdict ' + word }, h('span', { 'aria-hidden': 'true' }, (MARKS[word] || '·') + ' '), word);

  /** Does work a little later, once for all who ask until then; `now` does it at once instead. */
  const later = (ms, work) => {
    let timer = 0;
    const ask = (...given) => {
      clearTimeout(timer);
      timer = setTimeout(() => work(...given), ms);
    };
    ask.now = (...given) => {
      clearTimeout(timer);
      work(...given);
    };
    return ask;
  };

  function table(caption, header, rows, attributes) {
    return h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption },
      h('table', attributes || {}, h('caption', { class: 'aloud' }, caption),
        h('thead', {}, h('tr', {}, header.map((cell) => h('th', { scope: 'col' }, cell)))),
        h('tbody', {}, rows.map((row) => h('tr', row.attributes || {}, (row.cells || row).map((cell, i) => (i ? h('td', {}, cell) : h('th', { scope: 'row' }, cell))))))));
  }

  /** What is wrong. A mark below a place in a formula needs letters of one width. */
  const marked = (text) => (/\n *\^/.test(text) ? h('code', {}, text) : text);

  /** The scenario in a line. */
  const scenario = (protocol, settings) => protocol + Object.entries(settings || {}).map(([name, value]) => ', ' + name + ' ' + value).join('');

  let uniques = 0;
  const unique = (name) => name + '-' + ++uniques;

  function field(label, input, help) {
    const id = input.id || (input.id = unique('field'));
    const hint = help ? h('small', { id: id + '-help' }, help) : null;
    if (hint) input.setAttribute('aria-describedby', hint.id);
    return h('div', { class: 'field' }, h('label', { for: id }, label), input, hint);
  }

  function save(name, mime, content) {
    const url = URL.createObjectURL(new Blob([content], { type: mime }));
    const link = h('a', { href: url, download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  }

  function dark() {
    const theme = document.documentElement.dataset.theme;
    return theme === 'dark' || (theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  }

  /** The progress of one job at a time, with a button that cancels it. */
  class Job extends HTMLElement {
    /** Nobody waits for the answer any more. */
    end() {
      if (this.stop) this.stop.abort();
      this.stop = null;
      fill(this);
      this.removeAttribute('aria-busy');
    }

    /** What is wrong with the question, instead of an answer. */
    refuse(why) {
      this.end();
      fill(this, h('p', { class: 'wrong', role: 'alert' }, why));
    }

    /** Gives the last answer, or null if the job failed; its error is then shown here. */
    async follow(path, body) {
      if (this.stop) this.stop.abort();
      const stop = (this.stop = new AbortController());
      const text = h('span', { class: 'job-text' }, 'starting');
      const bar = h('progress', { max: '1', 'aria-label': 'progress' });
      const button = h('button', { type: 'button', data: { testid: 'cancel' }, on: { click: () => stop.abort() } }, 'Cancel');
      fill(this, h('div', { class: 'job' }, bar, text, button));
      this.setAttribute('aria-busy', 'true');
      // On a narrow screen the form stands above, and one would see nothing of what was begun.
      const box = this.getBoundingClientRect();
      if (box.top < 0 || box.bottom > innerHeight) this.scrollIntoView({ block: 'start' });
      try {
        const done = await WK.api.job(path, body, (state) => {
          const progress = state.progress || {};
          if (progress.text) text.textContent = progress.text;
          if (typeof progress.fraction === 'number') bar.value = progress.fraction;
        }, stop.signal);
        if (this.stop !== stop) return null;
        fill(this, done.status === 'cancelled' && h('p', { class: 'hint' }, done.result ? 'Cancelled. What was found before is shown.' : 'Cancelled.'));
        if (done.status === 'cancelled') say('Cancelled.');
        return done;
      } catch (error) {
        if (this.stop !== stop) return null;
        fill(this, h('p', { class: 'wrong', role: 'alert' }, marked(error.message)));
        if ([0, 401, 410].includes(error.status)) fail(error);
        return null;
      } finally {
        if (this.stop === stop) this.removeAttribute('aria-busy');
      }
    }
  }

  const OWN_LOOK = ':host{display:block}svg{display:block}.step{cursor:pointer}text.step:hover,tspan.step:hover{text-decoration:underline}';
  const LOOKS = [
    '.here{fill:#ffe08a;opacity:.55}.here-edge{fill:#915900}.step{fill:#1f5fd0}.step.now{font-weight:700;fill:#1f2328}',
    '.here{fill:#6b4e00;opacity:.55}.here-edge{fill:#dda73a}.step{fill:#6cb0ff}.step.now{font-weight:700;fill:#fff}',
  ];

  /**
   * A drawing of the server. Its style element would be refused by the page's policy, so its rules become a style
   * sheet of this element's shadow, with the colours of the page's theme.
   */
  class Drawing extends HTMLElement {
    constructor() {
      super();
      this.attachShadow({ mode: 'open' });
      this.zoom = 0;
      this.shadowRoot.addEventListener('click', (event) => {
        const step = event.target.closest && event.target.closest('.step');
        if (step) this.dispatchEvent(new CustomEvent('step', { detail: Number(step.dataset.step) }));
      });
      this.themed = () => this.svg && this.dress();
    }

    connectedCallback() {
      document.addEventListener('wk-theme', this.themed);
      if (this.svg) this.dress();
    }

    disconnectedCallback() {
      document.removeEventListener('wk-theme', this.themed);
    }

    show(text) {
      // A number that is being pressed stays where it is.
      if (this.svg && text === this.text) return this;
      this.text = text;
      this.rules = '';
      const bare = text.replace(/<style[^>]*>([\s\S]*?)<\/style>/g, (_, rules) => ((this.rules += rules), ''));
      const parsed = new DOMParser().parseFromString(bare, 'image/svg+xml');
      const root = parsed.documentElement;
      if (root.nodeName !== 'svg' || parsed.querySelector('parsererror')) throw new Error('The drawing of the server is no SVG.');
      for (const bad of root.querySelectorAll('script,foreignObject')) bad.remove();
      this.svg = document.importNode(root, true);
      this.shadowRoot.replaceChildren(this.svg);
      this.gather();
      this.dress();
      this.size();
      return this;
    }

    dress() {
      const sheet = new CSSStyleSheet();
      const own = new CSSStyleSheet();
      sheet.replaceSync(this.rules);
      const night = dark();
      for (let i = sheet.cssRules.length - 1; i >= 0; i--) {
        const rule = sheet.cssRules[i];
        if (!(rule instanceof CSSMediaRule) || !rule.conditionText.includes('prefers-color-scheme')) continue;
        const inner = [...rule.cssRules].map((r) => r.cssText);
        sheet.deleteRule(i);
        if (night === rule.conditionText.includes('dark')) inner.reverse().forEach((r) => sheet.insertRule(r, i));
      }
      own.replaceSync(OWN_LOOK + LOOKS[night ? 1 : 0]);
      this.shadowRoot.adoptedStyleSheets = [sheet, own];
    }

    /** The names above the lines and the numbers beside them, which stay in sight while one scrolls. */
    gather() {
      const names = [...this.svg.querySelectorAll(':scope > text.name')];
      const top = Math.min(...names.map((name) => Number(name.getAttribute('y'))));
      this.heads = document.createElementNS('http://www.w3.org/2000/svg', 'g');
      for (const name of names) {
        const box = name.previousElementSibling;
        if (Number(name.getAttribute('y')) === top && box && box.matches('rect.box')) this.heads.append(box, name);
      }
      // Plots and maps have no names.
      if (!this.heads.firstChild) return;
      this.numbers = document.createElementNS('http://www.w3.org/2000/svg', 'g');
      this.numbers.append(...new Set([...this.svg.querySelectorAll('.step')].map((step) => step.closest('text') || step)));
      // Beside the drawing they need no ground; over it they would be hard to read.
      this.strip = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
      for (const [name, value] of Object.entries({ class: 'paper', width: 30, height: '100%' })) this.strip.setAttribute(name, value);
      this.numbers.prepend(this.strip);
      this.svg.append(this.numbers, this.heads);
      this.follow();
    }

    follow() {
      const { parentElement: sheet, heads, numbers, svg } = this;
      if (!sheet || !heads || !heads.firstChild) return;
      if (this.followed !== sheet) sheet.addEventListener('scroll', () => this.follow(), { passive: true });
      this.followed = sheet;
      const scale = (svg.wkNatural ? svg.wkNatural[1] : 0) / (Number(svg.getAttribute('height')) || 1);
      const start = Number(heads.firstChild.getAttribute('y'));
      heads.setAttribute('transform', 'translate(0 ' + Math.max(0, Math.round(sheet.scrollTop * scale - start + 4)) + ')');
      this.strip.setAttribute('visibility', sheet.scrollLeft > 0 ? 'visible' : 'hidden');
      numbers.setAttribute('transform', 'translate(' + Math.round(sheet.scrollLeft * scale) + ' 0)');
    }

    /** Zoom 0 fits the drawing to its place as far as it stays legible. */
    size() {
      if (!this.svg) return;
      const [width, height] = ['width', 'height'].map((name) => parseFloat(this.svg.getAttribute(name)) || 0);
      if (!this.svg.wkNatural) this.svg.wkNatural = [width, height];
      const [w, t] = this.svg.wkNatural;
      const room = this.parentElement ? this.parentElement.clientWidth - 2 : 0;
      const zoom = this.zoom || (room > 50 ? Math.min(1, Math.max(0.8, room / w)) : 1);
      this.svg.setAttribute('width', Math.round(w * zoom));
      this.svg.setAttribute('height', Math.round(t * zoom));
      this.follow();
    }

    /** The number of a step. Several steps may share a row, which then has the number of the last. */
    number(step) {
      return [...this.svg.querySelectorAll('.step')].find((one) => Number(one.dataset.step) === step || one.firstChild.textContent.split(',').includes(String(step)));
    }

    /** Marks a step; gives the place of its row in pixels of the element, from what is drawn in it first to last, to scroll there. */
    mark(step) {
      if (!this.svg) return null;
      for (const old of this.svg.querySelectorAll('.here,.here-edge')) old.remove();
      for (const old of this.svg.querySelectorAll('.step.now')) old.classList.remove('now');
      const number = step > 0 && this.number(step);
      if (!number) return null;
      number.classList.add('now');
      const place = number.closest('text') || number;
      const y = parseFloat(place.getAttribute('y'));
      const view = (this.svg.getAttribute('viewBox') || '').split(/\s+/).map(Number);
      if (!(y >= 0) || view.length !== 4) return null;
      const rect = (name, width) => {
        const r = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
        const set = { class: name, x: view[0], y: y - 18, width, height: 27 };
        for (const [k, v] of Object.entries(set)) r.setAttribute(k, v);
        return r;
      };
      const zoom = this.svg.getBoundingClientRect().height / view[3];
      const drawn = [...this.svg.querySelectorAll(':scope > :is(text, path, circle, rect):not(.step, .paper, .box)')].map((e) => e.getBBox())
        .filter((box) => box.height < 60 && box.y < y + 7 && box.y + box.height > y - 15);
      const left = drawn.length ? Math.min(...drawn.map((box) => box.x)) : 0;
      const right = Math.max(left, ...drawn.map((box) => box.x + box.width));
      const paper = this.svg.querySelector('.paper');
      const band = rect('here', view[2]);
      if (paper) paper.after(band, rect('here-edge', 4));
      else this.svg.prepend(band, rect('here-edge', 4));
      return { top: y * zoom, left: left * zoom, right: right * zoom };
    }
  }

  customElements.define('wk-job', Job);
  customElements.define('wk-drawing', Drawing);
  Object.assign(WK, { h, fill, refill, arrange, handOver, hidden, number, plural, say, fail, tried, verdict, MARKS, later, marked, scenario, table, unique, field, save, dark });
})();
