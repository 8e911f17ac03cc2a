// Searches of a whole scenario: the map of a sweep, the classes of a detector, its quality, and the graph of a small space.
import assert from 'node:assert/strict';
import { by, explore, shot, stands, test, until, verdict, view } from './harness.mjs';

test('the cells of a sweep have letters, and a violated one opens its run', async ({ open }) => {
  const page = await open((await explore('binary', '--crashes', '0')).address);
  await stands(page, 0, 0);
  await view(page, 'sweep');
  for (const [i, name] of ['tmin', 'tmax'].entries()) {
    await by(page, 'sweep-name-' + i).selectOption(name);
    await by(page, 'sweep-range-' + i).fill('1..6');
  }
  await by(page, 'sweep-property').fill('R1');
  await by(page, 'sweep-run').click();
  const cell = (tmin, tmax) => by(page, 'cell-' + tmin + '-' + tmax + '-R1');
  await cell(1, 1).waitFor();
  assert.equal(await page.locator('table.map button').count(), 36);
  // The published condition: it holds exactly where 2*tmin > tmax.
  for (let tmin = 1; tmin <= 6; tmin++) {
    for (let tmax = 1; tmax <= 6; tmax++) {
      const wanted = tmin > tmax ? '·' : 2 * tmin > tmax ? '✓' : '✗';
      assert.equal(await cell(tmin, tmax).innerText(), wanted, 'tmin ' + tmin + ', tmax ' + tmax);
    }
  }
  await shot(page, 'sweep');
  await cell(4, 6).click();
  await until('the cell is told', async () => /holds/.test(await by(page, 'sweep-detail').innerText()));
  await cell(2, 5).click();
  await page.locator('#panel-steps').waitFor();
  await stands(page, 0, 4);
  assert.match(await page.locator('#short').innerText(), /tmax\s*5/);
});

test('a refuted property of a class opens the run that refutes it', async ({ open }) => {
  const page = await open((await explore('ring', '--n', '3', '--crashable', 'p1', '--channel', 'drop:1')).address);
  await stands(page, 0, 0);
  await view(page, 'classes');
  await by(page, 'classify-settings').fill('n=3\ncrashable=p1\nchannel=drop:1\nfairness=steps');
  await by(page, 'classify-run').click();
  await by(page, 'refuted-strong-completeness').waitFor();
  const rows = await page.locator('wk-classes table').first().innerText();
  assert.match(rows, /weak-completeness\s+✓ holds/);
  assert.match(rows, /strong-completeness\s+✗ violated/);
  await shot(page, 'classes');
  await by(page, 'refuted-strong-completeness').click();
  await page.locator('#panel-steps').waitFor();
  await stands(page, 0, 11);
  assert.match(await by(page, 'place').innerText(), /lasso/);
});

test('what is measured is shown as a table and a plot', async ({ open }) => {
  const page = await open((await explore('nfd-s')).address);
  await stands(page, 0, 0);
  await view(page, 'measure');
  await by(page, 'measure-settings').fill('timeout=1s\nbound=none\nprecision=20%\nloss=1%\ndelay=uniform:5ms,195ms');
  await by(page, 'measure-run').click();
  const table = page.locator('wk-measure .found table').first();
  await table.waitFor();
  assert.ok((await table.locator('tbody tr').count()) > 2, 'figures');
  await page.locator('wk-measure .found svg').first().waitFor();
  await shot(page, 'measure');
  // Several detectors on the same network stand in one plot.
  await by(page, 'measure-settings').fill('precision=30%\nbound=none\nloss=1%\ndelay=uniform:5ms,195ms');
  await by(page, 'compare-contenders').fill('nfd-s:eta=1s,delta=500ms\nphi:period=1s');
  await by(page, 'compare-run').click();
  const plot = page.locator('wk-measure .found svg');
  await until('both are in the plot', async () => {
    const text = (await plot.count()) === 1 ? await plot.textContent() : '';
    return /nfd-s:delta=500ms,eta=1s/.test(text) && /phi:period=1s/.test(text) || text;
  });
  assert.equal(await page.locator('wk-measure .found tbody tr').count(), 2);
});

test('the graph of a small space has all its states, and one can stand on each', async ({ open }) => {
  const page = await open((await explore('binary', '--time', 'ticks', '--tmin', '1', '--tmax', '2', '--crashes', '0')).address);
  await stands(page, 0, 0);
  await view(page, 'graph');
  await by(page, 'graph-run').click();
  await by(page, 'graph-canvas').waitFor();
  assert.match(await by(page, 'graph-headline').innerText(), /[1-9]\d* states, [1-9]\d* levels/);
  await by(page, 'graph-canvas').focus();
  for (let k = 0; k < 3; k++) await page.keyboard.press('ArrowDown');
  await until('a state below is chosen', async () => /level 3/.test(await by(page, 'graph-info').innerText()) || (await by(page, 'graph-info').innerText()));
  await shot(page, 'graph');
  await by(page, 'graph-stand').click();
  await page.locator('#panel-steps').waitFor();
  await stands(page, 3, 3);
});

test('of a space that is too large the levels are told', async ({ open }) => {
  const page = await open((await explore('ring', '--n', '3', '--channel', 'drop:1')).address);
  await stands(page, 0, 0);
  await view(page, 'graph');
  await by(page, 'graph-most').fill('100');
  await by(page, 'graph-run').click();
  await by(page, 'graph-headline').waitFor();
  assert.equal(await by(page, 'graph-canvas').count(), 0);
  assert.ok((await page.locator('wk-graph tbody tr').count()) > 5, 'levels');
});

test('a search ends with the page that waits for it', async ({ open }) => {
  const server = await explore('ring', '--n', '6');
  const page = await open(server.address);
  await stands(page, 0, 0);
  await view(page, 'verdict');
  const begun = page.waitForResponse((r) => r.url().endsWith('/api/check'));
  await by(page, 'verdict-run').click();
  const { job } = await (await begun).json();
  const status = async () => (await (await server.ask('/api/job/' + job)).json()).status;
  await by(page, 'cancel').waitFor();
  assert.equal(await status(), 'running');
  await page.reload();
  await until('the search is cancelled', async () => (await status()) === 'cancelled' || (await status()));
});

test('an answer that is lost on the way is asked for again, and a search is begun only once', { refusals: ['ERR_FAILED'] }, async ({ open }) => {
  const server = await explore('ring', '--n', '3', '--crashes', '1', '--channel', 'block:1');
  const page = await open(server.address);
  await stands(page, 0, 0);
  const lost = {};
  for (const path of ['check', 'chart', 'job/*']) {
    // The server does what it is asked for, and the browser drops its connections twice before the answer is there.
    await page.route('**/api/' + path, async (route) => {
      lost[path] = (lost[path] || 0) + 1;
      if (lost[path] > 2) return route.continue();
      await route.fetch();
      return route.abort();
    });
  }
  assert.match(await verdict(page, 'deadlock'), /deadlock after 6 steps/i);
  await by(page, 'open-run').click();
  await stands(page, 0, 6);
  await page.locator('[data-testid=chart] .step[data-step="6"]').click();
  await stands(page, 6, 6);
  for (const [path, times] of Object.entries(lost)) assert.ok(times > 2, path + ' was asked for ' + times + ' times');
  const next = await (await server.ask('/api/check', { protocol: 'ring', settings: { n: '2' } })).json();
  assert.equal(next.job, 1, 'the page has begun one search');
});

test('a map keeps its ranges when a cell of it is opened', async ({ open }) => {
  const page = await open((await explore('ring', '--n', '3', '--crashes', '1', '--channel', 'block:1')).address);
  await stands(page, 0, 0);
  await view(page, 'sweep');
  await by(page, 'sweep-name-0').selectOption('n');
  await by(page, 'sweep-range-0').fill('2..3');
  await by(page, 'sweep-name-1').selectOption('');
  await by(page, 'sweep-run').click();
  await page.locator('table.map td button').last().click();
  await page.locator('#panel-steps').waitFor();
  await view(page, 'sweep');
  assert.equal(await by(page, 'sweep-name-0').inputValue(), 'n');
  assert.equal(await by(page, 'sweep-range-0').inputValue(), '2..3');
});

test('what a form lacks is said in the view, and a verdict says of which scenario it is', async ({ open }) => {
  const page = await open((await explore('ring', '--n', '3', '--crashes', '1', '--channel', 'block:1')).address);
  await stands(page, 0, 0);
  await view(page, 'measure');
  await by(page, 'compare-run').click();
  await until('it is said', async () => /at least two/.test(await page.locator('wk-measure wk-job').innerText()));
  await view(page, 'open');
  await by(page, 'link').fill('ring');
  await by(page, 'link-open').click();
  await until('it is said', async () => /no link/.test(await page.locator('wk-open .wrong').innerText()));
  await verdict(page, 'deadlock');
  await by(page, 'settings-open').click();
  await by(page, 'setting-n').fill('4');
  await by(page, 'settings-apply').click();
  await page.waitForFunction(() => /4 processes/.test(document.querySelector('#short').textContent));
  assert.match(await page.locator('wk-verdict .found').innerText(), /^Of ring, .*n 3/);
});
