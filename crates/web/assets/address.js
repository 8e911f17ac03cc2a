// The link that lasts: reads and writes the fragment `#PROTOCOL?key=value&...`, in which the scenario, the run
// and the look of the page are kept. It knows no server and never holds a state number, only keys of states.
(function () {
  'use strict';
  const WK = (window.WK = window.WK || {});
  const OWN = new Set(['run', 'loop', 'at', 'only', 'col', 'tab', 'times', 'clients']);

  function decode(text) {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  }

  function encode(text) {
    return encodeURIComponent(text)
      .replace(/[!'()*]/g, (c) => '%' + c.charCodeAt(0).toString(16).toUpperCase())
      .replace(/%(2C|3A|2F|40)/g, (c) => decodeURIComponent(c));
  }

  function whole(text) {
    return /^\d{1,9}$/.test(text) ? Number(text) : null;
  }

  function empty() {
    return { token: null, protocol: '', settings: {}, clients: null, run: null, loop: null, at: null, only: null, cols: [], tab: null, times: [] };
  }

  /** Reads a fragment, with or without `#`, or a whole address with one. */
  function parse(text) {
    const found = empty();
    let rest = text.trim();
    if (rest.includes('#')) rest = rest.slice(rest.indexOf('#') + 1);
    const token = /^token=([^&]*)&?/.exec(rest);
    if (token) {
      found.token = decode(token[1]);
      rest = rest.slice(token[0].length);
    }
    const mark = rest.indexOf('?');
    found.protocol = decode(mark < 0 ? rest : rest.slice(0, mark));
    if (mark < 0) return found;
    for (const pair of rest.slice(mark + 1).split('&')) {
      if (!pair) continue;
      const equals = pair.indexOf('=');
      const key = decode(equals < 0 ? pair : pair.slice(0, equals));
      const value = equals < 0 ? 'true' : decode(pair.slice(equals + 1));
      if (!OWN.has(key)) found.settings[key] = value;
      else if (key === 'col') found.cols.push(value);
      else if (key === 'loop' || key === 'at' || key === 'clients') found[key] = whole(value);
      else if (key === 'only') found.only = value ? value.split(',') : null;
      else if (key === 'times') found.times = times(value);
      else found[key] = value || null;
    }
    return found;
  }

  function times(text) {
    const picks = [];
    for (const pick of text.split(',')) {
      const colon = pick.indexOf(':');
      const step = colon < 0 ? null : whole(pick.slice(0, colon));
      if (step !== null) picks.push([step, pick.slice(colon + 1)]);
    }
    return picks;
  }

  /** The fragment of an address, with its `#`. */
  function format(address) {
    const pairs = [];
    const put = (key, value) => pairs.push(encode(key) + '=' + encode(String(value)));
    for (const [key, value] of Object.entries(address.settings || {})) {
      if (value !== '' && value !== null && value !== undefined) put(key, value);
    }
    if (address.clients) put('clients', address.clients);
    if (address.run) put('run', address.run);
    if (address.loop !== null && address.loop !== undefined) put('loop', address.loop);
    if (address.at !== null && address.at !== undefined) put('at', address.at);
    if (address.only) put('only', address.only.join(','));
    if (address.times && address.times.length) put('times', address.times.map(([k, t]) => k + ':' + t).join(','));
    for (const col of address.cols || []) put('col', col);
    if (address.tab && address.tab !== 'steps') put('tab', address.tab);
    return '#' + encode(address.protocol) + (pairs.length ? '?' + pairs.join('&') : '');
  }

  WK.address = { parse, format, empty };
})();
