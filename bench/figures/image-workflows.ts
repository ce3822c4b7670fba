/**
 * Image workflows in Node: the overhead of a prompt without its nodes, and of a sampler without its network.
 */
import type { TensorEngine } from '#core/host';
import { onnxHost } from '#test/support/host/onnx-host.ts';
import { imageServer } from '#test/support/image-workflows/image-server.ts';
import { addEmojiModel, defaultGraph, writeEmojiModel } from '#test/support/model-files/emoji-model.ts';
import { makeHome, removeHome } from '#test/support/processes/node-home.ts';
import { startShim } from '#test/support/processes/shim.ts';
import { Collector, INSPECTABLE } from '../collector.ts';
import type { Figure } from '../figure.ts';
import { ImageClient, trivialPrompt } from '../image-client.ts';
import { median, percentile, regressionSlope } from '../statistics.ts';

const PROMPTS = 400;
const SINGLE = 100;
const GROWTH = 1000;
const SAMPLES = 10;
const STEPS = 10;

export default async function* imageWorkflows(): AsyncIterable<Figure> {
  const home = await makeHome([]);
  await addEmojiModel(home);
  const shim = await startShim(home, { env: { NODE_OPTIONS: INSPECTABLE } });
  const collector = await Collector.connect(shim.output());
  const client = await ImageClient.connect({
    name: 'tabd',
    origin: `http://127.0.0.1:${shim.ports['image-workflows']}`,
    headers: {},
    signal: new AbortController().signal,
  });
  try {
    // Warm-up, until frequent code is compiled.
    await client.burst(PROMPTS / 2);
    yield { name: 'images: trivial prompts/s', value: await client.burst(PROMPTS), aim: '>= 309' };
    const fresh = await client.latencies(SINGLE, trivialPrompt);
    yield { name: 'images: ms from POST to done, p50', value: median(fresh), aim: '<= 2.3' };
    yield { name: 'images: ms from POST to done, p99', value: percentile(fresh, 0.99) };
    const same = trivialPrompt();
    await client.run(same);
    yield {
      name: 'images: ms of a prompt that is all cached, p50',
      value: median(await client.latencies(SINGLE, () => same)),
    };
    yield {
      name: 'images: ms of /object_info, p50',
      value: median(await objectInfo(client)),
      aim: '<= 33',
    };
    yield {
      name: 'images: kB of the server heap a prompt, kept history included',
      value: (await growth(client, collector)) / 1024,
      aim: '<= 8',
    };
  } finally {
    client.close();
    collector.close();
    await shim.stop();
    await removeHome(home);
  }
  yield* samplerCosts();
}

async function objectInfo(client: ImageClient): Promise<number[]> {
  const all: number[] = [];
  for (let i = 0; i < 20; i++) all.push(await client.objectInfo());
  return all;
}

/** Growth of the heap in bytes for each prompt. */
async function growth(client: ImageClient, collector: Collector): Promise<number> {
  const [at, heap]: [number[], number[]] = [[], []];
  for (let sample = 1; sample <= SAMPLES; sample++) {
    await client.burst(GROWTH / SAMPLES);
    at.push((sample * GROWTH) / SAMPLES);
    heap.push(await collector.collect());
  }
  return regressionSlope(at, heap);
}

/** A small model with latents of 64 x 64: time within the network, and the remaining time. */
async function* samplerCosts(): AsyncIterable<Figure> {
  const { host, remove } = await onnxHost();
  const watch = new NetworkWatch();
  const server = imageServer({ host: { ...host, tensorEngine: timed(host.tensorEngine!, watch) } });
  let seed = 1;
  /** Milliseconds for each step: within the network, and the rest. */
  const generate = async (sampler: string, steps: number) => {
    const graph = defaultGraph({ size: 512, steps, seed: seed++ });
    graph['3'].inputs.sampler_name = sampler;
    watch.reset();
    const { entry } = await server.run(graph);
    if (!entry.status.completed) throw new Error(JSON.stringify(entry.status.messages));
    return { network: watch.inNetwork / steps, overhead: watch.overhead / (steps - 1) };
  };
  try {
    await writeEmojiModel(host.files);
    await generate('euler', 2);
    for (const [sampler, aim] of [['euler', '<= 3'], ['dpmpp_2m_sde']] as const) {
      const { network, overhead } = await generate(sampler, STEPS);
      yield { name: `images: ${sampler}, ms a step in the network`, value: network };
      yield { name: `images: ${sampler}, ms a step outside of it`, value: overhead };
      yield {
        name: `images: ${sampler}, % a step outside of the network`,
        value: (100 * overhead) / network,
        ...(aim && { aim }),
      };
    }
  } finally {
    await server.close();
    await remove();
  }
}

/** Measures milliseconds between the network's first call and the end of its last one. */
class NetworkWatch {
  inNetwork = 0;
  #first: number | undefined;
  #last = 0;

  get overhead(): number {
    return this.#last - (this.#first ?? 0) - this.inNetwork;
  }

  reset(): void {
    this.inNetwork = 0;
    this.#first = undefined;
  }

  add(started: number, ended: number): void {
    this.#first ??= started;
    this.#last = ended;
    this.inNetwork += ended - started;
  }
}

/** Wraps an engine and measures the network's time. */
function timed(engine: TensorEngine, watch: NetworkWatch): TensorEngine {
  return {
    name: engine.name,
    async open(...options) {
      const session = await engine.open(...options);
      if (!session.inputs.some(({ name }) => name === 'timestep')) return session;
      const run: typeof session.run = async (...feeds) => {
        const started = performance.now();
        try {
          return await session.run(...feeds);
        } finally {
          watch.add(started, performance.now());
        }
      };
      return new Proxy(session, {
        get: (target, name) => {
          if (name === 'run') return run;
          const value = Reflect.get(target, name);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
    },
  };
}
