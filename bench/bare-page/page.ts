/// <reference types="vite/client" />
/** wllama alone, with weights from this page's server. */
import { Wllama } from '@wllama/wllama/esm/index.js';
import wasmUrl from '@wllama/wllama/esm/wasm/wllama.wasm?url';

interface Settings {
  contextLength: number;
  threads: number;
}
interface Run {
  prompt: string;
  tokens: number;
}

let wllama: Wllama | undefined;

const bare = {
  /** The number of threads in use. */
  async load({ contextLength, threads }: Settings): Promise<number> {
    const silent = { debug() {}, log() {}, warn() {}, error: console.error };
    wllama = new Wllama({ default: wasmUrl }, { logger: silent });
    const weights = await (await fetch('/weights.gguf')).blob();
    await wllama.loadModel([weights], {
      n_ctx: contextLength,
      n_batch: 64,
      n_ubatch: 64,
      n_gpu_layers: 0,
      n_threads: threads,
      n_parallel: 1,
      warmup: false,
    });
    return wllama.getNumThreads();
  },

  /** Arrival times of the tokens, in milliseconds. */
  async run({ prompt, tokens }: Run): Promise<number[]> {
    const times: number[] = [];
    await wllama!.createCompletion({
      prompt,
      stream: true,
      n_predict: tokens,
      temperature: 0,
      onData: (chunk: { choices?: { text: string; finish_reason: string | null }[] }) => {
        if (chunk.choices?.[0]?.finish_reason === null) times.push(performance.now());
      },
    } as never);
    return times;
  },
};

Object.assign(window, { bare });
export type Bare = typeof bare;
