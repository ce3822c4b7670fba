// Counts of the test runners and names of failed tests, from JSON reports. A runner that crashed, found no
// test or skipped a test has failed.
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root, run, tsx } from './run.mjs';

const reports = join(root, 'test-results', 'reports');
const unfinishedReporter = join(root, 'scripts/test/unfinished-reporter.mjs');

/** `{ passed, failed, reasons }` of a vitest run. `timeout`: milliseconds. */
export async function vitestCounts(name, args, timeout) {
  const file = freshReport(`${name}.json`);
  const unfinished = freshReport(`${name}.unfinished.json`);
  const reporters = [
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${file}`,
    `--reporter=${unfinishedReporter}`,
  ];
  const code = await run(`${name} tests`, 'npx', ['--no-install', 'vitest', 'run', ...args, ...reporters], {
    timeout,
    env: { TABD_UNFINISHED: unfinished },
  });
  const report = read(file);
  if (!report) return unfinishedCounts(read(unfinished));
  // A file that could not be loaded has no tests.
  const broken = report.testResults.filter(
    (result) =>
      result.status === 'failed' && !result.assertionResults.some(({ status }) => status === 'failed'),
  );
  const reasons = report.testResults.flatMap(({ name: path, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName }) => `${path.slice(root.length)} > ${fullName}`),
  );
  for (const result of broken) reasons.push(`${result.name.slice(root.length)}: ${result.message}`);
  const skipped = report.numPendingTests + report.numTodoTests;
  if (skipped > 0) reasons.push(`${skipped} tests were skipped, which counts as failed`);
  return settle(code, report.numPassedTests, report.numFailedTests + broken.length + skipped, reasons);
}

/** The checks of `npm run lint`. `timeout`: milliseconds. */
export const lintCounts = (timeout) => programCounts('lint', ['scripts/lint/run.ts'], timeout);

/** Each fuzz target counts as one test. `seconds`: for all together; `timeout`: milliseconds. */
export const fuzzCounts = (seconds, timeout) =>
  programCounts('fuzz', ['test/fuzz/run.ts', '--all', '--seconds', String(seconds)], timeout);

/** Each API counts as one test, and that the server still answers as another. `timeout`: milliseconds. */
export const schemathesisCounts = (examples, timeout) =>
  programCounts(
    'Schemathesis',
    // Other tests run at the same time.
    ['test/http-fuzz/run.ts', '--examples', String(examples), '--timeout', '30'],
    timeout,
  );

/** Each value that may not grow counts as one test. `timeout`: milliseconds. */
export const soakCounts = (host, minutes, timeout) =>
  programCounts(
    `load in ${host}`,
    ['test/soak/run.ts', '--host', host, '--minutes', String(minutes)],
    timeout,
  );

/** The counts of a program that writes them to the file that `--report` names. */
async function programCounts(name, args, timeout) {
  const file = freshReport(`${name}.json`);
  const code = await run(name, process.execPath, [...tsx, ...args, '--report', file], { timeout });
  const report = read(file);
  if (!report) return { passed: 0, failed: 1, reasons: ['the run wrote no report'] };
  return settle(code, report.passed, report.failed, report.reasons);
}

/** `{ passed, failed, reasons }` of a Playwright run. `timeout`: milliseconds. */
export async function playwrightCounts(name, args, env, timeout) {
  const file = freshReport(`${name}.json`);
  const code = await run(
    `${name} tests`,
    'npx',
    ['--no-install', 'playwright', 'test', ...args, '--reporter=list,json'],
    {
      timeout,
      env: {
        ...env,
        // Runs side by side would empty the same folder.
        TABD_BROWSER_RESULTS: `test-results/${name.replaceAll(' ', '-')}`,
        PLAYWRIGHT_JSON_OUTPUT_NAME: file,
        PLAYWRIGHT_JSON_OUTPUT_FILE: file,
      },
    },
  );
  const report = read(file);
  if (!report) return { passed: 0, failed: 1, reasons: ['the run wrote no report'] };
  const { expected, unexpected, flaky, skipped } = report.stats;
  const reasons = report.errors.map(({ message }) => message);
  const specs = report.suites.flatMap(specsOf);
  for (const { file: path, title, tests } of specs) {
    if (tests.some(({ status }) => status === 'unexpected')) reasons.push(`${path} > ${title}`);
    if (tests.some(({ status }) => status === 'flaky'))
      console.error(`passed only when repeated: ${path} > ${title}`);
  }
  if (skipped > 0) reasons.push(`${skipped} tests were skipped, which counts as failed`);
  return settle(code, expected + flaky, unexpected + skipped, reasons);
}

const specsOf = (suite) => [...suite.specs, ...(suite.suites ?? []).flatMap(specsOf)];

function settle(code, passed, failed, reasons) {
  if (failed > 0 || (code === 0 && passed > 0)) return { passed, failed, reasons };
  return { passed, failed: 1, reasons: [...reasons, `exit code ${code}`] };
}

/** The counts of a run that ended or crashed before its report. */
function unfinishedCounts(state) {
  const { passed = 0, failed = [], running = [] } = state ?? {};
  const where = running.map(([path, test]) => (test ? `${path} > ${test}` : path));
  const reasons = [...failed, `it did not end${where.length > 0 ? `; under way: ${where.join('; ')}` : ''}`];
  return { passed, failed: failed.length + 1, reasons };
}

function freshReport(name) {
  mkdirSync(reports, { recursive: true });
  const file = join(reports, name);
  rmSync(file, { force: true });
  return file;
}

function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    console.error(`no report of the runner: ${error.message}`);
    return undefined;
  }
}
