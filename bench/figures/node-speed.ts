/** Tokens a second through the port, compared with the library alone. Both run alternately. */
import { getLlama } from 'node-llama-cpp';
import { makeStateHome } from '#test/contract/transports/states.ts';
import { smollm2 } from '#test/support/model-files/weights.ts';
import { removeHome } from '#test/support/processes/node-home.ts';
import { startShim } from '#test/support/processes/shim.ts';
import type { Figure } from '../figure.ts';
import { CONTEXT, generateBody, lineTimes, PROMPT, speed, THREADS, TOKENS } from '../generation.ts';
import { cpuTime } from '../process-usage.ts';
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
    const serverCost: number[] = [];
    const api = async () => {
      const before = cpuTime(shim.process.pid!);
      const times = await lineTimes(url, generateBody());
      serverCost.push((cpuTime(shim.process.pid!) - before) / times.length);
      return speed(times);
    };
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
    yield {
      name: 'node: % that streaming costs over the bare engine',
      value: (1 / pairedRatio(measured.a, measured.b) - 1) * 100,
      aim: '<= 3',
    };
    yield { name: 'node: ms of the server process a token', value: median(serverCost) };
  } finally {
    await context.dispose();
    await model.dispose();
    await llama.dispose();
    await shim.stop();
    await removeHome(home);
  }
}
