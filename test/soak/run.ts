/**
 * `npm run soak -- [--minutes N] [--host node|chromium] [--report FILE]`: loads a server with everything at once. It
 * compares two quiet moments: after the first fifth of the time, and at the end. Needs `npm run build`.
 */
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { publishWorkflow } from '../support/webhooks/workflow-control.ts';
import { SOAK_MODEL, SOAK_WORKFLOWS, tidy } from './activities.ts';
import { type Growth, growthOf, type Usage } from './growth.ts';
import { type Load, runLoad } from './run-load.ts';
import { openServer, type SoakHost, type SoakServer } from './servers.ts';

/** The share of the time in which caches and pools reach their size. */
const WARM_UP = 0.2;
/** Seconds between the last answer and a measurement: connections close, and engines end. */
const QUIET_SECONDS = 10;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '3' },
    host: { type: 'string', default: 'node' },
    report: { type: 'string' },
  },
});
const minutes = Number(values.minutes);
if (!(minutes > 0) || !['node', 'chromium'].includes(values.host)) {
  console.error('usage: npm run soak -- [--minutes N] [--host node|chromium] [--report FILE]');
  process.exit(2);
}

const server = await openServer(values.host as SoakHost);
try {
  for (const workflow of Object.values(SOAK_WORKFLOWS)) await publishWorkflow(server.door.control, workflow);
  const load: Load = { turns: {}, failures: [] };
  await runLoad(server.activities, server.door, minutes * 60 * WARM_UP, load);
  const before = await quietUsage(server);
  const start = Date.now();
  await runLoad(server.activities, server.door, minutes * 60 * (1 - WARM_UP), load);
  const after = await quietUsage(server);
  const growth = growthOf(before, after, server.allowed, (Date.now() - start) / 60_000);
  print(growth, load);
  const report = reportOf(growth, load);
  if (values.report) writeFileSync(values.report, JSON.stringify(report));
  process.exitCode = report.failed > 0 ? 1 : 0;
} finally {
  await server.close();
}

/** Memory, files and connections when all work has ended, and models have left the memory. */
async function quietUsage({ door, usage }: SoakServer): Promise<Usage> {
  await door.send('local-models', {
    method: 'POST',
    path: '/api/generate',
    body: { model: SOAK_MODEL, keep_alive: 0 },
  });
  await door.send('image-workflows', {
    method: 'POST',
    path: '/free',
    body: { unload_models: true, free_memory: true },
  });
  await door.send('image-workflows', { method: 'POST', path: '/history', body: { clear: true } });
  while ((await tidy(door)) > 0);
  await sleep(QUIET_SECONDS * 1000);
  return usage();
}

function print(growth: Growth[], { turns, failures }: Load): void {
  for (const { name, before, after, perHour, allowed, pass } of growth) {
    const [from, to, hourly] = [before, after, perHour].map((value) => value.toFixed(1));
    console.log(
      `${pass ? 'ok  ' : 'LEAK'}  ${name}: ${from} -> ${to} (${hourly} an hour; allowed: ${allowed})`,
    );
  }
  const done = Object.entries(turns).map(([name, count]) => `${name} ${count}`);
  console.log(`${values.host}, ${minutes} minutes: ${done.join(', ')}`);
  for (const failure of failures) console.log(`FAILED  ${failure}`);
}

/** Each value counts as one test, and all activities together as one. */
function reportOf(growth: Growth[], { failures }: Load) {
  const leaks = growth.filter(({ pass }) => !pass);
  const failed = leaks.length + (failures.length > 0 ? 1 : 0);
  return {
    passed: growth.length + 1 - failed,
    failed,
    reasons: [...leaks.map(({ name, before, after }) => `${name}: ${before} -> ${after}`), ...failures],
  };
}
