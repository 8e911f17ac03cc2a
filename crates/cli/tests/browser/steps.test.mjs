// Stepping: into a deadlock, back and along another branch, at random and until a formula holds, and with the keyboard alone.
import assert from 'node:assert/strict';
import { DEADLOCK, DEADLOCK_STEPS, by, charted, explore, labels, shot, stands, take, test, until, verdict, view } from './harness.mjs';

test('the six steps of the readme lead into a deadlock', async ({ open }) => {
  const page = await open((await explore(...DEADLOCK)).address);
  await stands(page, 0, 0);
  assert.equal(await page.locator('p.stuck').count(), 0);
  await shot(page, 'steps');
  for (const [k, label] of DEADLOCK_STEPS.entries()) await take(page, label, k);
  assert.match(await page.locator('p.stuck').innerText(), /Deadlock/);
  // A crash is no way out of it.
  for (const label of await page.locator('button.step .label').allInnerTexts()) assert.match(label, /crashes$/);
  await charted(page, 6);
  assert.deepEqual(await labels(page), DEADLOCK_STEPS);
  assert.equal(await page.locator('article.process.blocked').count(), 3);
  await by(page, 'wide').click();
  // So tall that the whole chart is in sight.
  await shot(page, 'deadlock', { heights: { 1280: 1080 } });
  await by(page, 'wide').click();
  // A number in the chart is a place to stand on.
  await page.locator('[data-testid=chart] .step[data-step="2"]').click();
  await stands(page, 2, 6);
  assert.match(await by(page, 'process-p0').innerText(), /suspects\s*p1/);
});

test('what a step has changed is marked, and what one would change is shown beforehand', async ({ open }) => {
  const page = await open((await explore(...DEADLOCK)).address);
  await stands(page, 0, 0);
  await page.locator('button.step', { hasText: 'p0: Round fires' }).hover();
  await until('the preview is there', async () => /would|→ \{?p1/.test(await by(page, 'process-p0').innerText()));
  await take(page, 'p0: Round fires', 0);
  assert.match(await by(page, 'process-p0').innerText(), /changed/i);
  assert.match(await by(page, 'process-p0').innerText(), /was/);
  assert.doesNotMatch(await by(page, 'process-p1').innerText(), /changed/i);
});

test('one can go back, take another branch, and return to the old one', async ({ open }) => {
  const page = await open((await explore(...DEADLOCK)).address);
  await stands(page, 0, 0);
  for (const [k, label] of DEADLOCK_STEPS.slice(0, 4).entries()) await take(page, label, k);
  await by(page, 'back').click();
  await stands(page, 3, 4);
  await by(page, 'back').click();
  await stands(page, 2, 4);
  await take(page, 'p2 crashes', 2);
  assert.deepEqual(await labels(page), [...DEADLOCK_STEPS.slice(0, 2), 'p2 crashes']);
  assert.equal(await page.locator('article.process.crashed').count(), 1);
  await page.locator('[data-testid=branches] summary').click();
  await by(page, 'branch').click();
  await stands(page, 2, 4);
  assert.deepEqual(await labels(page), DEADLOCK_STEPS.slice(0, 4));
  // The branch that was left for it is kept in turn.
  if (!(await by(page, 'branch').isVisible())) await page.locator('[data-testid=branches] summary').click();
  assert.match(await by(page, 'branches').innerText(), /3 steps/);
});

test('the steps of a long list are found by a filter', async ({ open }) => {
  const page = await open((await explore(...DEADLOCK)).address);
  await stands(page, 0, 0);
  const all = await page.locator('button.step').count();
  await page.locator('#filter').fill('crash');
  await until('only crashes are listed', async () => (await page.locator('button.step .label').allInnerTexts()).every((l) => l.endsWith('crashes')));
  assert.equal(await page.locator('button.step').count(), 3);
  await page.locator('#filter').fill('');
  await until('all are listed again', async () => (await page.locator('button.step').count()) === all);
});

test('a random walk of a seed is the same each time', async ({ open }) => {
  const server = await explore(...DEADLOCK.slice(0, 3), '--channel', 'drop:1');
  const walked = async (seed) => {
    const page = await open(server.address);
    await stands(page, 0, 0);
    await by(page, 'walk-count').fill('12');
    await by(page, 'walk-seed').fill(String(seed));
    await by(page, 'walk').click();
    await stands(page, 12, 12);
    assert.match(await by(page, 'control-note').innerText(), new RegExp('12 steps with seed ' + seed));
    return labels(page);
  };
  const first = await walked(7);
  assert.equal(first.length, 12);
  assert.deepEqual(await walked(7), first);
  assert.notDeepEqual(await walked(8), first);
});

test('time passes in ticks until something else can happen', async ({ open }) => {
  const page = await open((await explore('binary', '--time', 'ticks', '--tmin', '5', '--tmax', '10', '--crashes', '0')).address);
  await stands(page, 0, 0);
  assert.equal(await page.locator('button.step', { hasText: 'Round fires' }).count(), 0);
  await by(page, 'pass').click();
  await stands(page, 10, 10);
  assert.deepEqual(await labels(page), Array(10).fill('one tick passes'));
  assert.equal(await by(page, 'control-note').innerText(), '10 ticks passed.');
  await take(page, 'p0: Round fires', 10);
  // The message that it sends must arrive within 5 ticks, and nobody can make it wait longer.
  await page.keyboard.press('p');
  await stands(page, 16, 16);
  await page.keyboard.press('p');
  await until('it is said that none can pass', async () => /No time can pass/.test(await by(page, 'control-note').innerText()) || (await by(page, 'control-note').innerText()));
  await stands(page, 16, 16);
});

test('walking until a formula holds ends in such a state, by a shortest way', async ({ open }) => {
  const page = await open((await explore(...DEADLOCK)).address);
  await stands(page, 0, 0);
  await by(page, 'until-formula').fill('suspects(p0,p1) & suspects(p1,p2)');
  await by(page, 'until').click();
  await stands(page, 2, 2);
  assert.deepEqual((await labels(page)).sort(), ['p0: Round fires', 'p1: Round fires']);
  await page.locator('details.atoms summary').click();
  const atoms = await page.locator('details.atoms li').allInnerTexts();
  for (const atom of ['suspects(p0,p1)', 'suspects(p1,p2)']) assert.ok(atoms.includes(atom), atom + ' is not among ' + atoms);
});

test('a formula that holds nowhere, and what is no formula, are told in a sentence', { refusals: [400] }, async ({ open }) => {
  const page = await open((await explore('ring', '--n', '2', '--crashes', '1', '--channel', 'block:1')).address);
  await stands(page, 0, 0);
  const asked = async (formula, place, what) => {
    await by(page, 'until-formula').fill(formula);
    await by(page, 'until').click();
    await until('it is told', async () => what.test(await place.innerText()) || place.innerText());
    await stands(page, 0, 0);
  };
  await asked('crashed(p0) & crashed(p1)', by(page, 'control-note'), /It holds in no state that can be reached from here; there are 269\./);
  await asked('crashed(p0', page.locator('wk-controls wk-job'), /an argument/);
});

test('everything can be done with the keyboard alone', async ({ open }) => {
  const page = await open((await explore(...DEADLOCK)).address);
  await stands(page, 0, 0);
  await page.keyboard.press('1');
  await stands(page, 1, 1);
  await page.keyboard.press('2');
  await stands(page, 2, 2);
  await page.keyboard.press('b');
  await stands(page, 1, 2);
  await page.keyboard.press('ArrowRight');
  await stands(page, 2, 2);
  await page.keyboard.press('Home');
  await stands(page, 0, 2);
  await page.keyboard.press('?');
  await by(page, 'help').waitFor();
  assert.match(await by(page, 'help').innerText(), /one step back/);
  await page.keyboard.press('Escape');
  await by(page, 'help').waitFor({ state: 'detached' });
  // A step is also taken by the button that has the focus.
  await page.keyboard.press('/');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'filter');
  await page.keyboard.type('p2: Round');
  await until('one step is left', async () => (await page.locator('button.step').count()) === 1);
  for (let k = 0; k < 4 && !(await page.evaluate(() => document.activeElement.matches('button.step'))); k++) await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await stands(page, 1, 1);
  // The verdict: to the tab, into the form, and into the run.
  await until('two keys lead to the verdict', async () => {
    // They must follow each other soon, which a busy machine may not manage the first time.
    await page.keyboard.press('g');
    await page.keyboard.press('v');
    return page.locator('#panel-verdict').isVisible();
  });
  const reach = async (what, selector) => {
    for (let k = 0; k < 60; k++) {
      if (await page.evaluate((s) => document.activeElement.matches(s), selector)) return;
      await page.keyboard.press('Tab');
    }
    assert.fail('Tab does not lead to ' + what);
  };
  await reach('the button that checks', '[data-testid=verdict-run]');
  await page.keyboard.press('Enter');
  await by(page, 'verdict-headline').waitFor();
  await reach('the button that opens the run', '[data-testid=open-run]');
  await page.keyboard.press('Enter');
  await stands(page, 0, 6);
  await page.keyboard.press('End');
  await stands(page, 6, 6);
  assert.match(await page.locator('p.stuck').innerText(), /Deadlock/);
});

test('another scenario is opened from the form, and the way back is the browser\'s', async ({ open }) => {
  const page = await open((await explore(...DEADLOCK)).address);
  await stands(page, 0, 0);
  await take(page, 'p0: Round fires', 0);
  await by(page, 'settings-open').click();
  await by(page, 'setting-n').fill('4');
  await by(page, 'settings-apply').click();
  await page.waitForFunction(() => document.querySelectorAll('article.process').length === 4);
  await stands(page, 0, 0);
  assert.match(await page.locator('#command').innerText(), /--n[= ]4/);
  await page.goBack();
  await page.waitForFunction(() => document.querySelectorAll('article.process').length === 3);
  await stands(page, 1, 1);
});

test('the way back of the browser takes a step back, and the way forward takes it again', async ({ open }) => {
  const page = await open((await explore(...DEADLOCK)).address);
  await stands(page, 0, 0);
  for (const [k, label] of DEADLOCK_STEPS.slice(0, 3).entries()) {
    await take(page, label, k);
    await until('the address has the step', async () => (page.url().match(/run=([^&]*)/) || ['', ''])[1].split('.').length === k + 2 || page.url());
  }
  await page.goBack();
  await stands(page, 2, 3);
  await page.goBack();
  await stands(page, 1, 3);
  await page.goForward();
  await stands(page, 2, 3);
  assert.deepEqual(await labels(page), DEADLOCK_STEPS.slice(0, 3));
});

test('settings that make no scenario are refused in the form, with what to do', { refusals: [400, 422] }, async ({ open }) => {
  const page = await open((await explore(...DEADLOCK)).address);
  await stands(page, 0, 0);
  await by(page, 'settings-open').click();
  await by(page, 'setting-n').fill('1');
  await by(page, 'settings-apply').click();
  await until('the form says why', async () => /n/.test(await page.locator('dialog .wrong').innerText()));
  assert.match(await page.locator('dialog .wrong').innerText(), /2/);
  await page.keyboard.press('Escape');
  await stands(page, 0, 0);
  await view(page, 'verdict');
});

test('a key pressed many times takes as many steps, each by the list of its own state', async ({ open }) => {
  const server = await explore('ring', '--n', '3', '--channel', 'drop:1');
  const walked = async (slow) => {
    const page = await open(server.address);
    await stands(page, 0, 0);
    for (let k = 0; k < 12; k++) {
      await page.keyboard.press('2');
      if (slow) await stands(page, k + 1, k + 1);
    }
    await stands(page, 12, 12);
    return labels(page);
  };
  const slowly = await walked(true);
  assert.deepEqual(await walked(false), slowly);
});

test('a walk that is answered late does not continue the run of another scenario', async ({ open }) => {
  const page = await open((await explore(...DEADLOCK)).address);
  await stands(page, 0, 0);
  let release;
  const held = new Promise((done) => (release = done));
  await page.route('**/api/walk', async (route) => {
    await held;
    await route.continue();
  });
  const asked = page.waitForRequest('**/api/walk');
  await by(page, 'walk').click();
  await asked;
  await by(page, 'settings-open').click();
  await by(page, 'setting-n').fill('4');
  await by(page, 'settings-apply').click();
  // Time enough for the scenario to be answered first, if it were asked for now.
  await page.evaluate(async () => {
    for (let k = 0; k < 15; k++) await new Promise((done) => requestAnimationFrame(done));
  });
  release();
  await page.waitForFunction(() => document.querySelectorAll('article.process').length === 4);
  await stands(page, 0, 0);
  assert.equal(await by(page, 'control-note').innerText(), '');
});

test('of two states that are asked for the last is shown, whichever is answered first', async ({ open }) => {
  const page = await open((await explore(...DEADLOCK)).address);
  await stands(page, 0, 0);
  for (const [k, label] of DEADLOCK_STEPS.slice(0, 2).entries()) await take(page, label, k);
  await page.keyboard.press('k');
  await stands(page, 1, 2);
  await take(page, 'p2 crashes', 1);
  // Two runs of two steps; the page knows the states of neither any more.
  await page.evaluate(() => WK.session.states.clear());
  let release;
  const held = new Promise((done) => (release = done));
  const first = await page.evaluate(() => WK.session.run.states[2]);
  await page.route('**/api/state', async (route) => {
    if (route.request().postDataJSON().state === first) await held;
    await route.continue();
  });
  const asked = page.waitForRequest((r) => r.url().endsWith('/api/state') && r.postDataJSON().state === first);
  await page.keyboard.press('k');
  await stands(page, 1, 2);
  await page.keyboard.press('j');
  await asked;
  await page.locator('[data-testid=branches] summary').click();
  await page.evaluate(() => (WK.session.branches[0].at = 2));
  await by(page, 'branch').click();
  await until('the other run is shown', async () => /p0: Round/.test(await page.locator('#last').innerText()) || (await page.locator('#last').innerText()));
  const late = page.waitForResponse((r) => r.url().endsWith('/api/state') && r.request().postDataJSON().state === first);
  release();
  await (await late).finished();
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  assert.match(await page.locator('#last').innerText(), /p0: Round/);
  assert.equal(await page.locator('article.process.crashed').count(), 0);
});

test('the focus stays where one works', async ({ open }) => {
  const page = await open((await explore(...DEADLOCK)).address);
  await stands(page, 0, 0);
  const focused = (selector) => page.evaluate((s) => document.activeElement.matches(s), selector);
  const group = page.locator('.group > summary').first();
  await group.press('Enter');
  await until('the group is closed', async () => !(await page.locator('.group').first().evaluate((g) => g.open)));
  assert.ok(await focused('.group > summary'), 'a group that is closed keeps the focus');
  await group.press('Enter');
  await until('the group is open', async () => page.locator('.group').first().evaluate((g) => g.open));
  await take(page, DEADLOCK_STEPS[0], 0);
  await page.locator('wk-table td.action button').first().click();
  await stands(page, 0, 1);
  await page.keyboard.press('ArrowDown');
  await stands(page, 1, 1);
  assert.ok(await focused('[data-testid=run-table]'), 'the table keeps the focus');
  // Keys of letters are for the page where nobody can write letters.
  await page.locator('input[type=range]').focus();
  await page.keyboard.press('k');
  await stands(page, 0, 1);
  // Whoever opens a run stands in the content, not at the top of the page.
  await verdict(page, 'deadlock');
  await by(page, 'open-run').press('Enter');
  await stands(page, 0, 6);
  assert.ok(await focused('main'), 'the content has the focus');
  await page.locator('#export summary').click();
  await by(page, 'copy-text').press('Enter');
  assert.ok(await focused('#export summary'), 'the menu keeps the focus');
});

test('what was told is gone where it does not hold any more, and the list of branches stays open', async ({ open }) => {
  const page = await open((await explore(...DEADLOCK)).address);
  await stands(page, 0, 0);
  await take(page, DEADLOCK_STEPS[0], 0);
  await by(page, 'until-formula').fill('suspects(p1,p2)');
  await by(page, 'until').click();
  await until('it is told', async () => /holds here/.test(await by(page, 'control-note').innerText()));
  await page.locator('input[type=range]').focus();
  await page.keyboard.press('k');
  await stands(page, 0, 1);
  assert.equal(await by(page, 'control-note').innerText(), '');
  await take(page, 'p2 crashes', 0);
  await page.locator('[data-testid=branches] summary').click();
  await by(page, 'branch').waitFor();
  await page.locator('body').press('k');
  await stands(page, 0, 1);
  assert.ok(await by(page, 'branch').isVisible());
});

test('the way back of the browser leads to a branch that was left', async ({ open }) => {
  const page = await open((await explore(...DEADLOCK)).address);
  await stands(page, 0, 0);
  const written = (what) => until('the address has ' + what, async () => what.test(page.url()) || page.url());
  for (const [k, label] of DEADLOCK_STEPS.slice(0, 3).entries()) await take(page, label, k);
  await page.keyboard.press('k');
  await stands(page, 2, 3);
  await written(/at=2/);
  await take(page, 'p2 crashes', 2);
  await until('the address is that of the new run', async () => !/at=/.test(page.url()) || page.url());
  await page.goBack();
  await stands(page, 2, 3);
  assert.deepEqual(await labels(page), DEADLOCK_STEPS.slice(0, 3));
  assert.match(await by(page, 'branches').innerText(), /Branches that you left 1/);
});
