/**
 * `npm run cluster-kill -- [--calls N] [--kills N] [--seed N]`: calls webhooks through the doors of a cluster while its parts
 * are killed, and checks what became of every call. Needs `npm run build`, PostgreSQL and Redis. The seed chooses the
 * kills and the calls; when they meet depends on the machine.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { randomNumbers } from '../support/local-models/random-schema.ts';
import { type Call, makeCall } from './calls.ts';
import { brokenInvariants, countBy } from './check.ts';
import { chooseByWeight } from './choose.ts';
import { type KillCluster, startKillCluster } from './cluster.ts';
import { KILL_KINDS, Killer, type KillKind } from './kills.ts';
import { Ledger } from './ledger.ts';
import { callId, isOpen, recordedExecutions } from './records.ts';
import { killRows, tableOf } from './report.ts';
import { whileKilling } from './while-killing.ts';
import { CALL_KINDS, type CallKind } from './workflows.ts';

const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '1000' },
    kills: { type: 'string', default: '40' },
    seed: { type: 'string', default: '1' },
    kinds: { type: 'string', default: KILL_KINDS.join(',') },
    interval: { type: 'string', default: '3' },
    doors: { type: 'string', default: '2' },
    workers: { type: 'string', default: '3' },
    concurrency: { type: 'string', default: '5' },
    takeover: { type: 'string', default: 'fail' },
    help: { type: 'boolean', default: false },
  },
});
const kinds = values.kinds.split(',') as KillKind[];
const counts = { calls: Number(values.calls), kills: Number(values.kills), seed: Number(values.seed) };
const wrong = [...Object.values(counts), ...[values.interval, values.doors, values.workers].map(Number)];
if (values.help || wrong.some((n) => !(n >= 0)) || kinds.some((kind) => !KILL_KINDS.includes(kind))) {
  console.log(
    `npm run cluster-kill -- [--calls N] [--kills N] [--seed N] [--kinds ${KILL_KINDS.join(',')}]
  [--interval SECONDS between kills] [--doors N] [--workers N] [--concurrency N of a worker] [--takeover fail|retry]`,
  );
  process.exit(values.help ? 0 : 2);
}

/** Milliseconds that executions have to end, once everything runs again. */
const SETTLE_TIME = 120_000;
/** Every this many calls has a large body. */
const LARGE_BODY_EVERY = 50;
const LARGE_BODY = 300_000;

const output = fileURLToPath(new URL('../../.cache/cluster-kill', import.meta.url));
rmSync(output, { recursive: true, force: true });
const random = randomNumbers(counts.seed);
const ledger = await Ledger.open(() => Math.random() * 400);
const begin = performance.now();
const cluster = await startKillCluster(
  {
    doors: Number(values.doors),
    workers: Number(values.workers),
    concurrency: Number(values.concurrency),
    takeover: values.takeover,
  },
  output,
);
try {
  await cluster.ready();
  for (const { workflow } of CALL_KINDS) await publish(cluster, workflow(ledger.address));
  for (const kind of CALL_KINDS) await untilAnswered(cluster, kind);
  const killer = new Killer(cluster, random, kinds);
  const calls = await callWhileKilling(cluster, killer);
  await killer.settled();
  const problems = await settle(cluster);
  const executions = await recordedExecutions(cluster.postgres, cluster.databaseUrl);
  const warmUps = new Set(CALL_KINDS.map((_, at) => callId(1_000_000 + at)));
  const evidence = {
    calls,
    effects: ledger.effects.filter(({ call }) => !warmUps.has(call)),
    executions: executions.filter(({ call }) => !call || !warmUps.has(call)),
    kills: killer.kills,
    ownEnds: cluster.workers.flatMap(({ ownEnds }) => ownEnds.map(({ at }) => at)),
    repeats: values.takeover === 'retry',
  };
  problems.push(...brokenInvariants(evidence));
  writeFileSync(join(output, 'evidence.json'), JSON.stringify({ ...evidence, problems }));
  const rows = killRows(killer.kills, calls, evidence.executions);
  const outcomes = countBy(calls.map(({ kind, outcome }) => `${kind.path} ${outcome}`));
  console.log(tableOf(rows));
  for (const [outcome, count] of [...outcomes].sort()) console.log(`${outcome}: ${count}`);
  for (const problem of problems.slice(0, 50)) console.log(`BROKEN: ${problem}`);
  console.log(
    JSON.stringify({
      ...counts,
      kinds: values.kinds,
      takeover: values.takeover,
      seconds: Math.round((performance.now() - begin) / 1000),
      effects: evidence.effects.length,
      ownEnds: evidence.ownEnds.length,
      rows,
      problems: problems.length,
    }),
  );
  process.exitCode = problems.length > 0 ? 1 : 0;
} finally {
  const late = await cluster.close();
  ledger.close();
  if (late.length > 0) {
    console.log(`BROKEN: did not end when asked: ${late.join(', ')}`);
    process.exitCode = 1;
  }
}

async function publish({ control }: KillCluster, workflow: object): Promise<void> {
  const { id } = await control<{ id: string }>('POST', '/workflows', workflow);
  await control('POST', `/workflows/${id}/activate`);
}

/** Workers learn of a new workflow within moments. */
async function untilAnswered({ ports }: KillCluster, kind: CallKind): Promise<void> {
  const id = callId(1_000_000 + CALL_KINDS.indexOf(kind));
  for (const port of ports) {
    for (let attempt = 1; ; attempt++) {
      const { outcome, text } = await makeCall(id, kind, [port], '{}');
      if (outcome === 200) break;
      if (attempt === 50) throw new Error(`${kind.path} is not answered: ${outcome} ${text}`);
      await sleep(200);
    }
  }
}

function callWhileKilling({ ports }: KillCluster, killer: Killer): Promise<Call[]> {
  const pace = { ...counts, interval: Number(values.interval), rate: 20 };
  return whileKilling(pace, killer, random, (number) => {
    const fill = number % LARGE_BODY_EVERY === 0 ? 'x'.repeat(LARGE_BODY) : '';
    const order = random() < 0.5 ? ports : [...ports].reverse();
    const kind = chooseByWeight(CALL_KINDS, ({ share }) => share, random);
    return makeCall(callId(number), kind, order, JSON.stringify({ number, fill }));
  });
}

/** Waits until nothing runs. @returns what still does after a long time */
async function settle({ postgres, databaseUrl, redis }: KillCluster): Promise<string[]> {
  const connection = new Redis(redis.url, { maxRetriesPerRequest: null });
  const queue = new Queue('webhook-calls', { connection: connection as never, prefix: 'tabd' });
  try {
    for (const deadline = performance.now() + SETTLE_TIME; ; await sleep(1000)) {
      const open = (await recordedExecutions(postgres, databaseUrl)).filter(isOpen);
      const jobs = await queue.getJobCounts('waiting', 'active', 'delayed', 'prioritized');
      const busy = Object.entries(jobs).filter(([, count]) => count > 0);
      if (open.length === 0 && busy.length === 0) return [];
      if (performance.now() > deadline)
        return busy.map(([state, count]) => `${count} jobs are still ${state}`);
    }
  } finally {
    await queue.close();
    connection.disconnect();
  }
}
