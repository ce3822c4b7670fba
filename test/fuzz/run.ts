/** `npm run fuzz -- [TARGET ...] [--all] [--seconds N] [--seed N]`: coverage-guided tests of parsers. See docs/fuzzing.md. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildEngine } from './build-target.ts';
import { corpusOf, saveCorpus } from './corpus.ts';
import { type FuzzResult, superviseTarget } from './supervise.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const DEFAULT_SECONDS = 60;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    all: { type: 'boolean', default: false },
    /** For all targets together. */
    seconds: { type: 'string', default: String(DEFAULT_SECONDS) },
    seed: { type: 'string', default: '1' },
    /** Inputs of each target at most, for repeatable runs. */
    runs: { type: 'string' },
    /** Runs this input of one target, once. */
    replay: { type: 'string' },
    'save-corpus': { type: 'boolean', default: false },
    /** The folder for inputs with findings. */
    folder: { type: 'string', default: join(root, 'test-results', 'fuzz') },
    report: { type: 'string' },
  },
});

const names = (await readdir(new URL('targets', import.meta.url)))
  .map((file) => file.replace(/\.ts$/, ''))
  .sort();
const seconds = numberOf('seconds', values.seconds);
const seed = numberOf('seed', values.seed);
const maxRuns = values.runs === undefined ? Number.MAX_SAFE_INTEGER : numberOf('runs', values.runs);
const unknownNames = positionals.filter((name) => !names.includes(name));
const isEmpty = positionals.length === 0 && !values.all;
if (unknownNames.length > 0 || isEmpty || (values.replay && positionals.length !== 1)) {
  if (unknownNames.length > 0) console.error(`unknown target ${unknownNames.join(', ')}`);
  console.error(
    `usage: npm run fuzz -- TARGET ... | --all [--seconds N] [--seed N] [--runs N] [--replay FILE]`,
  );
  console.error(`targets: ${names.join(', ')}`);
  process.exit(2);
}

const chosen = positionals.length > 0 ? positionals : names;
const engine = await buildEngine();
const results: FuzzResult[] = [];
for (const name of chosen) {
  const inputs = values.replay ? [new Uint8Array(await readFile(values.replay))] : await corpusOf(name);
  const result = await superviseTarget(name, {
    engine,
    seed,
    duration: (seconds * 1000) / chosen.length,
    maxRuns: values.runs === undefined && values['save-corpus'] ? Number.MAX_SAFE_INTEGER : maxRuns,
    inputs,
    replays: values.replay !== undefined,
    folder: values.folder,
  });
  results.push(result);
  print(result);
  if (values['save-corpus']) await saveCorpus(name, result.inputs);
}

const failed = results.filter(({ findings }) => findings.length > 0);
if (values.report) {
  const reasons = failed.flatMap(({ target, findings }) =>
    findings.map(({ signature, file }) => `${target}: ${signature} (${relative(root, file)})`),
  );
  const counts = { passed: results.length - failed.length, failed: failed.length, reasons };
  await writeFile(values.report, JSON.stringify(counts));
}
process.exit(failed.length > 0 ? 1 : 0);

function print({ target, runs, duration, covered, counters, inputs, findings }: FuzzResult): void {
  const state = findings.length > 0 ? 'FAILED' : 'ok';
  const rate = Math.round(runs / (duration / 1000));
  console.log(
    `${state}  ${target}: ${runs} runs (${rate}/s), ${covered} of ${counters} branches, ${inputs.length} inputs`,
  );
  for (const { kind, details, file } of findings)
    console.log(`  ${kind}: ${details.split('\n').join('\n    ')}\n  input: ${relative(root, file)}`);
}

function numberOf(name: string, text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value >= 0) return value;
  console.error(`--${name} must be a number, not ${text}`);
  process.exit(2);
}
