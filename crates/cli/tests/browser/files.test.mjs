// Files: verdicts, traces and recordings that are opened, runs that are exported, and an export that opens from disk.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { DEADLOCK, DEADLOCK_STEPS, by, charted, downloaded, explore, labels, room, said, shot, stands, take, test, until, verdict, view } from './harness.mjs';

const RECORDING = fileURLToPath(new URL('recording/', import.meta.url));

async function opened(page, files) {
  await view(page, 'open');
  await by(page, 'files').setInputFiles(files);
  await by(page, 'import-headline').waitFor();
  return by(page, 'import-headline').innerText();
}

test('a verdict and a trace are opened as the run that they tell', async ({ open }) => {
  const dir = room();
  const { code, out } = said(['check', ...DEADLOCK, '--property', 'deadlock', '--json', '-', '--out-itf', join(dir, 'run.itf.json')]);
  assert.equal(code, 11);
  writeFileSync(join(dir, 'verdict.json'), out);
  const server = await explore('binary');
  for (const [file, kind] of [['verdict.json', 'Verdict'], ['run.itf.json', 'ITF trace']]) {
    const page = await open(server.address);
    await stands(page, 0, 0);
    assert.match(await opened(page, [join(dir, file)]), new RegExp('^' + kind + ': '));
    await by(page, 'open-run').click();
    await stands(page, 0, 6);
    assert.deepEqual(await labels(page), DEADLOCK_STEPS);
    await by(page, 'end').click();
    await stands(page, 6, 6);
    assert.match(await page.locator('p.stuck').innerText(), /Deadlock/);
  }
  // The command line opens it too.
  const page = await open((await explore(join(dir, 'verdict.json'))).address);
  await by(page, 'import-headline').waitFor();
  assert.match(await by(page, 'import-headline').innerText(), /deadlock/);
});

test('a recording that follows the model opens as a run of it', async ({ open }) => {
  const page = await open((await explore('ring')).address);
  await stands(page, 0, 0);
  const headline = await opened(page, readdirSync(RECORDING).map((name) => join(RECORDING, name)));
  assert.match(headline, /FOLLOWS/);
  assert.equal(await by(page, 'departs').count(), 0);
  await by(page, 'open-run').click();
  await page.waitForFunction(() => / of 42$/.test(document.querySelector('[data-testid=place]').textContent));
  assert.equal(await page.locator('article.process').count(), 3);
});

test('a recording that departs is shown beside the model, with the assumption that it breaks', async ({ open }) => {
  const dir = room();
  for (const name of readdirSync(RECORDING)) {
    // The last message of the run arrives 150 ms later: three times what the model allows.
    const text = readFileSync(join(RECORDING, name), 'utf8').replace('"at":1009863463', '"at":1159863463');
    writeFileSync(join(dir, name), text);
  }
  const page = await open((await explore('ring')).address);
  await stands(page, 0, 0);
  const headline = await opened(page, readdirSync(dir).map((name) => join(dir, name)));
  assert.match(headline, /DEPARTS|departs/);
  const told = await by(page, 'departs').innerText();
  assert.match(told, /departs from the model at step 45/);
  assert.match(headline, /I-AM-ALIVE \(number 7\) from p0 to p2 took 150\.038 ms/);
  assert.match(headline, /--delay/);
  await page.locator('figcaption', { hasText: 'The model, up to there' }).waitFor();
  assert.deepEqual(await page.locator('wk-open figcaption').allInnerTexts(), ['Recorded', 'The model, up to there']);
  for (const k of [0, 1]) await page.locator('wk-open figure').nth(k).locator('svg').waitFor();
  await shot(page, 'departs');
  await by(page, 'open-run').click();
  await page.waitForFunction(() => / of 4\d/.test(document.querySelector('[data-testid=place]').textContent));
});

test('what is no file of ours is refused with a sentence', { refusals: [400, 422] }, async ({ open }) => {
  const dir = room();
  writeFileSync(join(dir, 'list.json'), '[1, 2]');
  const page = await open((await explore('ring')).address);
  await stands(page, 0, 0);
  await view(page, 'open');
  await by(page, 'files').setInputFiles([join(dir, 'list.json')]);
  await until('it is said why not', async () => /\w+ \w+ \w+/.test(await page.locator('wk-open .wrong').innerText()));
});

test('a derived column tells where a formula holds, and a wrong one why it is none', async ({ open }) => {
  const page = await open((await explore(...DEADLOCK)).address);
  await stands(page, 0, 0);
  for (const [k, label] of DEADLOCK_STEPS.slice(0, 3).entries()) await take(page, label, k);
  const add = async (text) => {
    await by(page, 'column-expression').fill(text);
    await by(page, 'column-add').click();
  };
  await add('suspects(p0,p1)');
  await page.locator('wk-table th.derived').waitFor();
  await until('the column is filled', async () => (await page.locator('wk-table td.derived').allInnerTexts()).map((t) => t.slice(-3).trim()).join() === 'no,no,yes,no' || (await page.locator('wk-table td.derived').allInnerTexts()));
  await add('suspects(p0,');
  await by(page, 'column-error').waitFor();
  assert.match(await by(page, 'column-error').innerText(), /suspects\(p0,\s+\^\s+an argument/);
});

test('the chart can be projected onto two processes', async ({ open }) => {
  const page = await open((await explore(...DEADLOCK)).address);
  await stands(page, 0, 0);
  for (const [k, label] of DEADLOCK_STEPS.entries()) await take(page, label, k);
  await charted(page, 6);
  const drawn = async () => (await page.locator('[data-testid=chart] svg text').allTextContents()).filter((t) => /^p\d$/.test(t)).sort().join();
  assert.match(await drawn(), /p1/);
  await page.locator('details.only summary').click();
  await page.locator('details.only input[value=p1]').uncheck();
  await until('p1 is not in the chart', async () => !(await drawn()).includes('p1') || (await drawn()));
  assert.match(await drawn(), /p0.*p2/);
  await until('the address says so', async () => page.url().includes('only=p0,p2'));
});

test('a run is exported in every form', async ({ open }) => {
  const page = await open((await explore(...DEADLOCK)).address);
  await stands(page, 0, 0);
  assert.match(await verdict(page, 'deadlock'), /deadlock after 6 steps/i);
  await by(page, 'open-run').click();
  await stands(page, 0, 6);
  const save = async (form) => {
    await by(page, 'export').click();
    return downloaded(page, () => by(page, 'export-' + form).click());
  };
  const text = async (form) => (await save(form)).bytes.toString();
  assert.match(await text('svg'), /^(<\?xml[^>]*>\s*)?<svg [\s\S]*<\/svg>\s*$/);
  assert.match(await text('mermaid'), /sequenceDiagram[\s\S]*ARE-YOU-ALIVE/);
  assert.match(await text('text'), /stop suspecting p1/);
  const trace = JSON.parse(await text('itf'));
  assert.equal(trace.states.length, 7);
  const cargo = await text('test');
  assert.match(cargo, /#\[test\]/);
  assert.match(cargo, /assert_run/);
  for (const label of DEADLOCK_STEPS) assert.ok(cargo.includes(label), label);
  const png = await save('png');
  assert.match(png.name, /\.png$/);
  assert.deepEqual([...png.bytes.subarray(0, 8)], [137, 80, 78, 71, 13, 10, 26, 10]);
  assert.ok(png.bytes.readUInt32BE(16) > 300 && png.bytes.length > 5000, 'a picture of ' + png.bytes.length + ' bytes');
  // The page of one file opens by itself, from disk.
  const whole = await save('page');
  const file = join(room(), 'run.html');
  writeFileSync(file, whole.bytes);
  const alone = await open(pathToFileURL(file).href);
  await stands(alone, 6, 6);
  assert.deepEqual(await labels(alone), DEADLOCK_STEPS);
});

test('a folder that was exported opens from disk, can be walked, and fetches nothing', async ({ open }) => {
  const dir = join(room(), 'report');
  const { code, err } = said(['explore', ...DEADLOCK, '--property', 'deadlock', '--export', dir]);
  assert.equal(code, 0, err);
  const page = await open(pathToFileURL(join(dir, 'index.html')).href);
  const asked = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.waitForFunction(() => /of 6/.test((document.querySelector('[data-testid=place]') || {}).textContent || ''));
  await charted(page, 6);
  assert.deepEqual(await labels(page), DEADLOCK_STEPS);
  await page.keyboard.press('Home');
  await stands(page, 0, 6);
  for (let k = 1; k <= 6; k++) {
    await by(page, 'forward').click();
    await stands(page, k, 6);
  }
  assert.match(await page.locator('p.stuck').innerText(), /Deadlock/);
  await by(page, 'back').click();
  await stands(page, 5, 6);
  // A step that leaves the run is shown, and cannot be taken.
  await page.locator('button.step:not(.next)').first().click({ force: true });
  await page.locator('.notice', { hasText: 'This is an export' }).waitFor();
  await stands(page, 5, 6);
  await view(page, 'verdict');
  assert.match(await by(page, 'verdict-headline').innerText(), /deadlock after 6 steps/i);
  assert.deepEqual(asked, []);
});
