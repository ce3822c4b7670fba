/** Tokens a second through the port against the library alone, in one run, in turn. */
import { getLlama } from 'node-llama-cpp';
import { makeStateHome } from '../../test/contract/transports/states.ts';
import { removeHome } from '../../test/support/node-home.ts';
import { startShim } from '../../test/support/shim.ts';
import { smollm2 } from '../../test/support/weights.ts';
import type { Figure } from '../figure.ts';
import { CONTEXT, generateBody, lineTimes, PROMPT, speed, THREADS, TOKENS } from '../generation.ts';
import { interleaved, median, pairedRatio } from '../statistics.ts';

const PAIRS = 15;

export default async function* nodeSpeed(): AsyncIterable<Figure> {
  const home = await makeStateHome('ready');
  const shim = await startShim(home);
  const llama = await getLlama({ gpu: false, build: 'never', logLevel: 'error' as never });
  const model = await llama.loadModel({ modelPath: await smollm2(), gpuLayers: 0 });
  const context = await model.createContext({
    contextSize: CONTEXT,
    batchSize: 512,
    threads: { ideal: THREADS, min: THREADS },
  });
  const sequence = context.getSequence();
  try {
    const url = `http://127.0.0.1:${shim.ports['local-models']}/api/generate`;
    const api = async () => speed(await lineTimes(url, generateBody()));
    const bare = async () => {
      const times: number[] = [];
      await sequence.clearHistory();
      for await (const token of sequence.evaluate(model.tokenize(PROMPT), { temperature: 0 })) {
        model.detokenize([token]);
        times.push(performance.now());
        if (times.length === TOKENS) break;
      }
      return speed(times);
    };
    await api();
    await bare();
    const measured = await interleaved(PAIRS, api, bare);
    yield { name: 'node: tokens/s of the bare engine', value: median(measured.b) };
    yield { name: 'node: tokens/s through the API', value: median(measured.a) };
    yield {
      name: 'node: API against bare engine',
      value: pairedRatio(measured.a, measured.b),
      aim: '>= 0.97',
    };
  } finally {
    await context.dispose();
    await model.dispose();
    await llama.dispose();
    await shim.stop();
    await removeHome(home);
  }
}
