// A cluster behind the page: nodes are killed, paused and restarted, links are cut and healed, all by click, and the page
// says who suspects whom since when, on what evidence, and what was dropped.
import assert from 'node:assert/strict';
import { NARROW, WIDE, by, children, fits, room, serve, shot, test, until, view } from './harness.mjs';

/** All suspect a node that is gone, and trust it when it is back; times are long enough for a machine that is busy. */
const CLUSTER = ['cluster', 'chandra-toueg', '--n', '3', '--tick', '200ms', '--web'];
const cluster = (...flags) => serve([...CLUSTER, '--dir', room(), ...flags]);
/** What a page that asks for a server that has ended says on its console. */
const GONE = ['net::ERR_CONNECTION_REFUSED', 'net::ERR_CONNECTION_RESET', 'net::ERR_EMPTY_RESPONSE', 'net::ERR_CONNECTION_CLOSED'];
/** How long detectors may take to notice on a machine that is busy. */
const NOTICED = 120000;

/** Waits for what a part of the page says. */
const says = (page, id, what) => until(id + ' says ' + what, async () => {
  const text = await by(page, id).innerText({ timeout: NOTICED });
  return what.test(text) || text;
}, NOTICED);

const suspects = (page, one, other) => says(page, 'live-' + one + '-' + other, /suspects, for [\d.]+ (ms|s)/);
const trusts = (page, one, other) => says(page, 'live-' + one + '-' + other, /trusts/);
const state = (page, node, word) => says(page, 'node-' + node, new RegExp('\\b' + word + '\\b'));

/** The page of a cluster in which everybody trusts everybody. */
async function quiet(open, server) {
  const page = await open(server.address);
  await page.locator('#panel-live').waitFor({ state: 'visible' });
  for (const [one, other] of [['p0', 'p1'], ['p1', 'p2'], ['p2', 'p0']]) await trusts(page, one, other);
  for (const node of ['p0', 'p1', 'p2']) await state(page, node, 'running');
  return page;
}

const disabled = (page, id) => until(id + ' is disabled', async () => by(page, id).isDisabled());

test('a node is killed by click, the others suspect it and say on what evidence, and trust it when it is restarted', { timeout: 900000 }, async ({ open }) => {
  const page = await quiet(open, await cluster('--control'));
  await by(page, 'live-span').selectOption('30');
  // What messages took is shown against the bound that the model assumes.
  await says(page, 'live-p0-p2', /delay [\d.]+ (ms|s|µs) of 800 ms/);
  await by(page, 'kill-p1').click();
  await state(page, 'p1', 'killed');
  for (const one of ['p0', 'p2']) {
    await suspects(page, one, 'p1');
    await says(page, 'evidence-' + one + '-p1', /made it suspect; last heard \S+ .* before/);
    await says(page, 'node-' + one, /suspects p1 for [\d.]+ (ms|s)/);
  }
  // What was done and what came of it is in the chart of the last seconds.
  await until('the chart has the crash and the suspicion', async () => {
    const words = await page.locator('[data-testid=live-chart] svg text').allTextContents();
    return words.some((w) => /crash/.test(w)) && words.some((w) => /suspect p1/.test(w)) || words.join(' ').slice(-400);
  }, NOTICED);
  await trusts(page, 'p0', 'p2');
  await says(page, 'live-p1-p0', /no opinion/);
  await says(page, 'live-news', /p1 is killed/);
  await says(page, 'live-news', /p0 suspects p1/);
  await shot(page, 'live');
  await page.setViewportSize(NARROW);
  await fits(page);
  await page.setViewportSize(WIDE);
  await disabled(page, 'kill-p1');
  assert.equal(await page.evaluate(() => document.activeElement.dataset.testid), 'restart-p1', 'the focus goes on to what can be done now');
  await by(page, 'restart-p1').click();
  await state(page, 'p1', 'running');
  for (const one of ['p0', 'p2']) await trusts(page, one, 'p1');
  await says(page, 'live-news', /p1 is started again/);
  await until('p0 has no evidence against p1', async () => (await by(page, 'evidence-p0-p1').count()) === 0);
});

test('a node is paused and resumed by click', { timeout: 900000 }, async ({ open }) => {
  const page = await quiet(open, await cluster('--control'));
  await disabled(page, 'resume-p2');
  // The keyboard does what a click does.
  await by(page, 'pause-p2').focus();
  await page.keyboard.press('Enter');
  await state(page, 'p2', 'paused');
  await disabled(page, 'pause-p2');
  await suspects(page, 'p0', 'p2');
  await by(page, 'resume-p2').click();
  await state(page, 'p2', 'running');
  await trusts(page, 'p0', 'p2');
  await disabled(page, 'resume-p2');
});

test('links are cut and healed by click, and what is dropped is told', { timeout: 900000 }, async ({ open }) => {
  const page = await quiet(open, await cluster('--control'));
  await says(page, 'cuts', /No link is cut/);
  await says(page, 'drops', /No datagram was dropped/);
  await disabled(page, 'link-heal');
  await by(page, 'link-end-1').selectOption('p0');
  await disabled(page, 'link-cut');
  await by(page, 'link-end-1').selectOption('p1');
  await by(page, 'link-cut').click();
  await says(page, 'cuts', /Cut: p0 ✂ p1/);
  await says(page, 'live-p0-p1', /cut/);
  await suspects(page, 'p0', 'p1');
  await suspects(page, 'p1', 'p0');
  await trusts(page, 'p2', 'p0');
  await says(page, 'drops', /[1-9]\d* datagrams? from p0 to p1/);
  await by(page, 'link-heal').click();
  await says(page, 'cuts', /No link is cut/);
  await trusts(page, 'p0', 'p1');

  await by(page, 'side-p0').uncheck();
  await by(page, 'side-p2').check();
  await by(page, 'partition').click();
  await says(page, 'cuts', /Cut: p0 ✂ p2, p1 ✂ p2/);
  await suspects(page, 'p2', 'p0');
  await suspects(page, 'p1', 'p2');
  await trusts(page, 'p0', 'p1');
  await says(page, 'drops', /from p2 to p0/);
  await says(page, 'live-news', /the nodes are parted/);
  await by(page, 'heal-all').click();
  await says(page, 'cuts', /No link is cut/);
  for (const [one, other] of [['p2', 'p0'], ['p1', 'p2']]) await trusts(page, one, other);
  await disabled(page, 'heal-all');
});

test('without --control the page only looks on, and the server refuses whatever is asked for', async ({ open }) => {
  const server = await cluster();
  const page = await quiet(open, server);
  await says(page, 'live-status', /only looks on; start the cluster with --control/);
  assert.equal(await page.locator('wk-live button:enabled').count(), 0);
  for (const body of [{ act: 'kill', node: 'p1' }, { act: 'cut', node: 'p0', peer: 'p1' }, { act: 'heal' }, {}]) {
    const answer = await server.ask('/api/live/act', body);
    assert.equal(answer.status, 403);
    assert.match((await answer.json()).error, /--control/);
  }
  assert.equal((await server.ask('/api/live/act')).status, 405);
  await state(page, 'p1', 'running');
  assert.ok(!(await by(page, 'live-news').innerText()).includes('killed'));
});

test('what cannot be done is said, and stays to be read', { refusals: [422] }, async ({ open }) => {
  const server = await cluster('--control');
  const page = await quiet(open, server);
  // Somebody else kills a node, and this page has not seen it yet.
  const seen = await (await server.ask('/api/live')).json();
  await page.route('**/api/live', (route) => route.fulfill({ json: seen }));
  assert.equal((await server.ask('/api/live/act', { act: 'kill', node: 'p1' })).status, 200);
  await by(page, 'kill-p1').click();
  await says(page, 'live-wrong', /p1 .*restart/);
  await page.unroute('**/api/live');
  await state(page, 'p1', 'killed');
  await suspects(page, 'p0', 'p1');
  assert.match(await by(page, 'live-wrong').innerText(), /p1/);
  await by(page, 'restart-p1').click();
  await says(page, 'live-wrong', /^$/);

  for (const [body, status, what] of [
    [{ act: 'kill', node: 'p7' }, 404, /there is no p7; the last is p2/],
    [{ act: 'heal', node: 'p0', peer: 'p1' }, 422, /is not cut/],
    [{ act: 'cut', node: 'p0', peer: 'p0' }, 422, /no link to itself/],
    [{ act: 'kil', node: 'p0' }, 400, /kill, pause/],
    [{ act: 'partition', groups: [['p0'], ['p0']] }, 400, /named twice/],
  ]) {
    const answer = await server.ask('/api/live/act', body);
    assert.equal(answer.status, status);
    assert.match((await answer.json()).error, what);
  }
});

test('the page shows a chart of the last seconds, and fits on a narrow screen', async ({ open }) => {
  const server = await cluster();
  const page = await quiet(open, server);
  const drawn = page.locator('[data-testid=live-chart] svg');
  await until('messages are drawn', async () => /HEARTBEAT|alive|ALIVE|BEAT/i.test((await drawn.textContent()) || '') || (await drawn.textContent()).slice(-300));
  const names = await drawn.locator('text.name').allTextContents();
  assert.deepEqual(names.slice(0, 3), ['p0', 'p1', 'p2']);
  // It moves on, and holds still when it is told to.
  const before = await drawn.innerHTML();
  await until('the chart moves on', async () => (await drawn.innerHTML()) !== before);
  for (const seconds of ['0', '61', 'x']) assert.equal((await server.ask('/api/live/chart?seconds=' + seconds)).status, 400);
  await page.setViewportSize(NARROW);
  await fits(page);
  // The other views are there beside it, for the protocol of the cluster.
  await view(page, 'steps');
  await page.locator('article.process').first().waitFor();
  await view(page, 'live');
  await trusts(page, 'p0', 'p1');
});

test('the page says that the cluster has ended', { refusals: GONE }, async ({ open }) => {
  const server = await cluster('--control');
  const page = await quiet(open, server);
  assert.equal(children(server.pid).length, 3);
  server.child.stdin.write('quit\n');
  await says(page, 'live-lost', /The cluster has ended/);
  await says(page, 'live-status', /has ended/);
  await until('nothing can be done to it', async () => (await page.locator('wk-live button:enabled').count()) === 0);
  // What was known last stays.
  assert.match(await by(page, 'live-p0-p1').innerText(), /trusts|suspects/);
  await server.end();
  assert.equal(server.child.exitCode, 0);
  assert.match(server.said(), /All nodes have ended/);
});
