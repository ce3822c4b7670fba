/** Growth of memory in Node over chats, and over loads and unloads. The figures are slopes after a warm-up. */
import { makeStateHome } from '#test/contract/transports/states.ts';
import { removeHome } from '#test/support/processes/node-home.ts';
import { type RunningShim, startShim } from '#test/support/processes/shim.ts';
import { Collector, INSPECTABLE } from '../collector.ts';
import type { Figure } from '../figure.ts';
import { MODEL, THREADS } from '../generation.ts';
import { childIds, privateMemory } from '../process-usage.ts';
import { regressionSlope } from '../statistics.ts';

const CHATS = 200;
const CYCLES = 50;
/** The share of the rounds that precede the first sample of a series. */
const WARM_UP = 0.2;
const SAMPLES = 10;
const KB = 1024;

export default async function* memory(): AsyncIterable<Figure> {
  const home = await makeStateHome('ready');
  const shim = await startShim(home, { env: { NODE_OPTIONS: INSPECTABLE } });
  const collector = await Collector.connect(shim.output());
  const server = shim.process.pid!;
  const measure = async (count: number, use: (index: number) => Promise<void>, withChild: boolean) => {
    const at: number[] = [];
    const [heap, processMemory, child]: number[][] = [[], [], []];
    const every = Math.floor((count * (1 - WARM_UP)) / SAMPLES);
    for (let index = 1; index <= count; index++) {
      await use(index);
      if (index <= count * WARM_UP || index % every !== 0) continue;
      at.push(index);
      heap!.push(await collector.collect());
      processMemory!.push(privateMemory(server));
      if (withChild) child!.push(privateMemory(engineOf(server)));
    }
    return {
      heap: regressionSlope(at, heap!),
      own: regressionSlope(at, processMemory!),
      child: withChild ? regressionSlope(at, child!) : 0,
    };
  };
  try {
    const chats = await measure(CHATS, (index) => chat(shim, index), true);
    yield { name: 'node: kB of the server heap a chat', value: chats.heap / KB, aim: '<= 2' };
    yield { name: 'node: kB of the server a chat', value: chats.own / KB, aim: '<= 40' };
    yield { name: 'node: kB of the engine a chat', value: chats.child / KB, aim: '<= 40' };
    await unload(shim);
    const cycles = await measure(
      CYCLES,
      async (index) => {
        await chat(shim, index);
        await unload(shim);
      },
      false,
    );
    if (childIds(server).length > 0) throw new Error('an engine process is left after unloading');
    yield { name: 'node: kB of the server heap a load and unload', value: cycles.heap / KB, aim: '<= 20' };
    yield { name: 'node: kB of the server a load and unload', value: cycles.own / KB, aim: '<= 200' };
  } finally {
    collector.close();
    await shim.stop();
    await removeHome(home);
  }
}

function engineOf(server: number): number {
  const [engine, ...others] = childIds(server);
  if (engine === undefined || others.length > 0) throw new Error('there is not exactly one engine process');
  return engine;
}

async function chat(shim: RunningShim, index: number): Promise<void> {
  await post(shim, {
    model: MODEL,
    messages: [{ role: 'user', content: `Say the number ${index}.` }],
    options: { temperature: 0, num_predict: 8, num_ctx: 512, num_thread: THREADS },
  });
}

const unload = (shim: RunningShim) => post(shim, { model: MODEL, messages: [], keep_alive: 0 });

async function post(shim: RunningShim, body: unknown): Promise<void> {
  const url = `http://127.0.0.1:${shim.ports['local-models']}/api/chat`;
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok || !text.includes('"done":true')) throw new Error(text);
}
