// Who may ask, and what is refused: requests as no page of ours makes them, over real HTTP, and a page of somebody else's in
// the same browser. Every refusal is a sentence, and after all of them the server still answers.
import assert from 'node:assert/strict';
import { createServer, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { chrome, DEADLOCK, explore, goTo, stands, test, until } from './harness.mjs';

const BODY = 1 << 20;
/** So many states that a search of them does not end within a test. */
const LARGE = { protocol: 'ring', settings: { n: '6', crashes: '2', channel: 'drop:2' } };
const shared = explore(...DEADLOCK);
const opened = shared.then(async (server) => (await server.ask('/api/open', { protocol: 'ring', settings: { n: '3' } })).json());

/** One request as it is said here: fetch would not let a test name another host. */
function ask(server, path, { method = 'GET', headers = {}, body, hosts, chunks } = {}) {
  const to = new URL(server.origin);
  const all = Object.entries({ 'x-watchkeeper-token': server.token, ...(method === 'POST' && { 'content-type': 'application/json' }), ...headers });
  const said = all.filter(([, value]) => value !== null);
  for (const host of hosts || [to.host]) said.push(['host', host]);
  if (body !== undefined && !chunks) said.push(['content-length', String(Buffer.byteLength(body))]);
  return new Promise((done, fail) => {
    const asked = httpRequest({ host: to.hostname, port: to.port, path, method, setHost: false, headers: said.flat(), agent: false }, (answer) => {
      const parts = [];
      answer.on('data', (part) => parts.push(part));
      answer.on('error', fail);
      answer.on('end', () => {
        const text = Buffer.concat(parts).toString();
        done({ code: answer.statusCode, headers: answer.headers, text, json: () => JSON.parse(text) });
      });
    });
    // A server that has answered need not read on.
    asked.on('error', (error) => (asked.res ? null : fail(error)));
    if (chunks) for (const part of chunks) asked.write(part);
    asked.end(chunks ? undefined : body);
  });
}

const post = (server, path, body, more = {}) => ask(server, path, { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body), ...more });

/** Every answer says this of itself, also a refusal. */
function isGuarded(answer, what) {
  const { headers } = answer;
  for (const name of Object.keys(headers)) assert.ok(!name.startsWith('access-control-'), what + ' has ' + name);
  for (const rule of ["default-src 'none'", "script-src 'self'", "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"]) {
    assert.ok((headers['content-security-policy'] || '').includes(rule), what + ': the policy lacks ' + rule);
  }
  assert.doesNotMatch(headers['content-security-policy'], /unsafe|https?:|\*/);
  assert.equal(headers['x-content-type-options'], 'nosniff', what);
  assert.equal(headers['referrer-policy'], 'no-referrer', what);
  assert.equal(headers['cross-origin-resource-policy'], 'same-origin', what);
  assert.equal(headers['cache-control'], 'no-store', what);
}

/** A refusal has its code, a sentence, and nothing of the program inside. */
function isRefused(answer, code, what, says = /./) {
  assert.equal(answer.code, code, what + ': ' + answer.text.slice(0, 300));
  isGuarded(answer, what);
  const { error, ...rest } = answer.json();
  assert.match(error, /\w+ \w+ \w+/, what + ' has a sentence');
  assert.match(error, says, what);
  assert.deepEqual(rest, {}, what);
  assert.doesNotMatch(error, /panicked|\.rs\b|unwrap|Err\(/, what);
}

// Begun at once, so that the other tests run while the server waits for the rest.
const late = shared.then((server) => {
  const said = (text) => new Promise((done, fail) => {
    const began = Date.now();
    const socket = connect(Number(new URL(server.origin).port), '127.0.0.1', () => socket.write(text));
    let heard = '';
    socket.on('data', (bytes) => (heard += bytes));
    socket.on('error', fail);
    socket.on('close', () => done({ heard, seconds: (Date.now() - began) / 1000 }));
  });
  const host = 'host: ' + new URL(server.origin).host;
  const rest = [host, 'x-watchkeeper-token: ' + server.token, 'content-type: application/json', 'connection: close', 'content-length: 100', '', '{"space":'];
  return Promise.all([said(['POST /api/state HTTP/1.1', ...rest].join('\r\n')), said('GET / HTTP/1.1\r\n' + host + '\r\n')]);
});
late.catch(() => {});

test('answers to the page itself are guarded as well', async () => {
  const server = await shared;
  for (const path of ['/', '/app.js', '/style.css', '/api/program']) {
    const answer = await ask(server, path);
    assert.equal(answer.code, 200, path);
    isGuarded(answer, path);
  }
  const { space, initial } = await opened;
  const state = await post(server, '/api/state', { space, state: initial[0].state });
  assert.equal(state.code, 200);
  isGuarded(state, '/api/state');
  const port = new URL(server.origin).port;
  for (const hosts of [['localhost:' + port], ['127.0.0.1:' + port]]) assert.equal((await ask(server, '/api/program', { hosts })).code, 200, hosts[0]);
  assert.equal((await ask(server, '/', { headers: { 'x-watchkeeper-token': null } })).code, 200);
  const head = await ask(server, '/', { method: 'HEAD' });
  assert.deepEqual([head.code, head.text], [200, '']);
});

test('without the token nothing is told', async () => {
  const server = await shared;
  const wrong = [null, '', '0'.repeat(32), server.token.slice(1), server.token + '0', server.token.toUpperCase() + ' x', ' '];
  for (const token of wrong) {
    for (const path of ['/api/program', '/api/job/0', '/api/nothing']) {
      isRefused(await ask(server, path, { headers: { 'x-watchkeeper-token': token } }), 401, path + ' with ' + token, /token .*address that the terminal printed/);
    }
  }
  isRefused(await post(server, '/api/open', { protocol: 'ring', settings: {} }, { headers: { 'x-watchkeeper-token': null } }), 401, 'open');
  // Not in a query or a cookie: those end in histories, and are sent by browsers of their own accord.
  isRefused(await ask(server, '/api/program?token=' + server.token, { headers: { 'x-watchkeeper-token': null } }), 401, 'a query');
  isRefused(await ask(server, '/api/program', { headers: { 'x-watchkeeper-token': null, cookie: 'token=' + server.token } }), 401, 'a cookie');
  const page = (await ask(server, '/')).text + (await ask(server, '/app.js')).text;
  assert.ok(!page.includes(server.token), 'no file has the token');
});

test('a name that points here, other hosts and other pages are refused', async () => {
  const server = await shared;
  const { host, port } = new URL(server.origin);
  const foreign = [['rebound.example:' + port], ['rebound.example'], ['localhost.rebound.example:' + port], ['127.0.0.1.rebound.example:' + port], ['evil.localhost:' + port],
    ['127.0.0.1'], ['127.0.0.1:' + (Number(port) + 1)], ['0.0.0.0:' + port], ['192.168.0.1:' + port], ['[::]:' + port], [host + '@rebound.example'], ['']];
  for (const hosts of foreign) {
    for (const path of ['/', '/api/program']) isRefused(await ask(server, path, { hosts }), 403, path + ' of ' + hosts, /loopback/);
  }
  for (const hosts of [[host, 'rebound.example:' + port], ['rebound.example:' + port, host]]) {
    const both = await ask(server, '/api/program', { hosts });
    assert.ok([400, 403].includes(both.code), 'two hosts: ' + both.code);
    if (both.code === 403) isRefused(both, 403, 'two hosts');
  }
  // As a proxy would be asked: the address in the first line counts as well.
  isRefused(await ask(server, 'http://rebound.example:' + port + '/api/program'), 403, 'a whole address');
  for (const origin of ['https://rebound.example', 'http://rebound.example:' + port, 'null', 'http://127.0.0.1:' + (Number(port) + 1), 'https://' + host, 'http://127.0.0.1', 'file://']) {
    isRefused(await ask(server, '/api/program', { headers: { origin } }), 403, 'from ' + origin, /another page/);
    isRefused(await ask(server, '/', { headers: { origin } }), 403, 'the page from ' + origin, /another page/);
  }
  for (const site of ['cross-site', 'same-site', 'anything']) isRefused(await ask(server, '/api/program', { headers: { 'sec-fetch-site': site } }), 403, site, /another page/);
  assert.equal((await ask(server, '/api/program', { headers: { origin: server.origin, 'sec-fetch-site': 'same-origin' } })).code, 200);
});

test('what is no request is told in a sentence', async () => {
  const server = await shared;
  const { space, initial } = await opened;
  const state = initial[0].state;
  for (const [path, body, code, says] of [
    ['/api/state', { space, state: 4000000000 }, 410, /state/],
    ['/api/state', { space: 999, state }, 410, /space 999 .*open it again/],
    ['/api/state', { space }, 400, /state/],
    ['/api/state', { space, state: -1 }, 400, /state.* whole number/],
    ['/api/state', { space, state: 0.5 }, 400, /state.* whole number/],
    ['/api/state', { space: '0', state }, 400, /space.* whole number/],
    ['/api/state', [], 400, /space/],
    ['/api/state', 'null', 400, /space/],
    ['/api/state', '', 400, /space/],
    ['/api/state', '{"space": 0,', 400, /JSON/],
    ['/api/state', '\u0000\u0001', 400, /JSON/],
    ['/api/state', '['.repeat(100000), 400, /JSON/],
    ['/api/run', { space, start: state, steps: [999] }, 404, /no step 999/],
    ['/api/run', { space, start: state, steps: [0, 1e9] }, 404, /step 2/],
    ['/api/run', { space, start: state, steps: 'WPVeXwZf.OPWPOykd' }, 400, /steps/],
    ['/api/run', { space, start: state, steps: ['0'] }, 400, /steps/],
    ['/api/run', { space, start: 4000000000, steps: [] }, 410, /state/],
    ['/api/resolve', { space, run: [1, 2] }, 400, /run.* text/],
    ['/api/walk', { space, state, count: 'many' }, 400, /count.* whole number/],
    ['/api/walk', { space, state: 4000000000 }, 410, /state/],
    ['/api/chart', { space, start: state, steps: [], picks: 'late' }, 400, /picks/],
    ['/api/chart', { space, start: state, steps: [], only: [0] }, 400, /only/],
    ['/api/columns', { space, start: state, steps: [], expressions: Array(33).fill('true') }, 400, /at most 32/],
    ['/api/export', { space, start: state, steps: [], form: 'docx' }, 400, /none of svg/],
    ['/api/open', { protocol: 'rings', settings: {} }, 400, /rings/],
    ['/api/open', { protocol: 'ring', settings: { n: 'three' } }, 400, /three/],
    ['/api/open', { protocol: 'ring', settings: { nn: '3' } }, 400, /nn/],
    ['/api/open', { protocol: 'ring', settings: { n: 3 } }, 400, /text/],
    ['/api/open', { protocol: '../ring', settings: {} }, 400, /ring/],
    ['/api/open', {}, 400, /protocol/],
    ['/api/import', { files: [] }, 400, /file/],
    ['/api/import', { files: [{ name: '../../etc/passwd', text: 'root' }] }, 400, /line 1: .*object of JSON/],
  ]) {
    isRefused(await post(server, path, body), code, path + ' with ' + JSON.stringify(body).slice(0, 80), says);
  }
  for (const [path, code] of [['/api/job/77', 410], ['/api/job/x', 404], ['/api/job/-1', 404], ['/api/import/9', 404], ['/api/import/..%2f', 404], ['/api/live', 404], ['/api/', 404], ['/api/State', 404]]) {
    isRefused(await ask(server, path), code, path);
  }
  isRefused(await post(server, '/api/nothing', {}), 404, 'no such request', /no such request/);
  for (const type of [null, 'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/jsonp']) {
    isRefused(await post(server, '/api/state', { space, state }, { headers: { 'content-type': type } }), 415, 'type ' + type, /application\/json/);
  }
  assert.equal((await post(server, '/api/state', { space, state }, { headers: { 'content-type': 'Application/JSON; charset=utf-8' } })).code, 200);
  for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND']) {
    isRefused(await ask(server, '/api/state', { method }), 405, method, /only GET/);
    isRefused(await ask(server, '/', { method }), 405, method + ' of the page', /only GET/);
  }
  isRefused(await post(server, '/', {}), 405, 'a post to the page');
});

test('there are no files but those of the page', async () => {
  const server = await shared;
  for (const path of ['/../../Cargo.toml', '/..%2f..%2fCargo.toml', '/%2e%2e/%2e%2e/etc/passwd', '/....//etc/passwd', '//etc/passwd', '/./app.js', '/app.js/', '/app.js%00', '/assets/app.js', '/index.html.bak', '/\\..\\Cargo.toml', '/favicon.ico', '/api']) {
    isRefused(await ask(server, path), 404, path, /open \//);
  }
  const whole = await ask(server, '/app.js?v=1');
  assert.deepEqual([whole.code, whole.headers['content-type']], [200, 'text/javascript; charset=utf-8']);
});

test('a body that is too large is refused, whether or not it says so beforehand', async () => {
  const server = await shared;
  const { space, initial } = await opened;
  const large = JSON.stringify({ space, state: initial[0].state, more: 'x'.repeat(BODY) });
  isRefused(await post(server, '/api/state', large), 413, 'with its length', new RegExp(BODY));
  const chunks = Array.from({ length: 40 }, () => '"' + 'x'.repeat(BODY / 32) + '",');
  isRefused(await ask(server, '/api/state', { method: 'POST', chunks: ['[', ...chunks] }), 413, 'in pieces', new RegExp(BODY));
  // A file may be larger, up to its own limit.
  isRefused(await post(server, '/api/import', { files: [{ name: 'a.json', text: 'x'.repeat(2 * BODY) }] }), 400, 'a large file that is none');
  isRefused(await ask(server, '/api/import', { method: 'POST', chunks: ['{'], headers: { 'content-type': 'application/json', 'content-length': String((64 << 20) + 1) } }), 413, 'a file that says it is too large');
  const exact = JSON.stringify({ space, state: initial[0].state, more: '' });
  assert.equal((await post(server, '/api/state', exact.replace('""', '"' + 'x'.repeat(BODY - exact.length) + '"'))).code, 200, 'exactly the limit');
});

test('only so many searches run at once, and room comes back', async () => {
  const server = await explore(...DEADLOCK);
  const jobs = [];
  for (let k = 0; k < 4; k++) jobs.push((await (await server.ask('/api/check', LARGE)).json()).job);
  isRefused(await post(server, '/api/check', LARGE), 429, 'a fifth search', /4 searches run already.*cancel one/);
  isRefused(await post(server, '/api/sweep', LARGE), 429, 'a search of another kind');
  for (const job of jobs) assert.equal((await server.ask('/api/job/' + job + '/cancel', {})).status, 200);
  const status = async (job) => (await (await server.ask('/api/job/' + job)).json()).status;
  for (const job of jobs) await until('search ' + job + ' has ended', async () => (await status(job)) === 'cancelled' || status(job));
  assert.equal((await server.ask('/api/check', { protocol: 'ring', settings: { n: '2' } })).status, 200);
  await server.end();
});

/** A page of somebody else's, which tries what it can. */
async function foreignPage(explorer, token) {
  const script = `
    const E = ${JSON.stringify(explorer)}, token = ${JSON.stringify(token)};
    const tried = {};
    const json = { 'content-type': 'application/json' };
    const read = async (name, path, how) => {
      try { const a = await fetch(E + path, how); tried[name] = a.type + ':' + (await a.text()).length; } catch (e) { tried[name] = 'refused'; }
    };
    const loaded = (name, tag, make) => new Promise((done) => {
      const e = document.createElement(tag);
      e.onload = () => (tried[name] = 'loaded', done(e));
      e.onerror = () => (tried[name] = 'refused', done(e));
      make(e);
      document.body.append(e);
    });
    const body = JSON.stringify({ protocol: 'ring', settings: { n: '3' } });
    (async () => {
      await read('page', '/', {});
      await read('program', '/api/program', {});
      await read('program with the token', '/api/program', { headers: { 'x-watchkeeper-token': token } });
      await read('open with the token', '/api/open', { method: 'POST', body, headers: { ...json, 'x-watchkeeper-token': token } });
      await read('open without questions', '/api/open', { method: 'POST', body, mode: 'no-cors' });
      await read('page without questions', '/', { mode: 'no-cors' });
      await loaded('script', 'script', (e) => (e.src = E + '/app.js'));
      await loaded('style', 'link', (e) => (e.rel = 'stylesheet', e.href = E + '/style.css'));
      const frame = await loaded('frame', 'iframe', (e) => (e.src = E + '/#token=' + token));
      try { tried.inside = frame.contentDocument ? 'seen' : 'closed'; } catch { tried.inside = 'closed'; }
      await loaded('form', 'iframe', (e) => {
        e.name = 'target';
        const form = document.createElement('form');
        Object.assign(form, { method: 'post', enctype: 'text/plain', action: E + '/api/open', target: 'target' });
        const field = document.createElement('input');
        Object.assign(field, { name: '{"protocol":"ring","settings":{},"x":"', value: '"}' });
        form.append(field);
        document.body.append(form);
        setTimeout(() => form.submit());
        e.src = 'about:blank';
      });
      document.title = 'done';
    })();`;
  const asked = [];
  const server = createServer((request, answer) => {
    asked.push(request.url);
    answer.setHeader('content-type', request.url === '/try.js' ? 'text/javascript' : 'text/html');
    answer.end(request.url === '/try.js' ? script : '<!doctype html><title>trying</title><body><script src="/try.js"></script></body>');
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return { port: server.address().port, end: () => new Promise((done) => (server.closeAllConnections(), server.close(done))), asked };
}

test('a page of somebody else in the same browser gets nothing and does nothing', async ({ open }) => {
  const server = await explore(...DEADLOCK);
  const number = async () => (await (await server.ask('/api/open', { protocol: 'ring', settings: { n: '3' } })).json()).space;
  const before = await number();
  const foreign = await foreignPage(server.origin, server.token);
  const context = await (await chrome()).newContext();
  try {
    // One host with another port counts as the same site in a browser, and another name does not.
    for (const name of ['127.0.0.1', 'localhost']) {
      const page = await context.newPage();
      const frames = [];
      page.on('response', async (answer) => {
        if (answer.url().startsWith(server.origin) && answer.frame() !== page.mainFrame()) frames.push(answer.status());
      });
      await goTo(page, 'http://' + name + ':' + foreign.port + '/');
      await page.waitForFunction(() => document.title === 'done');
      const tried = await page.evaluate('tried');
      for (const what of ['page', 'program', 'program with the token', 'open with the token', 'script', 'style']) assert.equal(tried[what], 'refused', name + ': ' + what);
      // Without questions an answer is opaque: it has no content, if it comes at all.
      for (const what of ['open without questions', 'page without questions']) assert.match(tried[what], /^(refused|opaque:0)$/, name + ': ' + what);
      assert.equal(tried.inside, 'closed', name);
      const inner = page.frames().filter((frame) => frame !== page.mainFrame());
      for (const frame of inner) assert.equal(await frame.locator('#tabs, article.process').count(), 0, name + ': nothing of the page is in a frame');
      await page.close();
    }
    // A name of somebody else that points here.
    const page = await context.newPage();
    const answer = await goTo(page, 'http://evil.localhost:' + new URL(server.origin).port + '/');
    assert.equal(answer.status(), 403);
    assert.match(await page.locator('body').innerText(), /loopback address/);
  } finally {
    await context.close();
    await foreign.end();
  }
  assert.equal(await number(), before + 1, 'no space was opened behind our back');
  const page = await open(server.address);
  await stands(page, 0, 0);
});

test('who is too slow is not waited for', async () => {
  const [body, head] = await late;
  assert.match(body.heard, /^HTTP\/1.1 408/);
  assert.match(body.heard, /"error":"[^"]*not arrive in time/);
  for (const { seconds } of [body, head]) assert.ok(seconds > 5 && seconds < 60, seconds + ' s');
});

test('after all that the server still answers, and still ends when it is asked to', { refusals: ['ERR_CONNECTION_REFUSED'] }, async ({ open }) => {
  const server = await shared;
  const page = await open(server.address);
  await stands(page, 0, 0);
  assert.doesNotMatch(server.said(), /panicked/);
  await server.end();
  assert.equal(server.child.exitCode, 0);
});
