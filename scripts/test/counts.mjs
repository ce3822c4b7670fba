// Counts of the test runners, from their JSON reports. A runner that crashed, found no test or skipped one has failed.
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from './run.mjs';

const reports = join(root, 'test-results', 'reports');

export async function vitestCounts(name, args, timeout) {
  const file = freshReport(name);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const code = await run(`${name} tests`, 'npx', ['--no-install', 'vitest', 'run', ...args, ...reporters], {
    timeout,
  });
  const report = read(file);
  if (!report) return { passed: 0, failed: 1 };
  // A file that could not even be loaded has no tests to count.
  const broken = report.testResults.filter(
    (result) =>
      result.status === 'failed' && !result.assertionResults.some(({ status }) => status === 'failed'),
  );
  for (const result of broken) console.error(`${result.name}: ${result.message}`);
  const skipped = report.numPendingTests + report.numTodoTests;
  if (skipped > 0) console.error(`${name}: ${skipped} tests were skipped, which counts as failed`);
  return settle(code, report.numPassedTests, report.numFailedTests + broken.length + skipped);
}

export async function playwrightCounts(name, args, env, timeout) {
  const file = freshReport(name);
  const code = await run(
    `${name} tests`,
    'npx',
    ['--no-install', 'playwright', 'test', ...args, '--reporter=list,json'],
    { timeout, env: { ...env, PLAYWRIGHT_JSON_OUTPUT_NAME: file, PLAYWRIGHT_JSON_OUTPUT_FILE: file } },
  );
  const report = read(file);
  if (!report) return { passed: 0, failed: 1 };
  const { expected, unexpected, flaky, skipped } = report.stats;
  for (const error of report.errors) console.error(`${name}: ${error.message}`);
  if (flaky > 0) console.error(`${name}: ${flaky} tests passed only when repeated`);
  if (skipped > 0) console.error(`${name}: ${skipped} tests were skipped, which counts as failed`);
  return settle(code, expected + flaky, unexpected + skipped);
}

function settle(code, passed, failed) {
  const crashed = failed === 0 && (code !== 0 || passed === 0);
  return { passed, failed: crashed ? 1 : failed };
}

function freshReport(name) {
  mkdirSync(reports, { recursive: true });
  const file = join(reports, `${name}.json`);
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
