/** Tokens a second against the length of the context: tabd, its engine alone, and an Ollama where one is given. */
import { cpus } from 'node:os';
import { getLlama } from 'node-llama-cpp';
import { smollm2 } from '#test/support/model-files/weights.ts';
import { BENCH_MODEL, createBenchModel, removeBenchModel, startOwnModel } from '../against/bench-model.ts';
import { generate, promptOf, type Speeds } from '../against/generate.ts';
import type { Side } from '../sides/side.ts';
import { median } from '../statistics.ts';
import type { Series } from './line-chart.ts';

const LENGTHS = [30, 120, 250, 500, 950, 1600, 2600];
const ROUNDS = 3;
const ANSWER = 64;
const CONTEXT = 4096;

interface Runner {
  name: string;
  dashed: boolean;
  run(length: number, seed: number): Promise<Speeds>;
}

/** The series of both plots: tokens of answers and of prompts a second. */
export async function measureContextLengths(
  peer: Side | undefined,
  signal: AbortSignal,
): Promise<{ answer: Series[]; prompt: Series[] }> {
  const own = await startOwnModel(signal);
  const engine = await openEngine();
  try {
    if (peer) await createBenchModel(peer);
    const ofSide =
      (side: Side): Runner['run'] =>
      (length, seed) =>
        generate(side, BENCH_MODEL, length, seed);
    const runners: Runner[] = [
      { name: 'tabd', dashed: false, run: ofSide(own) },
      { name: 'the engine alone', dashed: true, run: engine.run },
      ...(peer ? [{ name: peer.name, dashed: true, run: ofSide(peer) }] : []),
    ];
    for (const { run } of runners) await run(30, 1);
    const measured = new Map(runners.map(({ name }) => [name, [] as [number, Speeds][]]));
    let seed = Math.floor(Math.random() * 1e6);
    for (const length of LENGTHS)
      for (let round = 0; round < ROUNDS; round++) {
        seed += 10;
        const order = round % 2 === 0 ? runners : runners.toReversed();
        for (const { name, run } of order) {
          signal.throwIfAborted();
          measured.get(name)!.push([length, await run(length, seed)]);
        }
      }
    const series = (what: 'answer' | 'prompt', lengths: number[]) =>
      runners.map(({ name, dashed }) => ({
        name,
        dashed,
        points: lengths.map((length) => {
          const speeds = measured.get(name)!.filter(([at]) => at === length);
          return [length, median(speeds.map(([, speed]) => speed[what]))] as const;
        }),
      }));
    // The time of a short prompt is that of its first token.
    return { answer: series('answer', LENGTHS), prompt: series('prompt', LENGTHS.slice(1)) };
  } finally {
    await engine.close();
    if (peer) await removeBenchModel(peer);
    await own.stop();
  }
}

/** node-llama-cpp in this process, with its defaults. */
async function openEngine() {
  const llama = await getLlama({ gpu: false, build: 'never', logLevel: 'error' as never });
  const model = await llama.loadModel({ modelPath: await smollm2(), gpuLayers: 0 });
  const threads = { ideal: cpus().length, min: cpus().length };
  const context = await model.createContext({ contextSize: CONTEXT, batchSize: 512, threads });
  const sequence = context.getSequence();
  return {
    async run(length: number, seed: number): Promise<Speeds> {
      await sequence.clearHistory();
      const tokens = model.tokenize(promptOf(length, seed));
      const times = [performance.now()];
      for await (const token of sequence.evaluate(tokens, { temperature: 0.8, seed, yieldEogToken: true })) {
        model.detokenize([token]);
        times.push(performance.now());
        if (times.length > ANSWER) break;
      }
      const [started, first] = times as [number, number];
      return {
        promptTokens: tokens.length,
        prompt: (tokens.length * 1000) / (first - started),
        answer: ((times.length - 2) * 1000) / (times.at(-1)! - first),
      };
    },
    async close() {
      await context.dispose();
      await model.dispose();
      await llama.dispose();
    },
  };
}
