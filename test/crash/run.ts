/**
 * Kills a server at every write, or lets writes fail, and checks what a restart finds. `npm run crash -- --help`.
 * A run is repeatable: the operations are always the same, and `--seed` chooses the points of a sample.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { randomNumbers } from '../support/local-models/random-schema.ts';
import { compileFaultyDisk } from '../support/processes/faulty-disk.ts';
import { type Answer, brokenInvariants } from './invariants.ts';

const KINDS = ['kill', 'torn', 'power', 'enospc', 'eio', 'slow'] as const;
type Kind = (typeof KINDS)[number];
/** How many operations in a row fail. */
const SPANS: Partial<Record<Kind, number[]>> = { enospc: [1, 8], eio: [1, 8] };

const here = fileURLToPath(new URL('.', import.meta.url));
const output = fileURLToPath(new URL('../../.cache/crash', import.meta.url));
const { values: options } = parseArgs({
  options: {
    kinds: { type: 'string', default: KINDS.join(',') },
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    from: { type: 'string', default: '1' },
    every: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
});
if (options.help) {
  console.log(
    'npm run crash -- [--kinds kill,torn,power,enospc,eio,slow] [--sample N --seed N] [--from N] [--every N]',
  );
  process.exit(0);
}

const library = compileFaultyDisk();
const program = join(output, 'workload.mjs');
await build({
  entryPoints: [join(here, 'workload.ts')],
  outfile: program,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  packages: 'external',
  logLevel: 'error',
});

interface Run {
  answers: Answer[];
  exit: number | null;
  signal: string | null;
  stderr: string;
}

/** One run of the operations, with a fault. */
function run(home: string, fault: Record<string, string>): Promise<Run> {
  const child = spawn(process.execPath, [program, home], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, LD_PRELOAD: library, FAULT_ROOT: home, ...fault },
  });
  let printed = '';
  let stderr = '';
  child.stdout.on('data', (data) => {
    printed += data;
  });
  child.stderr.on('data', (data) => {
    stderr += data;
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), 60_000);
  return new Promise((resolve) =>
    child.once('close', (exit, signal) => {
      clearTimeout(timer);
      const answers = printed
        .split('\n')
        .filter((line) => line.endsWith('}'))
        .map((line) => JSON.parse(line) as Answer);
      resolve({ answers, exit, signal, stderr });
    }),
  );
}

async function withHome<T>(work: (home: string) => Promise<T>): Promise<T> {
  const home = mkdtempSync(join(tmpdir(), 'tabd-crash-'));
  try {
    return await work(home);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** The number of operations of the disk in a run without a fault, which must also pass. */
const operations = await withHome(async (home) => {
  const report = join(output, `count-${process.pid}`);
  const counted = await run(home, { FAULT_KIND: 'count', FAULT_REPORT: report });
  const problems = await brokenInvariants(home, counted.answers, { kind: 'none', ended: true });
  if (problems.length > 0 || counted.exit !== 0 || !existsSync(report))
    throw new Error(`without a fault: ${problems.join('; ')} ${counted.stderr}`);
  const count = Number(readFileSync(report, 'utf8'));
  rmSync(report);
  return count;
});

interface Point {
  kind: Kind;
  at: number;
  span: number;
}
const chosen = options.kinds.split(',') as Kind[];
let points: Point[] = chosen.flatMap((kind) =>
  (SPANS[kind] ?? [0]).flatMap((span) =>
    Array.from({ length: operations }, (_, index) => ({ kind, at: index + 1, span })),
  ),
);
points = points.filter(({ at }) => at >= Number(options.from) && (at - 1) % Number(options.every) === 0);
if (options.sample !== undefined) {
  const random = randomNumbers(Number(options.seed));
  const all = points;
  points = Array.from({ length: Number(options.sample) }, () => all[Math.floor(random() * all.length)]!);
}
console.log(`${operations} operations of the disk, ${points.length} points, seed ${options.seed}`);

let failed = 0;
const counts = new Map<string, number>();
for (const { kind, at, span } of points) {
  const name = span ? `${kind} x${span}` : kind;
  await withHome(async (home) => {
    const fault = { FAULT_KIND: kind, FAULT_AT: String(at), FAULT_SPAN: String(span) };
    const { answers, exit, signal, stderr } = await run(home, fault);
    const problems = await brokenInvariants(home, answers, { kind, ended: exit === 0 });
    // A server that cannot open its home may end with an error.
    if (exit !== 0 && signal === null && answers.length > 0)
      problems.push(`ended with code ${exit}: ${stderr}`);
    counts.set(name, (counts.get(name) ?? 0) + 1);
    if (problems.length === 0) return;
    failed++;
    console.log(`${name} at ${at}: ${problems.join('; ')}`);
  });
}
for (const [name, count] of counts) console.log(`${name}: ${count} points`);
console.log(failed === 0 ? 'every invariant held' : `${failed} points broke an invariant`);
process.exit(failed === 0 ? 0 : 1);
