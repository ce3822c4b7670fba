// `npm test`: everything this project can check on this machine, with real weights and a real browser. The last line
// is `N passed, N failed`; the exit code is 1 when anything failed. `npm test -- unit contract` runs only those parts.
import { ensureBrowser } from './ensure-browser.mjs';
import { ensureFfmpeg } from './ensure-ffmpeg.mjs';
import { lintCounts, playwrightCounts, vitestCounts } from './test/counts.mjs';
import { run, tsx } from './test/run.mjs';
import { softwareGpu } from './test/software-gpu.mjs';

const MINUTE = 60_000;
const PARTS = ['typecheck', 'lint', 'unit', 'contract', 'browser', 'other-browsers'];
const chosen = process.argv.slice(2);
const unknown = chosen.filter((part) => !PARTS.includes(part));
if (unknown.length > 0) {
  console.error(`unknown part ${unknown.join(', ')}: choose among ${PARTS.join(', ')}`);
  process.exit(2);
}
const wanted = (part) => chosen.length === 0 || chosen.includes(part);
const total = { passed: 0, failed: 0 };
const results = [];

/** How many failures of a part are named at the end; all of them stand further up. */
const NAMED = 8;

function add(name, { passed, failed, reasons = [] }, note = '') {
  total.passed += passed;
  total.failed += failed;
  results.push(`${failed > 0 ? 'FAILED' : 'ok'}  ${name}: ${passed} passed, ${failed} failed${note}`);
  for (const reason of reasons.slice(0, NAMED)) results.push(`        ${reason.slice(0, 300)}`);
}

/** What has to be there before tests can run: counts only when it fails. */
async function prepare(name, work) {
  try {
    return await work();
  } catch (error) {
    console.error(`${name}: ${error.message}`);
    add(name, { passed: 0, failed: 1 });
    return undefined;
  }
}

if (wanted('typecheck')) {
  // All rooms count as one check.
  const code = await run('typecheck', process.execPath, ['scripts/typecheck.mjs'], { timeout: 10 * MINUTE });
  add('typecheck', code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 });
}
if (wanted('lint')) add('lint', await lintCounts(10 * MINUTE));

const real = wanted('unit') || wanted('contract') || wanted('browser');
if (real) {
  await prepare('weights', async () => {
    const code = await run('weights', process.execPath, [...tsx, 'scripts/test/weights.ts'], {
      timeout: 10 * MINUTE,
    });
    if (code !== 0) throw new Error('the weights that tests run on could not be fetched (see above)');
  });
}
if (wanted('unit') || wanted('browser')) await prepare('ffmpeg', () => ensureFfmpeg());
if (wanted('contract') || wanted('browser')) {
  const browser = await prepare('browser', () => ensureBrowser());
  if (browser) console.log(`Chromium: ${browser}`);
  await prepare('build', async () => {
    const code = await run('build', process.execPath, ['scripts/build.mjs'], { timeout: 10 * MINUTE });
    if (code !== 0) throw new Error('the build failed (see above)');
  });
}
// Seven minutes of waiting for seconds to pass: beside tests that keep the processor busy they cost no time.
const longStreams = wanted('browser')
  ? playwrightCounts('long streams', ['--project=seven minutes'], {}, 15 * MINUTE)
  : undefined;
if (wanted('unit')) {
  add('unit tests', await vitestCounts('unit', ['--project=unit'], 8 * MINUTE));
  add('unit tests on weights', await vitestCounts('unit-weights', ['--project=models'], 10 * MINUTE));
}
if (wanted('contract')) {
  add(
    'contract tables and clients',
    await vitestCounts('contract', ['--config', 'test/contract/vitest.config.ts'], 20 * MINUTE),
  );
}
if (wanted('browser')) {
  // Both clear the same folder of results when they begin, and the first has built the site for both.
  add('long streams in the browser', await longStreams);
  const gpu = await prepare('software GPU', () => softwareGpu());
  const note = gpu && !gpu.env ? ` (the software GPU tests did not run: ${gpu.reason})` : '';
  const env = { ...gpu?.env, TABD_QUICK: '1', TABD_SITE_BUILT: '1' };
  const projects = ['--project=browser', ...(gpu?.env ? ['--project=software-gpu'] : [])];
  add('browser tests', await playwrightCounts('browser', projects, env, 20 * MINUTE), note);
  // Alone: the threads of a model wait for each other by spinning, and take several times as long beside other tests.
  add('browser tests with models', await playwrightCounts('models', ['--project=models'], env, 25 * MINUTE));
}

// Only when named: they need Firefox or WebKitGTK, and a build (docs/running.md).
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
