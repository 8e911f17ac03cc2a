// What all tests in the browser share: pages of Chromium that may ask nobody but their server, and waiting for what the page
// shows. Nothing here sleeps, and everything that was started is ended with the file of tests.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test as nodeTest } from 'node:test';
import { draws, picture } from './pictures.mjs';
import { PATIENCE, WIDE, by, chrome, endAll, stands, view } from './started.mjs';

export { AXE, NARROW, WIDE, by, children, chrome, explore, program, room, said, serve, stands, view } from './started.mjs';

export const DEADLOCK = ['ring', '--n', '3', '--crashes', '1', '--channel', 'block:1'];
/** The six steps of the chart in the README, after which three processes wait for each other. */
export const DEADLOCK_STEPS = [
  'p1: Round fires', 'p0: Round fires', 'p0 receives ARE-YOU-ALIVE from p1',
  'p2: Round fires', 'p2 receives ARE-YOU-ALIVE from p0', 'p1 receives ARE-YOU-ALIVE from p2',
];

after(endAll);

/** What a browser says of a request when a network of the machine comes or goes. */
const CHANGED = 'ERR_NETWORK_CHANGED';

/**
 * A test with `open`, which gives pages in fresh contexts. It fails on errors of a page, errors on its console and requests to
 * anybody but the page's own server. A test that provokes an answer such as 422, or an error by its text, names it in `refusals`.
 */
export function test(name, options, work) {
  if (typeof options === 'function') [options, work] = [{}, options];
  const { refusals = [], skip, timeout = 5 * PATIENCE } = options;
  nodeTest(name, { skip, timeout }, async (t) => {
    const contexts = [];
    const troubles = [];
    const open = async (address, { viewport = WIDE, scheme = 'light' } = {}) => {
      const context = await (await chrome()).newContext({ viewport, colorScheme: scheme, permissions: ['clipboard-read', 'clipboard-write'], acceptDownloads: true, reducedMotion: 'reduce' });
      contexts.push(context);
      context.setDefaultTimeout(PATIENCE);
      const page = await context.newPage();
      const home = address.startsWith('file:') ? 'file://' : new URL(address).origin + '/';
      page.on('pageerror', (error) => troubles.push('error of the page: ' + error.stack));
      page.on('console', (message) => {
        if (message.type() !== 'error' || message.text().includes(CHANGED)) return;
        if (refusals.some((code) => message.text().includes(typeof code === 'number' ? 'status of ' + code : code))) return;
        troubles.push('on the console: ' + message.text());
      });
      page.on('request', (request) => {
        const url = request.url();
        if (!url.startsWith(home) && !url.startsWith('data:') && !url.startsWith('blob:')) troubles.push('it asks ' + url);
      });
      // Tests that run beside these make networks of their own, at which a browser drops what it was just loading.
      let dropped = false;
      page.on('requestfailed', (request) => (dropped ||= String(request.failure()?.errorText).includes(CHANGED)));
      const whole = async (load) => {
        for (let k = 0; k < 9; k++) {
          dropped = false;
          const answer = await load().catch((error) => {
            if (!error.message.includes(CHANGED)) throw error;
            dropped = true;
          });
          if (!dropped) return answer;
        }
        return load();
      };
      const reload = page.reload.bind(page);
      page.reload = () => whole(reload);
      // From an empty page: an address that differs in its fragment only would not be loaded again.
      await whole(() => page.goto('about:blank').then(() => page.goto(address)));
      return page;
    };
    try {
      await work({ open, t });
      assert.deepEqual(troubles, []);
    } catch (error) {
      for (const trouble of troubles) t.diagnostic(trouble);
      for (const page of contexts.flatMap((c) => c.pages())) t.diagnostic('the page says: ' + (await notices(page)));
      throw error;
    } finally {
      for (const context of contexts) await context.close();
    }
  });
}

async function notices(page) {
  const told = await page.locator('.notice, .wrong').allInnerTexts().catch(() => []);
  return told.filter(Boolean).join(' | ') || 'nothing wrong';
}

/** Opens an address, again if a network of the machine came or went just then. */
export async function goTo(page, address) {
  for (let k = 0; k < 9; k++) {
    try {
      return await page.goto(address);
    } catch (error) {
      if (!error.message.includes(CHANGED)) throw error;
    }
  }
  return page.goto(address);
}

/** Waits until something is true of the page; `what` says what was waited for. */
export async function until(what, ask, patience = PATIENCE) {
  const began = Date.now();
  let last;
  for (;;) {
    last = await ask();
    if (last === true) return;
    if (Date.now() - began > patience) assert.fail('waited in vain until ' + what + '; last: ' + JSON.stringify(last));
    await new Promise((done) => setTimeout(done, 25));
  }
}

export const labels = async (page) => (await page.locator('wk-table td.action button').allInnerTexts()).slice(1);

/** Takes the enabled step of this label, from step `at` of the run. */
export async function take(page, label, at) {
  await page.locator('button.step', { has: page.locator('.label', { hasText: new RegExp('^' + label.replace(/[()]/g, '\\$&') + '$') }) }).click();
  await stands(page, at + 1, at + 1);
}

/** Waits for the chart of a run, which has a number for every step; steps at one moment may share a line. */
export async function charted(page, steps) {
  const lines = page.locator('[data-testid=chart] .step[data-step]');
  const numbers = (all) => all.map((e) => [...e.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data).join('')).join();
  const wanted = Array.from({ length: steps }, (_, k) => k + 1).join();
  await until('the chart has the steps ' + wanted, async () => {
    const found = await lines.evaluateAll(numbers);
    return found === wanted || found;
  });
}

/** Asks for the verdict on a property, and gives its headline. */
export async function verdict(page, property, settings = {}) {
  await view(page, 'verdict');
  await page.locator('input[name=property][value="=' + property + '"]').check();
  for (const [name, value] of Object.entries(settings)) await by(page, 'setting-' + name).fill(value);
  await by(page, 'verdict-run').click();
  return by(page, 'verdict-headline').first().innerText();
}

/** Nothing of the page is out of sight at the right. */
export async function fits(page) {
  const [whole, seen] = await page.evaluate(() => [document.scrollingElement.scrollWidth, document.scrollingElement.clientWidth]);
  assert.ok(whole <= seen, 'the page is ' + whole + ' px wide in a window of ' + seen + ' px');
}

/** Saves what a click downloads, and gives its name and bytes. */
export async function downloaded(page, click) {
  const [download] = await Promise.all([page.waitForEvent('download'), click()]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

/**
 * With WATCHKEEPER_SCREENSHOTS, a picture of what the page shows now, for each width; `top` is scrolled to first. Light unless
 * `dark` is said.
 */
export async function shot(page, name, { widths = [1280, 400], dark = false, heights = {}, top = null } = {}) {
  if (!draws) return;
  const before = page.viewportSize();
  for (const width of widths) {
    await page.setViewportSize({ width, height: heights[width] || (width > 600 ? 900 : 800) });
    if (top) await page.locator(top).first().evaluate((e) => e.scrollIntoView({ block: 'start' }));
    else await page.evaluate(() => scrollTo(0, 0));
    // Drawings follow the width a moment later.
    await page.evaluate(() => new Promise((done) => setTimeout(() => requestAnimationFrame(done), 250)));
    await picture('explorer-' + name + '-' + width, await page.screenshot({ animations: 'disabled', caret: 'hide' }));
    if (!dark) continue;
    await page.emulateMedia({ colorScheme: 'dark' });
    await picture('explorer-' + name + '-' + width + '-dark', await page.screenshot({ animations: 'disabled', caret: 'hide' }));
    await page.emulateMedia({ colorScheme: 'light' });
  }
  await page.setViewportSize(before);
}
