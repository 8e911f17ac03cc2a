// How every view looks: in light and dark, on a wide and on a narrow screen, nothing sticks out, an accessibility checker finds
// nothing serious, everything has a name, and what a colour says is also said in a word or a sign.
import assert from 'node:assert/strict';
import { AXE, DEADLOCK, DEADLOCK_STEPS, NARROW, WIDE, by, charted, explore, fits, room, said, shot, stands, take, test, until, verdict, view } from './harness.mjs';
import { join } from 'node:path';

/** What the accessibility checker finds that keeps somebody from using the page. */
async function violations(page) {
  if (!(await page.evaluate(() => !!window.axe))) await page.evaluate(AXE);
  const found = await page.evaluate(async () => (await window.axe.run(document, { resultTypes: ['violations'] })).violations);
  const told = ({ id, impact, help, nodes }) => impact + ' ' + id + ' (' + help + '):\n' + nodes.map((n) => '    ' + n.target.join(' ') + '\n      ' + n.html.slice(0, 200) + '\n      ' + n.failureSummary.split('\n').slice(1).join(' ')).join('\n');
  return found.filter((v) => ['serious', 'critical'].includes(v.impact)).map(told);
}

/** What can be used and has no name, and what has none but an example in it. */
async function nameless(page) {
  const client = await page.context().newCDPSession(page);
  const { nodes } = await client.send('Accessibility.getFullAXTree');
  await client.detach();
  const roles = ['button', 'link', 'textbox', 'searchbox', 'combobox', 'spinbutton', 'checkbox', 'radio', 'slider', 'tab', 'tabpanel', 'dialog', 'application', 'meter', 'progressbar'];
  const bare = nodes.filter((n) => !n.ignored && roles.includes(n.role && n.role.value) && !(n.name && n.name.value.trim())).map((n) => n.role.value + ' without a name');
  const examples = await page.evaluate(() => [...document.querySelectorAll('input:not([type=hidden]), select, textarea')]
    .filter((e) => e.checkVisibility() && !e.labels.length && !e.getAttribute('aria-label') && !e.getAttribute('aria-labelledby')).map((e) => 'no label: ' + e.outerHTML.slice(0, 160)));
  return [...bare, ...examples];
}

/** Texts that are cut off, or smaller than one can read. */
const unreadable = (page, within = 'body') => page.evaluate((within) => {
  const found = new Set();
  const seen = (e) => e.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && !e.closest('.aloud, [hidden], .skip, svg, option, datalist');
  for (const root of document.querySelectorAll(within)) {
    for (const e of root.querySelectorAll('*')) {
      if (!seen(e)) continue;
      const text = [...e.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data.trim()).join(' ').trim();
      const style = getComputedStyle(e);
      if (text && parseFloat(style.fontSize) < 11) found.add('only ' + style.fontSize + ': ' + text.slice(0, 60));
      // An ellipsis is a promise that the whole is elsewhere, in a title for example; without one, text is lost.
      const aside = ['auto', 'scroll'].includes(style.overflowX) && e.scrollWidth > e.clientWidth + 1 && !e.matches('.sheet, .scroll, pre');
      if (aside) found.add('sticks out of ' + e.tagName.toLowerCase() + ' ' + e.className + ' by ' + (e.scrollWidth - e.clientWidth) + ' px');
      const cut = style.overflowX === 'hidden' && e.scrollWidth > e.clientWidth + 1 && style.textOverflow !== 'ellipsis';
      if (cut && e.textContent.trim()) found.add('cut off: ' + e.textContent.trim().slice(0, 60));
    }
  }
  return [...found];
}, within);

/** Looks at what the page shows now in every way that it can be seen. */
async function looks(page, name, { within } = {}) {
  // Pictures of everything, for those who work on the page.
  if (process.env.WATCHKEEPER_LOOKS) await shot(page, name, { dark: true });
  const wrong = [];
  for (const viewport of [WIDE, NARROW]) {
    await page.setViewportSize(viewport);
    // Contrast does not depend on the width.
    for (const colorScheme of viewport === WIDE ? ['light', 'dark'] : ['light']) {
      await page.emulateMedia({ colorScheme });
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      await fits(page);
      const where = name + ', ' + viewport.width + ' px, ' + colorScheme + ': ';
      for (const each of await violations(page)) wrong.push(where + each);
    }
    for (const each of [...(await nameless(page)), ...(await unreadable(page, within))]) wrong.push(name + ', ' + viewport.width + ' px: ' + each);
  }
  await page.setViewportSize(WIDE);
  await page.emulateMedia({ colorScheme: 'light' });
  assert.ok(wrong.length === 0, wrong.join('\n'));
}

test('steps, with a run, a crash, messages and a preview', async ({ open }) => {
  const page = await open((await explore(...DEADLOCK)).address);
  await stands(page, 0, 0);
  for (const [k, label] of DEADLOCK_STEPS.slice(0, 5).entries()) await take(page, label, k);
  await take(page, 'p2 crashes', 5);
  await charted(page, 6);
  await page.locator('details.atoms summary').click();
  await page.locator('button.step').first().focus();
  await looks(page, 'look-steps');
  // A colour is never alone: what it says is a word or a sign as well.
  assert.match(await by(page, 'process-p2').innerText(), /✕ crashed/);
  assert.match(await by(page, 'process-p2').innerText(), /changed/);
  assert.match(await by(page, 'process-p2').innerText(), /was blocked/);
  assert.match(await page.locator('wk-table tr.here').innerText(), /▸/);
  assert.equal(await page.locator('wk-table tr.here').getAttribute('aria-current'), 'step');
  await by(page, 'back').click();
  await stands(page, 5, 6);
  assert.match(await page.locator('button.step.next').innerText(), /next in the run/);
  // The way that a run did not go stays, and can be unfolded.
  await take(page, DEADLOCK_STEPS[5], 5);
  for (const one of ['p0', 'p1', 'p2']) assert.match(await by(page, 'process-' + one).innerText(), /■ blocked/);
  assert.match(await page.locator('p.stuck').innerText(), /■ Deadlock/);
  await page.locator('[data-testid=branches] summary').click();
  await looks(page, 'look-deadlock');
});

test('steps in dense time', async ({ open }) => {
  const page = await open((await explore('binary', '--tmin', '5', '--tmax', '10', '--crashes', '0')).address);
  await stands(page, 0, 0);
  await verdict(page, 'R1');
  await by(page, 'open-run').click();
  await stands(page, 0, 4);
  await charted(page, 4);
  await by(page, 'end').click();
  await stands(page, 4, 4);
  await by(page, 'pick').waitFor();
  await looks(page, 'look-times');
});

test('a verdict, before and after', async ({ open }) => {
  const page = await open((await explore(...DEADLOCK)).address);
  await stands(page, 0, 0);
  await view(page, 'verdict');
  await page.locator('details summary', { hasText: 'Search and limits' }).click();
  await looks(page, 'look-check');
  await page.locator('details summary', { hasText: 'Search and limits' }).click();
  await verdict(page, 'deadlock');
  assert.match(await page.locator('.verdict-card').innerText(), /✗[\s\S]*deadlock after 6 steps/i);
  await looks(page, 'look-violated');
});

test('a map of a sweep', async ({ open }) => {
  const page = await open((await explore('binary', '--crashes', '0')).address);
  await stands(page, 0, 0);
  await view(page, 'sweep');
  for (const [i, name] of ['tmin', 'tmax'].entries()) {
    await by(page, 'sweep-name-' + i).selectOption(name);
    await by(page, 'sweep-range-' + i).fill('1..6');
  }
  await by(page, 'sweep-property').fill('R1,R2');
  await by(page, 'sweep-run').click();
  await by(page, 'cell-1-1-R1').waitFor();
  await by(page, 'cell-4-6-R1').click();
  await until('the cell is told', async () => /holds/.test(await by(page, 'sweep-detail').innerText()));
  for (const cell of await page.locator('table.map td button').all()) assert.match(await cell.innerText(), /^[✓✗?·]$/);
  await looks(page, 'look-sweep');
});

test('the classes of a detector', async ({ open }) => {
  const page = await open((await explore('ring', '--n', '3', '--crashable', 'p1', '--channel', 'drop:1')).address);
  await stands(page, 0, 0);
  await view(page, 'classes');
  await by(page, 'classify-settings').fill('n=3\ncrashable=p1\nchannel=drop:1\nfairness=steps');
  await by(page, 'classify-run').click();
  await by(page, 'refuted-strong-completeness').waitFor();
  for (const word of await page.locator('wk-classes .verdict').allInnerTexts()) assert.match(word, /^[✓✗?] (holds|violated|unknown)$/);
  await looks(page, 'look-classes');
});

test('what was measured', async ({ open }) => {
  const page = await open((await explore('nfd-s')).address);
  await stands(page, 0, 0);
  await view(page, 'measure');
  await by(page, 'measure-settings').fill('precision=20%\nbound=none\nloss=1%\ndelay=uniform:5ms,195ms');
  await by(page, 'measure-run').click();
  await page.locator('wk-measure .found svg').first().waitFor();
  await looks(page, 'look-measure');
});

test('the graph of a small space, and the levels of a large one', async ({ open }) => {
  const page = await open((await explore('binary', '--time', 'ticks', '--tmin', '1', '--tmax', '2', '--crashes', '0')).address);
  await stands(page, 0, 0);
  await view(page, 'graph');
  await by(page, 'graph-run').click();
  await by(page, 'graph-canvas').waitFor();
  await by(page, 'graph-canvas').focus();
  for (let k = 0; k < 4; k++) await page.keyboard.press('ArrowDown');
  await page.locator('[data-testid=graph-info] table').waitFor();
  await looks(page, 'look-graph');
  await by(page, 'graph-most').fill('10');
  await by(page, 'graph-run').click();
  await page.locator('wk-graph tbody tr').nth(3).waitFor();
  await until('the graph is gone', async () => (await by(page, 'graph-canvas').count()) === 0);
  await looks(page, 'look-levels');
});

test('what else could have happened', async ({ open }) => {
  const page = await open((await explore(...DEADLOCK)).address);
  await stands(page, 0, 0);
  await verdict(page, 'deadlock');
  await by(page, 'open-run').click();
  await stands(page, 0, 6);
  await by(page, 'alternatives-run').click();
  await page.locator('wk-alternatives h3', { hasText: 'Instead of step 1' }).waitFor();
  for (const word of await page.locator('wk-alternatives .verdict').allInnerTexts()) assert.match(word, /^[✓✗?] (holds|violated|unknown)$/);
  await looks(page, 'look-alternatives');
});

test('files, one that is a verdict and one that is nothing', { refusals: [400] }, async ({ open }) => {
  const folder = room();
  said(['check', ...DEADLOCK, '--property', 'deadlock', '--json', join(folder, 'verdict.json')]);
  const page = await open((await explore(...DEADLOCK)).address);
  await stands(page, 0, 0);
  await view(page, 'open');
  await looks(page, 'look-open');
  await by(page, 'files').setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('not a run') });
  await page.locator('wk-open .wrong').waitFor();
  await looks(page, 'look-wrong-file');
  await by(page, 'files').setInputFiles(join(folder, 'verdict.json'));
  await by(page, 'import-headline').waitFor();
  await looks(page, 'look-opened');
});

test('help, menus and settings', async ({ open }) => {
  const page = await open((await explore(...DEADLOCK)).address);
  await stands(page, 0, 0);
  await by(page, 'export').click();
  await looks(page, 'look-export');
  await page.keyboard.press('Escape');
  await by(page, 'help-open').click();
  await looks(page, 'look-help');
  await page.keyboard.press('Escape');
  await by(page, 'settings-open').click();
  await by(page, 'setting-n').waitFor();
  await looks(page, 'look-settings');
  const shut = page.locator('dialog details:not([open]) > summary');
  while (await shut.count()) await shut.first().click();
  await looks(page, 'look-all-settings');
});

test('a page without a token, and a link that does not lead to its end', { refusals: [401] }, async ({ open }) => {
  const server = await explore(...DEADLOCK);
  const bare = await open(server.origin + '/');
  await by(bare, 'token').waitFor();
  await looks(bare, 'look-token');
  const page = await open(server.address + '&run=OPWPOykd.AAAAAAAA');
  await by(page, 'missing').waitFor();
  await page.locator('[data-testid=missing] summary').click();
  await looks(page, 'look-missing');
});

test('a state of sixteen processes can be read', async ({ open }) => {
  const page = await open((await explore('ring', '--n', '16', '--channel', 'drop:1')).address);
  await stands(page, 0, 0);
  await by(page, 'walk-count').fill('40');
  await by(page, 'walk-seed').fill('3');
  await by(page, 'walk').click();
  await stands(page, 40, 40);
  await shot(page, 'sixteen');
  for (const viewport of [WIDE, NARROW]) {
    await page.setViewportSize(viewport);
    const panels = await page.locator('article.process').evaluateAll((all) => all.map((e) => {
      const box = e.getBoundingClientRect();
      const outside = [...e.querySelectorAll('*')].filter((c) => c.getClientRects().length && (c.getBoundingClientRect().right > box.right + 1 || c.getBoundingClientRect().bottom > box.bottom + 1));
      return { name: e.querySelector('h3').textContent, text: e.innerText, outside: outside.map((c) => c.textContent), width: box.width, height: box.height };
    }));
    assert.deepEqual(panels.map((p) => p.name), Array.from({ length: 16 }, (_, k) => 'p' + k));
    for (const { name, text, outside } of panels) {
      assert.match(text, /● up|✕ crashed|■ blocked/, name);
      assert.match(text, /suspects/, name);
      assert.deepEqual(outside, [], name + ' at ' + viewport.width + ' px');
    }
    assert.deepEqual(await unreadable(page, '#column-state'), []);
    const tall = await page.evaluate(() => document.querySelector('wk-state .panels').getBoundingClientRect().height / innerHeight);
    assert.ok(tall < (viewport === WIDE ? 2 : 6), 'the panels are ' + tall.toFixed(1) + ' screens tall at ' + viewport.width + ' px');
  }
  await looks(page, 'look-sixteen');
});
