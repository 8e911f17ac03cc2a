// The page as a whole: it starts from the address or the command line, shows the chosen view, binds the keys, and says
// what to do when the server has gone. Every view draws itself when the session changes.
(function () {
  'use strict';
  const WK = window.WK;
  const { h, fill, session, api } = WK;
  const $ = (id) => document.getElementById(id);
  const TABS = [['steps', 'Steps'], ['verdict', 'Verdict'], ['sweep', 'Sweep'], ['classes', 'Classes'], ['measure', 'Measure'], ['graph', 'Graph'], ['live', 'Live'], ['open', 'Open']];
  const KEYS = [
    ['j, →', 'one step forward along the run'], ['k, b, ←', 'one step back'], ['Home, End', 'to the start, to the end of the run'], ['1 to 9', 'take the enabled step of this number'],
    ['r', 'random walk'], ['p', 'let time pass until something else can happen, where it passes in ticks'], ['u', 'write a formula, and walk until it holds'], ['/', 'filter the enabled steps'], ['c', 'copy the link'], ['g s, g v, g o, g w, g c, g m, g g, g l', 'go to steps, verdict, open, sweep, classes, measure, graph, live'],
    ['t', 'next theme'], ['?', 'this help'], ['Escape', 'close, or leave an input'],
  ];
  const views = (name) => document.querySelector('wk-' + name);
  let tabs = [];

  // Notices

  function notice(id, kind, children, close) {
    const old = document.querySelector('[data-notice="' + id + '"]');
    if (old) old.remove();
    if (!children) return null;
    const box = h('div', { class: 'notice ' + kind, role: kind === 'bad' ? 'alert' : 'status', data: { notice: id, testid: id } }, h('div', {}, children),
      close !== false && h('button', { type: 'button', class: 'quiet', 'aria-label': 'Dismiss', on: { click: () => box.remove() } }, '×'));
    $('notices').append(box);
    return box;
  }

  let reopening = false;
  document.addEventListener('wk-error', async ({ detail }) => {
    if (detail.status === 401 || detail.status === 0) return askToken(detail.message);
    if (detail.status === 410 && session.open && !reopening) {
      reopening = true;
      try {
        await session.reopen();
        const told = notice('error', 'good', 'The server was restarted. The page has opened the same run again by its address.');
        setTimeout(() => told.remove(), 10000);
      } catch (error) {
        notice('error', 'bad', detail.message + ' ' + error.message);
      } finally {
        reopening = false;
      }
      return;
    }
    notice('error', 'bad', detail.message);
  });

  function askToken(message) {
    const input = h('input', { type: 'text', 'aria-label': 'Address that the terminal printed', placeholder: 'http://127.0.0.1:8080/#token=...', spellcheck: 'false', autocomplete: 'off', data: { testid: 'token' } });
    const use = (event) => {
      event.preventDefault();
      const text = input.value.trim();
      const found = WK.address.parse(text.includes('#') ? text : '#token=' + text);
      if (!found.token) return;
      const other = /^https?:\/\/[^/#]+/.exec(text);
      if (other && other[0] !== location.origin) {
        const here = session.open ? WK.address.format(session.address()).slice(1) : location.hash.slice(1);
        location.href = other[0] + '/#token=' + encodeURIComponent(found.token) + '&' + (here || found.protocol);
        return;
      }
      api.keep(found.token);
      notice('error', 'bad', null);
      if (session.open) session.reopen().catch(WK.fail);
      else start(found.protocol ? found : null);
    };
    notice('error', 'bad', [h('p', {}, message), h('form', { class: 'inline', on: { submit: use } }, h('label', {}, 'Paste the address that the terminal printed: ', input), h('button', { type: 'submit', class: 'main' }, 'Go on'))], false);
  }

  // Tabs

  function drawTabs() {
    const live = session.program && session.program.live;
    const static_ = api.exported;
    tabs = TABS.filter(([name]) => (name !== 'live' || live) && (!static_ || name === 'steps' || (name === 'verdict' && static_.verdict)));
    const list = $('tabs');
    fill(list, tabs.map(([name, label]) => h('button', { type: 'button', role: 'tab', id: 'tab-' + name, 'aria-controls': 'panel-' + name, data: { testid: 'tab-' + name }, on: { click: () => session.choose(name) } }, label)));
    for (const panel of document.querySelectorAll('[role=tabpanel]')) if (!$(panel.getAttribute('aria-labelledby'))) panel.removeAttribute('aria-labelledby');
  }

  function showTab() {
    if (!tabs.some(([name]) => name === session.tab)) session.tab = 'steps';
    const left = document.activeElement.closest('[role=tabpanel]');
    for (const [name] of TABS) {
      const chosen = name === session.tab;
      $('panel-' + name).hidden = !chosen;
      const tab = $('tab-' + name);
      if (!tab) continue;
      tab.setAttribute('aria-selected', String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
    }
    document.body.dataset.tab = session.tab;
    // What had the focus is out of sight now.
    if (left && left.hidden) $('main').focus();
  }

  $('tabs').addEventListener('keydown', (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const i = tabs.findIndex(([name]) => name === session.tab);
    const [name] = tabs[(i + by + tabs.length) % tabs.length];
    session.choose(name);
    $('tab-' + name).focus();
  });

  // Drawing

  session.addEventListener('change', ({ detail: what }) => {
    if (what === 'scenario') drawScenario();
    if (what === 'scenario' || what === 'tab') showTab();
    if (!session.open && session.tab !== 'live') return;
    if (session.tab === 'steps') drawSteps(what);
    else if (what !== 'tab') pending = what === 'scenario' || pending === 'scenario' ? 'scenario' : 'run';
    const view = session.tab !== 'steps' && views(session.tab);
    if (view && view.draw) view.draw(what);
  });

  let pending = null;
  function drawSteps(what) {
    if (what === 'tab') what = pending || (views('run').found ? 'stand' : 'scenario');
    pending = null;
    views('controls').draw();
    views('run').draw(what);
    views('table').draw(what);
    views('alternatives').draw();
    if (what !== 'look') views('state').render().catch(WK.fail);
  }

  function drawScenario() {
    const { open, program } = session;
    notice('error', 'bad', null);
    views('controls').reset();
    document.title = open.title + ' · ' + program.name;
    $('title').textContent = session.protocol;
    const short = Object.entries(session.settings).map(([name, value]) => h('span', {}, name + ' ', h('b', {}, value)));
    fill($('short'), h('span', {}, open.title.startsWith(session.protocol + ', ') ? open.title.slice(session.protocol.length + 2) : open.title), h('span', {}, open.time), short);
    fill($('command'), 'In a terminal: ', h('code', {}, open.command));
    fill($('atoms'), open.atoms.slice(0, 500).map((atom) => h('option', { value: atom })));
    const { missing } = session;
    notice('missing', 'warn', missing && [h('p', {}, h('strong', {}, 'The link leads only to step ' + session.run.steps.length + '. '), missing.why),
      missing.enabled && missing.enabled.length > 0 && h('details', {}, h('summary', {}, 'What is enabled there'), h('ul', {}, missing.enabled.map((label) => h('li', {}, label))))]);
  }

  views('run').addEventListener('times', () => {
    const table = views('table');
    table.times = session.open.time === 'dense' ? (k) => views('run').time(k) : null;
    table.draw('stand');
  });

  views('state').addEventListener('shown', ({ detail: { state, last } }) => {
    views('steps').show(state);
    const { at, run, round } = session;
    const text = at === 0 && !last ? 'initial state' : last ? last.label : run.labels[at - 1];
    fill($('last'), h('b', {}, at === 0 ? 'Start ' : 'Step ' + at + ' '), text);
    WK.say('Step ' + at + ' of ' + run.steps.length + (round > 1 ? ', round ' + round : '') + ': ' + text + '. ' + (state.stuck ? state.stuck + '. ' : '') + WK.plural(state.steps.length, 'step') + ' enabled.');
  });
  views('steps').addEventListener('preview', ({ detail }) => views('state').preview(detail));

  // Keys

  const stored = (name) => {
    try {
      return localStorage.getItem('watchkeeper-' + name);
    } catch {
      return null;
    }
  };
  const store = (name, value) => {
    try {
      localStorage.setItem('watchkeeper-' + name, value);
    } catch {
      // The choice then lasts as long as the page.
    }
  };

  let keysOn = stored('keys') !== 'off';
  let prefix = -Infinity;
  function key(event) {
    const target = event.target;
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const typing = target.closest && target.closest('input,textarea,select,[contenteditable]') && !(event.key.trim().length === 1 && target.matches('[type=range],[type=checkbox],[type=radio]'));
    if (event.key === 'Escape' && typing && !target.closest('dialog')) return target.blur();
    if (event.key === 'Escape') return closeMenus();
    if (typing || document.querySelector('dialog[open]')) return;
    const own = target.closest && target.closest('[data-keys]');
    const name = event.key;
    // When the keys were pressed counts, not when a busy page came to look at them.
    const went = event.timeStamp - prefix < 1500;
    prefix = -Infinity;
    if (went && keysOn) {
      const tab = { s: 'steps', v: 'verdict', o: 'open', w: 'sweep', c: 'classes', m: 'measure', g: 'graph', l: 'live' }[name];
      if (tab && tabs.some(([t]) => t === tab)) return event.preventDefault(), session.choose(tab), $('tab-' + tab).focus();
    }
    if (/^Arrow|^Home$|^End$/.test(name) && (own || session.tab !== 'steps' || (target.closest && target.closest('.sheet,.scroll,[role=tablist]')))) return;
    if (name.length === 1 && !keysOn && name !== '?') return;
    const steps = session.tab === 'steps' && session.open;
    const actions = {
      '?': help, c: copyLink, t: nextTheme, g: () => (prefix = event.timeStamp),
      ...(steps && {
        j: () => session.forward(), ArrowRight: () => session.forward(), k: () => session.back(), b: () => session.back(), ArrowLeft: () => session.back(),
        Home: () => session.stand(0), End: () => session.stand(session.run.steps.length),
        ...(!api.exported && { r: () => views('controls').walk(), p: () => views('controls').pass(), u: () => views('controls').formula.focus() }),
        '/': () => views('steps').box.focus(),
      }),
    };
    const action = steps && /^[1-9]$/.test(name) ? () => views('steps').takeNumber(Number(name)) : actions[name];
    if (!action) return;
    event.preventDefault();
    action();
  }
  document.addEventListener('keydown', key);

  function closeMenus() {
    for (const menu of document.querySelectorAll('details.menu[open]')) {
      menu.open = false;
      menu.querySelector('summary').focus();
    }
  }
  document.addEventListener('click', (event) => {
    for (const menu of document.querySelectorAll('details.menu[open]')) if (!menu.contains(event.target)) menu.open = false;
  });

  function help() {
    const title = WK.unique('dialog');
    const on = h('input', { type: 'checkbox', checked: keysOn, on: { change: () => store('keys', (keysOn = on.checked) ? 'on' : 'off') } });
    const dialog = h('dialog', { 'aria-labelledby': title, data: { testid: 'help' }, on: { close: () => dialog.remove() } },
      h('div', { class: 'head' }, h('h2', { id: title }, 'Keys'), h('button', { type: 'button', class: 'quiet', 'aria-label': 'Close', on: { click: () => dialog.close() } }, '×')),
      h('table', { class: 'keys' }, h('tbody', {}, KEYS.map(([keys, what]) => h('tr', {}, h('th', { scope: 'row' }, keys.split(', ').map((k, i) => [i ? ' ' : '', h('kbd', {}, k)])), h('td', {}, what))))),
      h('label', {}, on, ' Keys of one letter are on'),
      h('p', { class: 'hint' }, 'Hover or focus a step to see what it would change. Click a step number in the chart to stand there. Taking another step in the middle of a run keeps the rest as a branch.'));
    document.body.append(dialog);
    dialog.showModal();
  }

  async function copyLink() {
    session.writeAddress(false);
    const link = api.exported ? WK.address.format(session.address()) : location.origin + location.pathname + WK.address.format(session.address());
    try {
      await navigator.clipboard.writeText(link);
      $('link-copy').textContent = 'Copied';
      WK.say('The link is copied.');
      setTimeout(() => ($('link-copy').textContent = 'Copy link'), 1500);
    } catch {
      const box = h('input', { type: 'text', readonly: true, value: link, 'aria-label': 'Link' });
      notice('link', 'info', ['Copy the link: ', box]);
      box.select();
    }
  }

  // Theme

  const THEMES = ['auto', 'light', 'dark'];
  function theme(name) {
    if (!THEMES.includes(name)) name = 'auto';
    $('theme').value = name;
    if (name === 'auto') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = name;
    store('theme', name);
    document.dispatchEvent(new CustomEvent('wk-theme'));
  }
  const nextTheme = () => theme(THEMES[(THEMES.indexOf($('theme').value) + 1) % 3]);
  theme(stored('theme'));
  $('theme').addEventListener('change', () => theme($('theme').value));
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => document.dispatchEvent(new CustomEvent('wk-theme')));

  $('settings-open').addEventListener('click', () => session.program && WK.settings.openDialog());
  $('link-copy').addEventListener('click', copyLink);
  $('help-open').addEventListener('click', help);
  $('skip').addEventListener('click', () => $('main').focus());
  addEventListener('resize', WK.later(100, () => document.querySelectorAll('wk-drawing').forEach((d) => d.size())));

  // Start

  addEventListener('popstate', () => {
    if (location.hash === session.written) return;
    const found = WK.address.parse(location.hash);
    if (found.token) return start(null);
    if (found.protocol) session.goTo({ ...found, tab: found.tab || 'steps' }).catch(WK.fail);
  });

  async function start(given) {
    const found = given || WK.address.parse(location.hash);
    if (found.token) {
      api.keep(found.token);
      history.replaceState(null, '', found.protocol ? WK.address.format(found) : location.pathname + location.search);
    }
    if (!api.exported && !api.kept()) return askToken('This page needs the address that `watchkeeper explore` printed: it contains a token, so that no other page can use the server.');
    try {
      session.program = await api.get('/api/program');
      drawTabs();
      $('settings-open').disabled = false;
      $('brand').textContent = session.program.alone ? '' : 'Watchkeeper';
      document.body.classList.toggle('exported', !!api.exported);
      const address = await first(found);
      if (address.import !== undefined && address.import !== null) await views('open').again(address.import);
      await session.openAddress(address);
    } catch (error) {
      WK.fail(error);
    }
  }

  /** What to open: the address, else what the command line said, else the first protocol. */
  async function first(found) {
    if (api.exported) {
      const link = found.protocol ? found : WK.address.empty();
      return { ...link, protocol: api.exported.program.start ? api.exported.program.start.protocol : link.protocol || api.exported.program.protocols[0].name, settings: api.exported.settings || {}, only: api.exported.only || null, times: api.exported.picks || [], run: 'exported', loop: api.exported.loop };
    }
    if (found.protocol) return found;
    const from = session.program.start;
    if (!from) return { ...WK.address.empty(), protocol: session.program.protocols[0].name, tab: session.program.live ? 'live' : null };
    return { ...WK.address.empty(), tab: session.program.live ? 'live' : from.import !== null && from.import !== undefined ? 'open' : null, protocol: from.protocol, settings: from.settings || {}, clients: from.clients || 0, run: from.run || null, loop: from.loop === undefined ? null : from.loop, import: from.import };
  }

  start(null);
})();
