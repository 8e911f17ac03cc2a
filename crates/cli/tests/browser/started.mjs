// What tests and figures share: starting the real program at a free port and Chromium, and waiting for the page. Nothing here
// sleeps, and endAll ends everything that was started.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const tools = process.env.WATCHKEEPER_BROWSER_TOOLS || join(here, '../../../../target/browser');
const require = createRequire(join(tools, 'package.json'));
const { chromium } = require('playwright-core');

export const program = process.env.WATCHKEEPER_BIN || join(here, '../../../../target/release/watchkeeper');
export const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

export const WIDE = { width: 1280, height: 900 };
export const NARROW = { width: 400, height: 800 };

/** How long something may take that takes a moment: other tests run beside this one, on a machine that may be busy with more. */
export const PATIENCE = 120000;

const ends = [];
let browser = null;

/** Ends all that was started here, the last first. */
export async function endAll() {
  for (const end of ends.splice(0).reverse()) await end();
  if (browser) await (await browser).close();
  browser = null;
}

/** A directory that is removed at the end. */
export function room() {
  const path = mkdtempSync(join(tmpdir(), 'watchkeeper-browser-'));
  ends.push(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function environment() {
  const env = { ...process.env, NO_COLOR: '1' };
  for (const name of ['WORKERS', 'MAX_MEMORY', 'TIMEOUT', 'SEED', 'TIME']) delete env['WATCHKEEPER_' + name];
  return env;
}

/** What the program says, once it has ended. */
export function said(args, input) {
  const done = spawnSync(program, args, { env: environment(), encoding: 'utf8', input, timeout: PATIENCE, maxBuffer: 1 << 28 });
  return { code: done.status, out: done.stdout, err: done.stderr };
}

/** Starts a program that serves a page, and waits for the address that it prints. */
export async function serve(args, { path = program } = {}) {
  const child = spawn(path, args, { env: environment(), stdio: ['pipe', 'pipe', 'pipe'] });
  let text = '';
  const gone = new Promise((done) => child.on('exit', done));
  const end = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGINT');
    const late = setTimeout(() => child.kill('SIGKILL'), PATIENCE / 4);
    await gone;
    clearTimeout(late);
  };
  ends.push(end);
  const address = await new Promise((done, fail) => {
    const late = setTimeout(() => fail(new Error('no address was printed: ' + text)), PATIENCE);
    const read = (bytes) => {
      text += bytes;
      const found = /http:\/\/127\.0\.0\.1:\d+\/#token=\S+/.exec(text);
      if (!found) return;
      clearTimeout(late);
      done(found[0]);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    gone.then((code) => (clearTimeout(late), fail(new Error('it ended with ' + code + ': ' + text))));
  });
  const origin = new URL(address).origin;
  const token = /token=([^&]*)/.exec(address)[1];
  const server = { address, origin, token, pid: child.pid, child, end, said: () => text };
  server.ask = (path, body, headers = {}) => fetch(origin + path, {
    method: body === undefined ? 'GET' : 'POST', body: body === undefined ? undefined : JSON.stringify(body),
    headers: { 'x-watchkeeper-token': token, 'content-type': 'application/json', ...headers },
  });
  return server;
}

export const explore = (...args) => serve(['explore', ...args]);

/** The processes that a process has started and that still run. */
export function children(pid) {
  const found = [];
  for (const name of readdirSync('/proc').filter((n) => /^\d+$/.test(n))) {
    try {
      const [state, parent] = readFileSync('/proc/' + name + '/stat', 'utf8').replace(/^.*\) /s, '').split(' ');
      if (Number(parent) === pid && state !== 'Z') found.push(Number(name));
    } catch {
      // It has ended meanwhile.
    }
  }
  return found;
}

/** Chromium, started when it is first wanted. */
export function chrome() {
  browser ||= chromium.launch({
    executablePath: process.env.WATCHKEEPER_CHROMIUM || '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run', '--disable-component-update', '--disable-sync', '--enable-precise-memory-info'],
  });
  return browser;
}

export const by = (page, id) => page.locator('[data-testid="' + id + '"]');

/** Waits until the page stands at a step of a run of so many, with that state on it. */
export async function stands(page, at, of) {
  await page.waitForFunction(([at, of]) => {
    const last = document.querySelector('#last b');
    const place = document.querySelector('[data-testid=place]');
    const [k, n] = [at, of].map((x) => x.toLocaleString('en-US'));
    return last && last.textContent.trim() === (at === 0 ? 'Start' : 'Step ' + at) && place && place.textContent.startsWith('step ' + k + ' of ' + n)
      && document.querySelector('article.process');
  }, [at, of]);
}

/** Opens another view. */
export async function view(page, name) {
  await by(page, 'tab-' + name).click();
  await page.locator('#panel-' + name).waitFor({ state: 'visible' });
}
