// `npm test` runs all checks and tests, with real weights and a real browser. The last line is `N passed, N
// failed`. The exit code is 1 if a test failed. `npm test -- unit contract` runs only those parts.
import { ensureBrowser } from './ensure-browser.mjs';
import { ensureFfmpeg } from './ensure-ffmpeg.mjs';
import { ensureServers } from './ensure-servers.mjs';
import {
  fuzzCounts,
  lintCounts,
  playwrightCounts,
  schemathesisCounts,
  soakCounts,
  vitestCounts,
} from './test/counts.mjs';
import { run, tsx } from './test/run.mjs';
import { softwareGpu } from './test/software-gpu.mjs';

const MINUTE = 60_000;
const PARTS = ['typecheck', 'lint', 'unit', 'fuzz', 'contract', 'browser', 'soak', 'other-browsers'];
const chosen = process.argv.slice(2);
const unknownParts = chosen.filter((part) => !PARTS.includes(part));
if (unknownParts.length > 0) {
  console.error(`unknown part ${unknownParts.join(', ')}: choose among ${PARTS.join(', ')}`);
  process.exit(2);
}
const isChosen = (part) => chosen.length === 0 || chosen.includes(part);
const total = { passed: 0, failed: 0 };
const results = [];

/** For all fuzz targets together. `npm run fuzz` takes longer. */
const FUZZ_SECONDS = 180;

/** Examples of each operation, besides the cases that its schema determines: some 2,500 requests. */
const SCHEMATHESIS_EXAMPLES = 1;

/** How long each host is under load. `npm run soak` takes longer. */
const SOAK_MINUTES = 2;

/** The most failures of a part that the summary at the end repeats. */
const MAX_REPEATED_FAILURES = 8;

function add(name, { passed, failed, reasons = [], seconds }, note = '') {
  total.passed += passed;
  total.failed += failed;
  const time = seconds === undefined ? '' : `, ${seconds} s`;
  results.push(`${failed > 0 ? 'FAILED' : 'ok'}  ${name}: ${passed} passed, ${failed} failed${time}${note}`);
  for (const reason of reasons.slice(0, MAX_REPEATED_FAILURES))
    results.push(`        ${reason.slice(0, 300)}`);
}

/** Adds to the counts how long they took, for the summary. Call it when the part starts. */
async function timed(counting) {
  const start = Date.now();
  const counts = await counting;
  return { ...counts, seconds: Math.round((Date.now() - start) / 1000) };
}

/** The tests with random inputs, one after the other. */
async function fuzzParts() {
  return [
    ['fuzz targets', await timed(fuzzCounts(FUZZ_SECONDS, 10 * MINUTE))],
    ['requests of Schemathesis', await timed(schemathesisCounts(SCHEMATHESIS_EXAMPLES, 10 * MINUTE))],
  ];
}

/** Prepares something that tests need. Only a failure of it appears in the counts. */
async function prepare(name, work) {
  try {
    return await work();
  } catch (error) {
    console.error(`${name}: ${error.message}`);
    add(name, { passed: 0, failed: 1 });
    return undefined;
  }
}

// The type check and the lint use one core each, and the preparations mostly download. All rooms count as one check.
const typecheck = isChosen('typecheck')
  ? run('typecheck', process.execPath, ['scripts/typecheck.mjs'], { timeout: 10 * MINUTE })
  : undefined;
const lint = isChosen('lint') ? timed(lintCounts(10 * MINUTE)) : undefined;

const needsWeights = ['unit', 'contract', 'browser', 'soak'].some(isChosen);
if (needsWeights) {
  await prepare('weights', async () => {
    const code = await run('weights', process.execPath, [...tsx, 'scripts/test/weights.ts'], {
      timeout: 10 * MINUTE,
    });
    if (code !== 0) throw new Error('the weights that tests run on could not be fetched (see above)');
  });
}
if (isChosen('unit') || isChosen('browser')) await prepare('ffmpeg', () => ensureFfmpeg());
if (isChosen('unit')) await prepare('servers', () => ensureServers());
const gpu = isChosen('browser') ? await prepare('software GPU', () => softwareGpu()) : undefined;
if (lint) add('lint', await lint);
if (['contract', 'browser', 'soak'].some(isChosen)) {
  const browser = await prepare('browser', () => ensureBrowser());
  if (browser) console.log(`Chromium: ${browser}`);
}
if (['contract', 'browser', 'fuzz', 'soak'].some(isChosen)) {
  await prepare('build', async () => {
    const code = await run('build', process.execPath, ['scripts/build.mjs'], { timeout: 10 * MINUTE });
    if (code !== 0) throw new Error('the build failed (see above)');
  });
}
if (typecheck) {
  const code = await typecheck;
  add('typecheck', code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 });
}
// This test mostly waits for seven minutes, so it runs in parallel with the others. It builds the site of the others.
const longStreams = isChosen('browser')
  ? timed(playwrightCounts('long streams', ['--project=seven minutes'], {}, 15 * MINUTE))
  : undefined;
if (isChosen('unit')) add('unit tests', await timed(vitestCounts('unit', ['--project=unit'], 12 * MINUTE)));

const browserEnv = { ...gpu?.env, TABD_QUICK: '1', TABD_SITE_BUILT: '1' };

// One part after the other, because the threads of two models that share cores slow each other. Two halves of the cores
// side by side were tried: they took nearly twice as long.
if (isChosen('unit')) {
  const projects = ['--project=models', '--project=networks'];
  add('unit tests on weights', await timed(vitestCounts('unit-weights', projects, 25 * MINUTE)));
}
if (longStreams) add('long streams in the browser', await longStreams);
// The contract tables wait for processes at times, so the fuzz targets run next to them.
const fuzzing = isChosen('fuzz') ? fuzzParts() : undefined;
if (isChosen('contract')) {
  const config = ['--config', 'test/contract/vitest.config.ts'];
  add('contract tables and clients', await timed(vitestCounts('contract', config, 30 * MINUTE)));
}
for (const [name, counts] of (await fuzzing) ?? []) add(name, counts);
if (isChosen('browser')) {
  for (const [project, name, env] of [
    ['engines', 'browser tests of engines', browserEnv],
    // Two at once, each with its models on a core of its own.
    ['models', 'browser tests with models', { ...browserEnv, TABD_BIND_CORES: '1' }],
  ])
    add(name, await timed(playwrightCounts(project, [`--project=${project}`], env, 40 * MINUTE)));
  const note = gpu && !gpu.env ? ` (the software GPU tests did not run: ${gpu.reason})` : '';
  const projects = ['--project=browser', ...(gpu?.env ? ['--project=software-gpu'] : [])];
  const counting = playwrightCounts('browser', projects, browserEnv, 20 * MINUTE);
  add('browser tests', await timed(counting), note);
}

if (isChosen('soak')) {
  // Each host counts its own processes, files and memory, so both run at once.
  const hosts = ['node', 'chromium'];
  const counts = await Promise.all(hosts.map((host) => timed(soakCounts(host, SOAK_MINUTES, 10 * MINUTE))));
  for (const [at, host] of hosts.entries()) add(`load in ${host}`, counts[at]);
}

// These tests run only when named, because they need Firefox or WebKitGTK, and a build (docs/running.md).
if (chosen.includes('other-browsers')) {
  add(
    'other browsers',
    await vitestCounts('other-browsers', ['--config', 'test/other-browsers/vitest.config.ts'], 10 * MINUTE),
  );
}

console.log(`\n${results.join('\n')}\n`);
if (total.passed + total.failed === 0) total.failed = 1;
process.exitCode = total.failed > 0 ? 1 : 0;
console.log(`${total.passed} passed, ${total.failed} failed`);
