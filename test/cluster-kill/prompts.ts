/**
 * `npm run cluster-kill:prompts` kills parts of a cluster while it runs image prompts. Every accepted prompt must end
 * exactly once in the history, with one image or an error.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { randomNumbers } from '../support/local-models/random-schema.ts';
import { countBy } from './check.ts';
import { startKillCluster } from './cluster.ts';
import { ledgerNode, ledgerPrompt } from './image-node.ts';
import { KILL_KINDS, Killer, type KillKind } from './kills.ts';
import { Ledger } from './ledger.ts';
import { type Ask, brokenPromptInvariants, type SentPrompt } from './prompt-check.ts';
import { whileKilling } from './while-killing.ts';

const { values } = parseArgs({
  options: {
    prompts: { type: 'string', default: '200' },
    kills: { type: 'string', default: '40' },
    seed: { type: 'string', default: '1' },
    kinds: { type: 'string', default: KILL_KINDS.join(',') },
    interval: { type: 'string', default: '4' },
    doors: { type: 'string', default: '2' },
    workers: { type: 'string', default: '3' },
  },
});
/** Milliseconds that a client waits for the answer to `POST /prompt`. */
const ANSWER_TIME = 60_000;
/** Milliseconds until all prompts must have ended, once everything runs again. */
const SETTLE_TIME = 180_000;

const output = fileURLToPath(new URL('../../.cache/cluster-kill', import.meta.url));
rmSync(output, { recursive: true, force: true });
mkdirSync(output, { recursive: true });
const random = randomNumbers(Number(values.seed));
const ledger = await Ledger.open(() => 0);
const nodes = join(output, 'ledger-node.mjs');
writeFileSync(nodes, ledgerNode(ledger.address));
const begin = performance.now();
const cluster = await startKillCluster(
  {
    doors: Number(values.doors),
    workers: Number(values.workers),
    concurrency: 1,
    takeover: 'fail',
    api: 'image-workflows',
    settings: { TABD_IMAGE_NODES: nodes },
  },
  output,
);
const { ports } = cluster;
try {
  await cluster.ready();
  const killer = new Killer(cluster, random, values.kinds.split(',') as KillKind[]);
  const pace = { calls: Number(values.prompts), kills: Number(values.kills), rate: 3 };
  const sent = await whileKilling({ ...pace, interval: Number(values.interval) }, killer, random, send);
  await killer.settled();
  const problems = await settle();
  problems.push(...(await brokenPromptInvariants(sent, ledger.effects, ask)));
  const kills = countBy(killer.kills.map(({ kind }) => kind));
  const outcomes = countBy(sent.map(({ outcome }) => outcome));
  for (const [kind, count] of kills) console.log(`killed ${kind}: ${count}`);
  for (const [outcome, count] of outcomes) console.log(`prompts, ${outcome}: ${count}`);
  const runs = countBy(ledger.effects.map(({ call }) => call));
  console.log(`prompts whose node ended more than once: ${[...runs.values()].filter((n) => n > 1).length}`);
  for (const problem of problems.slice(0, 50)) console.log(`BROKEN: ${problem}`);
  console.log(
    JSON.stringify({
      ...values,
      seconds: Math.round((performance.now() - begin) / 1000),
      outcomes: Object.fromEntries(outcomes),
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

/** Sends a prompt to one of the doors. The client chooses its id, so that it knows it without an answer, too. */
async function send(number: number): Promise<SentPrompt> {
  const id = crypto.randomUUID();
  const call = `kill-${number}`;
  const prompt = ledgerPrompt(call, Math.round(random() * 800), number);
  const port = ports[Math.floor(random() * ports.length)]!;
  try {
    const response = await fetch(`http://127.0.0.1:${port}/prompt`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ prompt, prompt_id: id }),
      signal: AbortSignal.timeout(ANSWER_TIME),
    });
    const text = await response.text();
    return { id, call, outcome: response.ok ? 'accepted' : 'refused', status: response.status, text };
  } catch (error) {
    const hung = (error as Error).name === 'TimeoutError';
    return { id, call, outcome: hung ? 'hung' : 'disconnected', text: String(error) };
  }
}

/** Asks the doors in turn, until one answers. A moment without a leader is part of the test. */
async function ask(path: string): ReturnType<Ask> {
  for (let attempt = 0; ; attempt++) {
    const url = `http://127.0.0.1:${ports[attempt % ports.length]}${path}`;
    const response = await fetch(url).catch(() => undefined);
    if (response && response.status < 500) return response;
    await response?.body?.cancel();
    if (attempt === 60) throw new Error(`${path} is not answered`);
    await sleep(500);
  }
}

/** Waits until the queue is empty. @returns what is still in it after a long time */
async function settle(): Promise<string[]> {
  for (const deadline = performance.now() + SETTLE_TIME; ; await sleep(1000)) {
    const queue = (await (await ask('/queue')).json()) as Record<string, [number, string][]>;
    const left = Object.entries(queue).flatMap(([state, rows]) => rows.map(([, id]) => `${id}: ${state}`));
    if (left.length === 0 || performance.now() > deadline) return left;
  }
}
