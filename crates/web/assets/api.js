// Requests to the server that served this page: the token, errors as sentences, long jobs with progress and
// cancel, and the answers of an export that opens from disk. No other origin is ever asked.
(function () {
  'use strict';
  const WK = (window.WK = window.WK || {});
  const exported = window.WATCHKEEPER_STATIC || null;
  /** The jobs that run for this page. */
  const running = new Set();
  /** A browser drops its connections when a network of the machine comes or goes, and then asks again with success. */
  const PAUSES = [100, 300, 1000];
  /** Requests that may be made twice: they begin and do nothing. All others have a name, under which they are done once. */
  const AGAIN = /^\/api\/(program|open|state|run|resolve|walk|chart|columns|export|live|live\/chart\?.*|job\/\d+|import\/\d+)$/;
  const LEFT = 'This is an export. Open the link in `watchkeeper explore` to leave the run.';
  let token = null;

  /** What the server refuses, or that it does not answer (status 0). */
  class Failure extends Error {
    constructor(status, message) {
      super(message);
      this.status = status;
    }
  }

  function keep(value) {
    token = value;
    try {
      sessionStorage.setItem('watchkeeper-token', value);
    } catch {
      // Without storage the token lasts until the page is reloaded.
    }
  }

  function kept() {
    if (token) return token;
    try {
      token = sessionStorage.getItem('watchkeeper-token');
    } catch {
      token = null;
    }
    return token;
  }

  async function request(method, path, body) {
    if (exported) return answer(path, body);
    const headers = { 'x-watchkeeper-token': kept() || '' };
    if (body !== undefined) headers['content-type'] = 'application/json';
    if (!AGAIN.test(path)) headers['x-watchkeeper-once'] = [...crypto.getRandomValues(new Uint32Array(4))].map((n) => n.toString(36)).join('-');
    let response;
    let text;
    for (let k = 0; text === undefined; k++) {
      try {
        response = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body), cache: 'no-store' });
        text = await response.text();
      } catch {
        if (k === PAUSES.length) throw new Failure(0, 'The server does not answer. Start `watchkeeper explore` again and open the address that it prints.');
        await pause(PAUSES[k]);
      }
    }
    let found = null;
    try {
      found = JSON.parse(text);
    } catch {
      found = null;
    }
    if (!response.ok) throw new Failure(response.status, (found && found.error) || 'The server answered ' + response.status + '.');
    if (found === null) throw new Failure(502, 'The answer of the server to ' + path + ' is no JSON.');
    return found;
  }

  const get = (path) => request('GET', path);
  const post = (path, body) => request('POST', path, body);

  /** The answers of an export: only what lies on its run. */
  async function answer(path, body) {
    const is = (name) => path === '/api/' + name;
    if (is('program')) return exported.program;
    if (is('open')) return exported.open;
    if (is('run') || is('resolve')) return { missing: null, ...exported.run };
    if (is('state') && exported.states[body.state]) return exported.states[body.state];
    if (is('chart') && exported.chart) {
      const total = exported.run.steps.length;
      return { from: 0, to: total, total, times: null, ...exported.chart };
    }
    if (is('export') && exported.exports && exported.exports[body.form]) return exported.exports[body.form];
    throw new Failure(422, LEFT);
  }

  /**
   * Starts a job and follows it to its end. `seen` is called with every answer; `signal` cancels. Gives the last
   * answer, of which a cancelled one may still have a result.
   */
  async function job(path, body, seen, signal) {
    let state = await post(path, body);
    const number = state.job;
    const began = performance.now();
    let cancelled = false;
    running.add(number);
    try {
      for (;;) {
        if (signal && signal.aborted && !cancelled) {
          cancelled = true;
          state = await post('/api/job/' + number + '/cancel', {});
        } else {
          state = await get('/api/job/' + number);
        }
        if (seen) seen(state);
        if (state.status === 'failed') throw new Failure(422, state.error || 'The job failed.');
        if (state.status !== 'running') return state;
        await pause(performance.now() - began < 5000 ? 200 : 1000, cancelled ? null : signal);
      }
    } finally {
      running.delete(number);
    }
  }

  // Nobody could cancel them any more when the page has gone, and only a few may run at once.
  addEventListener('pagehide', () => {
    for (const number of running) fetch('/api/job/' + number + '/cancel', { method: 'POST', keepalive: true, body: '{}', headers: { 'x-watchkeeper-token': kept() || '', 'content-type': 'application/json' } }).catch(() => {});
  });

  function pause(ms, signal) {
    return new Promise((done) => {
      const end = () => {
        clearTimeout(timer);
        if (signal) signal.removeEventListener('abort', end);
        done();
      };
      const timer = setTimeout(end, ms);
      if (signal) signal.addEventListener('abort', end);
    });
  }

  WK.api = { get, post, job, keep, kept, Failure, exported, LEFT };
})();
