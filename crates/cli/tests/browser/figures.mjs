// Figures about the page: how large it is, how soon it is there, how much memory a long run takes, how large a graph moves
// smoothly. Prints a table in Markdown; nothing is tested here. After scripts/browser.sh and a build with --release:
//
//     node crates/cli/tests/browser/figures.mjs
//
// WATCHKEEPER_BIN and WATCHKEEPER_CHROMIUM name another program and another browser. The browser draws without a graphics
// card, so that figures of different machines compare. It takes one to two minutes; nothing else should run meanwhile.
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { WIDE, by, chrome, endAll, explore, stands, view } from './started.mjs';

const STEPS = 10000;
const MOVES = 100;
/** Thirty frames in a second are smooth, as clocks of browsers measure them. */
const SMOOTH = 1000 / 30 + 0.2;
/** Spaces of growing size: two processes, and so many messages in a channel. */
const CHANNELS = [1, 2, 3, 4, 5, 6, 7, 8];
/** The most states of a graph that the page offers. */
const MOST = 20000;

const rows = [];
const tell = (what, figure, how) => rows.push([what, figure, how]);
const number = (n) => Math.round(n).toLocaleString('en-US');
const megabytes = (bytes) => (bytes / 1048576).toFixed(1) + ' MiB';
const ms = (time) => number(time) + ' ms';

function median(list) {
  const sorted = [...list].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** A page of its own, in a context without a cache. */
async function fresh(work) {
  const context = await (await chrome()).newContext({ viewport: WIDE, colorScheme: 'light' });
  context.setDefaultTimeout(120000);
  try {
    return await work(await context.newPage());
  } finally {
    await context.close();
  }
}

async function assets(server) {
  const fetched = async (name) => (await fetch(server.origin + '/' + name)).text();
  const page = await fetched('');
  const names = [...page.matchAll(/(?:src|href)="([^":]+)"/g)].map((found) => found[1]);
  let bytes = Buffer.byteLength(page);
  for (const name of names) bytes += Buffer.byteLength(await fetched(name));
  tell('All files of the page', number(bytes) + ' bytes', (names.length + 1) + ' files, not compressed');
}

/** Milliseconds from the start of the navigation until a frame has the state, the steps and the chart. */
function firstView(server) {
  return fresh(async (page) => {
    await page.addInitScript(() => {
      const look = () => {
        const drawing = document.querySelector('wk-run wk-drawing');
        const there = document.querySelector('article.process') && document.querySelector('button.step') && drawing && drawing.shadowRoot && drawing.shadowRoot.querySelector('svg');
        // What is there now is painted with this frame, and the next one comes after it.
        requestAnimationFrame(there ? () => (window.shownAfter = performance.now()) : look);
      };
      look();
    });
    await page.goto(server.address);
    await page.waitForFunction(() => window.shownAfter > 0);
    return page.evaluate('window.shownAfter');
  });
}

async function firstViews(server, what, how) {
  const times = [];
  for (let k = 0; k < 5; k++) times.push(await firstView(server));
  tell(what, ms(median(times)), how);
}

/** Milliseconds from a key until a frame has the state to which it leads, for so many keys. */
const moves = (page, count) => page.evaluate(async (count) => {
  const times = [];
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  for (let k = 0; k < 2 * count; k++) {
    const last = document.getElementById('last');
    const before = last.textContent;
    const began = performance.now();
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key: k % 2 ? 'j' : 'k', bubbles: true }));
    do await frame(); while (last.textContent === before);
    times.push(performance.now() - began);
  }
  return times;
}, count);

async function walk(page, steps) {
  await by(page, 'walk-count').fill(String(steps));
  await by(page, 'walk-seed').fill('1');
  await by(page, 'walk').click();
  await stands(page, steps, steps);
}

/** The memory of the processes that draw pages, in bytes; null where the system does not tell. */
async function renderers() {
  const session = await (await chrome()).newBrowserCDPSession();
  try {
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    const resident = (id) => Number(/^Pss:\s+(\d+)/m.exec(readFileSync('/proc/' + id + '/smaps_rollup', 'utf8'))[1]) * 1024;
    return processInfo.filter((one) => one.type === 'renderer').reduce((sum, one) => sum + resident(one.id), 0);
  } catch {
    return null;
  } finally {
    await session.detach();
  }
}

function memory() {
  return fresh(async (page) => {
    const server = await explore('ring', '--n', '3', '--channel', 'drop:1');
    await page.goto(server.address);
    await stands(page, 0, 0);
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable');
    const used = async () => {
      for (let k = 0; k < 2; k++) await session.send('HeapProfiler.collectGarbage');
      const { metrics } = await session.send('Performance.getMetrics');
      return metrics.find((one) => one.name === 'JSHeapUsedSize').value;
    };
    const before = await used();
    await walk(page, STEPS);
    const times = await moves(page, MOVES);
    tell('JavaScript heap, at the start', megabytes(before), 'after garbage collection');
    tell('JavaScript heap, after ' + number(STEPS) + ' steps', megabytes(await used()), 'a random walk, then ' + MOVES + ' times back and forth, after garbage collection');
    const whole = await renderers();
    if (whole !== null) tell('Memory of the process that draws the page', megabytes(whole), 'then; proportional share (PSS)');
    tell('One step back or forth in this run', ms(median(times)), 'from the key to the frame, median of ' + 2 * MOVES);
    await server.end();
  });
}

/** Times of frames while the graph is moved and zoomed by its keys and the wheel. */
const frames = (page) => page.evaluate(async () => {
  const canvas = document.querySelector('[data-testid=graph-canvas]');
  const box = canvas.getBoundingClientRect();
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const key = (key) => canvas.dispatchEvent(new KeyboardEvent('keydown', { key, shiftKey: true, bubbles: true, cancelable: true }));
  const turn = (deltaY) => canvas.dispatchEvent(new WheelEvent('wheel', { deltaY, clientX: box.left + box.width / 2, clientY: box.top + box.height / 2, bubbles: true, cancelable: true }));
  const times = [];
  let before = await frame();
  // Never far from the whole graph: what is out of sight costs nothing.
  for (let k = 0; k < 90; k++) {
    const round = k % 12;
    if (k < 48) key(round < 6 ? 'ArrowLeft' : 'ArrowRight');
    else turn(round < 6 ? -30 : 30);
    const now = await frame();
    times.push(now - before);
    before = now;
  }
  return times;
});

function graph(channel) {
  return fresh(async (page) => {
    const server = await explore('ring', '--n', '2', '--channel', 'drop:' + channel);
    try {
      await page.goto(server.address);
      await stands(page, 0, 0);
      await view(page, 'graph');
      await by(page, 'graph-most').fill(String(MOST));
      const began = performance.now();
      await by(page, 'graph-run').click();
      await by(page, 'graph-headline').waitFor();
      const [states] = /^[\d,]+/.exec(await by(page, 'graph-headline').innerText());
      if (!(await by(page, 'graph-canvas').count())) return null;
      const after = performance.now() - began;
      return { states, after, time: median(await frames(page)) };
    } finally {
      await server.end();
    }
  });
}

async function graphs() {
  let smooth = null;
  for (const channel of CHANNELS) {
    const found = await graph(channel);
    if (!found) break;
    const { states, after, time } = found;
    tell('Graph of ' + states + ' states', ms(time), 'a frame, median while it is moved and zoomed; there after ' + (after / 1000).toFixed(1) + ' s');
    if (time > SMOOTH) break;
    smooth = states;
  }
  tell('Largest graph that moves smoothly', smooth ? smooth + ' states' : 'none', 'thirty frames in a second or more, without a graphics card');
}

async function sixteen() {
  const server = await explore('ring', '--n', '16', '--channel', 'drop:1');
  await firstViews(server, 'First view with 16 processes', 'median of 5, with an empty cache');
  await fresh(async (page) => {
    await page.goto(server.address);
    await stands(page, 0, 0);
    await walk(page, 40);
    tell('A state of 16 processes', ms(median(await moves(page, 20))), 'from the key to the frame, median of 40');
  });
  await server.end();
}

try {
  const server = await explore('ring', '--n', '3', '--channel', 'drop:1');
  const { version } = await (await server.ask('/api/program')).json();
  await assets(server);
  await firstViews(server, 'First view', 'state, steps and chart on screen; median of 5, with an empty cache');
  await server.end();
  await memory();
  await sixteen();
  await graphs();
  console.log('Watchkeeper ' + version + ', Chromium ' + (await chrome()).version() + ', ' + cpus().length + ' cores (' + cpus()[0].model.trim() + ')\n');
  console.log('| what | figure | how |\n| --- | ---: | --- |');
  for (const row of rows) console.log('| ' + row.join(' | ') + ' |');
} finally {
  await endAll();
}
