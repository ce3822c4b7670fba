/** The speeds of language models and of small answers, on tabd and on an Ollama. */
import type { Figure } from '../figure.ts';
import { loadHttp } from '../http-load.ts';
import { type Side, SideError } from '../sides/side.ts';
import { interleaved } from '../statistics.ts';
import { BENCH_MODEL, createBenchModel, removeBenchModel, startOwnModel, TOGETHER } from './bench-model.ts';
import { comparison } from './comparison.ts';
import { generate, generateTogether } from './generate.ts';

/** Tokens of prompts, with the number of pairs: long prompts take long. */
const LENGTHS = [
  { length: 30, pairs: 7 },
  { length: 250, pairs: 7 },
  { length: 950, pairs: 5 },
  { length: 2600, pairs: 3 },
];
const TOGETHER_PAIRS = 5;
const SMALL_ANSWERS = [
  { path: '/api/version', ownAim: '>= 15000' },
  { path: '/api/tags', ownAim: '>= 8000' },
];
const REQUEST_PAIRS = 7;
const REQUEST_SECONDS = 2;
const CONNECTIONS = 10;

export default async function* againstOllama(peer: Side): AsyncIterable<Figure> {
  const { own, close } = await openOllamaSides(peer);
  try {
    yield* languageModels(own, peer);
    for (const { path, ownAim } of SMALL_ANSWERS) {
      const load = (side: Side) => () => requestRate(side, path);
      const { a, b } = await interleaved(REQUEST_PAIRS, load(own), load(peer));
      yield* comparison(peer.name, { what: `requests/s of ${path}`, own: a, peer: b, ownAim });
    }
  } finally {
    await close();
  }
}

async function* languageModels(own: Side, peer: Side): AsyncIterable<Figure> {
  for (const { length, pairs } of LENGTHS) {
    const run = eachSeed(pairs, (side, seed) => generate(side, BENCH_MODEL, length, seed));
    const { a, b } = await interleaved(pairs, run(own), run(peer));
    yield* comparison(peer.name, {
      what: `answer tokens/s after ${length} tokens`,
      own: a.map(({ answer }) => answer),
      peer: b.map(({ answer }) => answer),
      aim: '>= 1.2',
    });
    // The time of a short prompt is that of its first token.
    if (length < 100) continue;
    yield* comparison(peer.name, {
      what: `prompt tokens/s of ${length} tokens`,
      own: a.map(({ prompt }) => prompt),
      peer: b.map(({ prompt }) => prompt),
      aim: '>= 1.2',
    });
  }
  const together = eachSeed(TOGETHER_PAIRS, (side, seed) =>
    generateTogether(side, BENCH_MODEL, TOGETHER, seed),
  );
  const measured = await interleaved(TOGETHER_PAIRS, together(own), together(peer));
  yield* comparison(peer.name, {
    what: `tokens/s of ${TOGETHER} answers at once`,
    own: measured.a,
    peer: measured.b,
    aim: '>= 1.3',
  });
}

/** Runs of each side with the same seeds: both read the same prompts, and every prompt is new. */
function eachSeed<T>(count: number, work: (side: Side, seed: number) => Promise<T>) {
  const seeds = Array.from({ length: count }, () => Math.floor(Math.random() * 2 ** 31));
  return (side: Side) => {
    const left = [...seeds];
    return () => work(side, left.shift()!);
  };
}

/** Starts tabd, gives both sides the same model, and loads it. @throws SideError */
async function openOllamaSides(peer: Side): Promise<{ own: Side; close(): Promise<void> }> {
  const own = await startOwnModel(peer.signal);
  const close = async () => {
    await removeBenchModel(peer);
    await own.stop();
  };
  try {
    await createBenchModel(peer);
    for (const side of [own, peer]) await generate(side, BENCH_MODEL, 30, 1);
  } catch (error) {
    await close();
    throw error;
  }
  return { own, close };
}

async function requestRate(side: Side, path: string): Promise<number> {
  const { origin: url, headers, signal } = side;
  const how = { duration: REQUEST_SECONDS };
  const load = { url: url + path, headers, connections: CONNECTIONS, how, signal };
  const result = await loadHttp(load).catch((error) => {
    signal.throwIfAborted();
    throw new SideError(side, error.message, { cause: error });
  });
  return result.requests.total / result.duration;
}
