// Runs of verdicts: with times, as a lasso, with what else could have happened; and links, which open them elsewhere.
import assert from 'node:assert/strict';
import { DEADLOCK, DEADLOCK_STEPS, by, charted, children, explore, labels, shot, stands, take, test, until, verdict, view } from './harness.mjs';

const BINARY = ['binary', '--tmin', '5', '--tmax', '10', '--crashes', '0'];

test('the run of a violated requirement has times that can be moved within their windows', { refusals: [422] }, async ({ open }) => {
  const page = await open((await explore(...BINARY)).address);
  await stands(page, 0, 0);
  const headline = await verdict(page, 'R1');
  assert.match(headline, /R1 after 4 steps, at time 21/i);
  await shot(page, 'verdict');
  await by(page, 'open-run').click();
  await stands(page, 0, 4);
  await charted(page, 4);
  const times = async () => {
    const rows = await page.locator('wk-table tbody tr:not(.spacer)').evaluateAll((all) => all.map((tr) => [...tr.cells].map((c) => c.textContent)));
    return rows.slice(1).map((cells) => cells[1]);
  };
  await until('the times are shown', async () => (await times()).join() === '10,10,20,21' || (await times()));
  await by(page, 'end').click();
  await stands(page, 4, 4);
  await until('the window of the last step is shown', async () => /20.* 25/.test(await page.locator('.times .hint').innerText()) || (await page.locator('.times .hint').innerText()));
  await shot(page, 'dense-times');
  const pick = async (moment) => {
    await by(page, 'pick').fill(moment);
    await page.locator('.times button[type=submit]').click();
  };
  await pick('25');
  await until('the step has moved', async () => (await times()).join() === '10,10,20,25' || (await times()));
  // Later than p0's patience, and before its second round: nothing changes but a sentence.
  for (const moment of ['26', '3']) {
    // The sentence of the moment before is gone when another is picked.
    await pick(moment);
    await by(page, 'pick-error').waitFor();
    assert.match(await by(page, 'pick-error').innerText(), /\w+ \w+ \w+/);
    assert.equal((await times()).join(), '10,10,20,25');
  }
  // The loss of the message may come later than its sending, and then pushes nothing else.
  await page.locator('wk-table [data-testid=row-2] button').click();
  await stands(page, 2, 4);
  assert.equal(await by(page, 'pick-error').count(), 0);
  // A chart that arrives while one types takes nothing away.
  await by(page, 'pick').fill('23/');
  await page.evaluate(() => new Promise((done) => {
    document.querySelector('wk-run').addEventListener('times', () => done(), { once: true });
    WK.session.look({});
  }));
  assert.ok(await by(page, 'pick').evaluate((input) => input === document.activeElement), 'the focus is where one types');
  await by(page, 'pick').press('End');
  await by(page, 'pick').pressSequentially('2');
  await by(page, 'pick').press('Enter');
  await until('the loss has moved', async () => (await times()).join() === '10,11.5,20,25' || (await times()));
});

test('a moment that is refused late takes no other moment with it', { refusals: [422] }, async ({ open }) => {
  const page = await open((await explore(...BINARY)).address);
  await stands(page, 0, 0);
  await verdict(page, 'R1');
  await by(page, 'open-run').click();
  await stands(page, 0, 4);
  await by(page, 'end').click();
  await stands(page, 4, 4);
  await by(page, 'pick').waitFor();
  // The answers to charts wait until both moments are picked: first one that is impossible, then one that is not.
  let release;
  const held = new Promise((done) => (release = done));
  await page.route('**/api/chart', async (route) => {
    await held;
    await route.continue();
  });
  const pick = async (moment) => {
    const asked = page.waitForRequest('**/api/chart');
    await by(page, 'pick').fill(moment);
    await by(page, 'pick').press('Enter');
    await asked;
  };
  await pick('3');
  await page.locator('wk-table [data-testid=row-2] button').click();
  await stands(page, 2, 4);
  await pick('23/2');
  release();
  const times = async () => (await page.locator('wk-table tbody tr').evaluateAll((all) => all.slice(1).map((row) => row.cells[1].textContent))).join();
  await until('the one has moved and the other has not', async () => (await times()) === '10,11.5,20,20.5' || times());
  assert.match(await by(page, 'pick-error').innerText(), /step 4 cannot happen at 3/);
  await until('the address has the one', async () => /times=2:23\/2(&|$)/.test(page.url()) || page.url());
});

test('a press during which charts arrive still counts, and what is typed meanwhile stays', async ({ open }) => {
  const page = await open((await explore(...BINARY)).address);
  await stands(page, 0, 0);
  await verdict(page, 'R1');
  await by(page, 'open-run').click();
  await stands(page, 0, 4);
  await charted(page, 4);
  await until('the times are shown', async () => (await page.locator('wk-table thead').innerText()).includes('may be'));
  // One chart after the other, as fast as the server draws them.
  await page.evaluate(() => {
    const view = document.querySelector('wk-run');
    window.charts = 0;
    view.addEventListener('times', () => (window.charts++, view.chart()));
    view.chart();
  });
  const more = async (work) => {
    const before = await page.evaluate(() => window.charts);
    await work();
    await until('two more charts arrive', async () => (await page.evaluate(() => window.charts)) > before + 1);
  };
  const press = async (place) => {
    await place.hover();
    await more(() => page.mouse.down());
    await page.mouse.up();
  };
  for (const k of [3, 1, 2]) {
    await press(page.locator('wk-table [data-testid=row-' + k + '] button'));
    await stands(page, k, 4);
  }
  await press(page.locator('[data-testid=chart] .step[data-step="4"]'));
  await stands(page, 4, 4);
  const input = by(page, 'pick');
  await input.fill('2');
  for (const key of '3/1') await more(() => page.keyboard.press(key));
  assert.equal(await input.inputValue(), '23/1');
  await press(page.locator('.times button[type=submit]'));
  await until('the step has moved', async () => (await by(page, 'row-4').innerText()).includes('\t23\t') || (await by(page, 'row-4').innerText()));
});

test('a lasso opens as a run that goes on at the start of its loop', async ({ open }) => {
  const page = await open((await explore('ring', '--n', '3', '--crashable', 'p1', '--channel', 'drop:1')).address);
  await stands(page, 0, 0);
  const headline = await verdict(page, 'strong-completeness', { fairness: 'steps' });
  const [, stem, loop] = /run of (\d+) steps and then a loop of (\d+)/.exec(headline).map(Number);
  await by(page, 'open-run').click();
  const whole = stem + loop;
  await stands(page, 0, whole);
  await charted(page, whole);
  assert.match(await by(page, 'place').innerText(), new RegExp('lasso: after step ' + whole + ' it goes on after step ' + stem));
  // The last step of the loop leads to where it began, and says so beforehand.
  await by(page, 'row-' + (whole - 1)).locator('button').click();
  await stands(page, whole - 1, whole);
  assert.match(await page.locator('button.step.next').innerText(), new RegExp('back to the state after step ' + stem));
  await by(page, 'end').click();
  await stands(page, whole, whole);
  await shot(page, 'lasso');
  const before = await page.locator('wk-state dl').allInnerTexts();
  await by(page, 'forward').click();
  await stands(page, stem, whole);
  assert.match(await by(page, 'place').innerText(), /round 2/);
  assert.equal((await page.locator('wk-state dl').allInnerTexts()).length, before.length);
  await by(page, 'forward').click();
  await stands(page, stem + 1, whole);
  await by(page, 'back').click();
  await stands(page, stem, whole);
  await by(page, 'back').click();
  await stands(page, whole, whole);
  assert.doesNotMatch(await by(page, 'place').innerText(), /round/);
});

test('beside a run stands what else could have happened, and what would repair it', async ({ open }) => {
  const page = await open((await explore(...DEADLOCK)).address);
  await stands(page, 0, 0);
  assert.match(await verdict(page, 'deadlock'), /deadlock after 6 steps/i);
  await by(page, 'open-run').click();
  await stands(page, 0, 6);
  await page.locator('[data-testid=chart] .step[data-step="5"]').click();
  await stands(page, 5, 6);
  await by(page, 'alternatives-run').click();
  await page.locator('wk-alternatives h3', { hasText: 'Instead of step 6' }).waitFor();
  const rows = page.locator('wk-alternatives ul.rows').first().locator('button');
  assert.ok((await rows.count()) > 0, 'something else could have happened instead of step 6');
  const repair = by(page, 'repair').first();
  await repair.waitFor();
  assert.match(await repair.innerText(), /holds/);
  await shot(page, 'alternatives');
  await rows.first().click();
  await stands(page, 6, 6);
  assert.notEqual((await labels(page))[5], DEADLOCK_STEPS[5]);
});

test('a counterexample that other clients provoke opens whole, and so does its link', async ({ open }) => {
  const page = await open((await explore('consensus-rotating', '--n', '3', '--crashes', '1', '--values', 'binary', '--param', 'flaw=small-majority')).address);
  await stands(page, 0, 0);
  const [, steps] = /after ([\d,]+) steps/.exec(await verdict(page, 'agreement')).map((n) => Number(n.replace(',', '')));
  await by(page, 'open-run').click();
  await stands(page, 0, steps);
  assert.notEqual(await by(page, 'clients').inputValue(), '0');
  await until('the link says which clients', async () => /clients=1/.test(page.url()) || page.url());
  await page.reload();
  await stands(page, 0, steps);
});

async function copied(page) {
  await by(page, 'link-copy').click();
  // The word on the button is soon gone again; what is read aloud stays.
  await until('the link is copied', async () => /link is copied/.test(await page.locator('#said').textContent()) || (await page.locator('#said').textContent()));
  return page.evaluate(() => navigator.clipboard.readText());
}

/** A server of its own, and the fragment of a copied link at its address. */
async function elsewhere(link) {
  const server = await explore();
  const fragment = link.slice(link.indexOf('#') + 1);
  return { server, address: server.origin + '/#token=' + server.token + '&' + fragment };
}

test('a copied link opens the same run in another server and another browser', async ({ open }) => {
  const first = await explore(...DEADLOCK);
  const page = await open(first.address);
  await stands(page, 0, 0);
  for (const [k, label] of DEADLOCK_STEPS.slice(0, 5).entries()) await take(page, label, k);
  await by(page, 'back').click();
  await stands(page, 4, 5);
  const told = await page.locator('wk-state').innerText();
  const link = await copied(page);
  assert.ok(!link.includes(first.token), 'the link has no token: ' + link);
  await first.end();

  const { server, address } = await elsewhere(link);
  assert.notEqual(server.origin, first.origin);
  assert.notEqual(server.token, first.token);
  const again = await open(address);
  await stands(again, 4, 5);
  assert.deepEqual(await labels(again), DEADLOCK_STEPS.slice(0, 5));
  assert.equal(await again.locator('wk-state').innerText(), told);
  assert.ok(!again.url().includes('token'), 'the token is not left in the address');
  // The command line takes the link too.
  const third = await open((await explore(link)).address);
  await stands(third, 4, 5);
  assert.deepEqual(await labels(third), DEADLOCK_STEPS.slice(0, 5));
});

test('a link keeps the moments that were picked, the processes in the chart, the columns and the view', async ({ open }) => {
  const page = await open((await explore(...BINARY)).address);
  await stands(page, 0, 0);
  await verdict(page, 'R1');
  await by(page, 'open-run').click();
  await stands(page, 0, 4);
  await by(page, 'end').click();
  await stands(page, 4, 4);
  await by(page, 'pick').fill('47/2');
  await by(page, 'pick').press('Enter');
  await by(page, 'column-expression').fill('!crashed(p0)');
  await by(page, 'column-add').click();
  await page.locator('details.only summary').click();
  await page.locator('details.only input[value=p1]').uncheck();
  await by(page, 'back').click();
  await stands(page, 3, 4);
  await view(page, 'sweep');
  await until('the address has the view', async () => page.url().includes('tab=sweep') || page.url());
  const { address } = await elsewhere(page.url());
  const again = await open(address);
  await again.locator('#panel-sweep').waitFor({ state: 'visible' });
  await view(again, 'steps');
  await stands(again, 3, 4);
  const row = async () => (await again.locator('wk-table [data-testid=row-4] td').allInnerTexts()).map((text) => text.trim()).join();
  await until('the last step is as it was', async () => (await row()) === '23.5,20..25,R1: a deadline passes,✓ yes' || (await row()));
  assert.equal(await again.locator('details.only summary').innerText(), 'Shows only p0');
});

test('of a link with a damaged step the run up to there opens, and it is said which step does not exist', async ({ open }) => {
  const page = await open((await explore(...DEADLOCK)).address);
  await stands(page, 0, 0);
  for (const [k, label] of DEADLOCK_STEPS.slice(0, 5).entries()) await take(page, label, k);
  const link = await copied(page);
  const keys = /run=([^&]*)/.exec(link)[1].split('.');
  keys[4] = keys[4].replace(/^./, (c) => (c === 'A' ? 'B' : 'A'));
  const { address } = await elsewhere(link.replace(/run=[^&]*/, 'run=' + keys.join('.')));
  const again = await open(address);
  await stands(again, 3, 3);
  assert.deepEqual(await labels(again), DEADLOCK_STEPS.slice(0, 3));
  const missing = await by(again, 'missing').innerText();
  assert.match(missing, /step 4/);
  assert.match(missing, /does not exist|no such|not/);
});

test('a page without a token asks for the address that the terminal printed', async ({ open }) => {
  const server = await explore(...DEADLOCK);
  const page = await open(server.origin + '/');
  await by(page, 'token').waitFor();
  assert.equal(await page.locator('article.process').count(), 0);
  await by(page, 'token').fill(server.address);
  await page.locator('.notice button[type=submit]').click();
  await stands(page, 0, 0);
  assert.equal(await by(page, 'token').count(), 0);
});

test('a page with a wrong token asks for another', { refusals: [401] }, async ({ open }) => {
  const server = await explore(...DEADLOCK);
  const page = await open(server.address.replace(/token=\w+/, 'token=' + '0'.repeat(32)));
  await by(page, 'token').fill(server.token);
  await page.locator('.notice button[type=submit]').click();
  await stands(page, 0, 0);
});

test('a scenario that is too large is searched for as long as one likes, and cancelled', async ({ open }) => {
  const server = await explore('ring', '--n', '5', '--crashes', '2', '--channel', 'drop:2');
  const page = await open(server.address);
  await stands(page, 0, 0);
  await view(page, 'verdict');
  await by(page, 'verdict-run').click();
  const job = page.locator('wk-verdict wk-job');
  await until('its progress is told', async () => /[1-9][\d,]* states/.test(await job.innerText()) || (await job.innerText()));
  await by(page, 'cancel').click();
  await until('it is cancelled', async () => /Cancelled/.test(await job.innerText()) || (await job.innerText()));
  await until('no process of it is left', async () => children(server.pid).length === 0);
  // The page goes on.
  await view(page, 'steps');
  await take(page, 'p0: Round fires', 0);
});
