import { type LoadOptions, ModelCorrupt } from '#core/host';
import { EngineProcess } from '../shared/engine-process.ts';
import type { LoadMessage } from '../shared/engine-protocol.ts';
import type { AdapterReport } from '../shared/webgpu-adapter.ts';
import type { Running } from './wllama-model.ts';

/** More gain nothing: they wait for memory. */
const MOST_THREADS = 16;

/** Starts engine workers for one model, on the GPU or on the CPU, as often as it takes. */
export class Loader {
  constructor(
    private readonly files: { weights: Blob; projector?: Blob; adapters?: Blob[] },
    private readonly options: LoadOptions,
  ) {}

  async onGpu(
    adapter: AdapterReport,
    signal: AbortSignal,
    onProgress: (fraction: number) => void,
  ): Promise<Running> {
    const { process, loaded } = await this.#start(this.options.gpuLayers, 'answer', signal, onProgress);
    return { process, loaded, device: { kind: 'gpu', name: adapter.name ?? 'WebGPU' } };
  }

  /** `note` says why not on the GPU. */
  async onCpu(
    note: string | undefined,
    signal: AbortSignal,
    onProgress: (fraction: number) => void,
    check: LoadMessage['check'] = 'finite',
  ): Promise<Running> {
    const { process, loaded } = await this.#start(0, check, signal, onProgress);
    if (!loaded.answer.finite) {
      process.dispose();
      throw new ModelCorrupt('the model computes no finite numbers: its weights are damaged');
    }
    return {
      process,
      loaded,
      device: { kind: 'cpu', name: cpuName(loaded.threads), ...(note ? { note } : {}) },
    };
  }

  async #start(
    gpuLayers: number,
    check: LoadMessage['check'],
    signal: AbortSignal,
    onProgress: (fraction: number) => void,
  ) {
    const process = new EngineProcess();
    const loaded = await process.load(
      {
        ...this.files,
        contextLength: this.options.contextLength,
        // A GPU chooses its kernels by how much there is to do: side by side, answers would not be the same.
        parallel: gpuLayers === 0 && !this.options.embedding ? this.options.parallel || 1 : 1,
        ...(this.options.cacheType && { cacheType: this.options.cacheType }),
        batchSize: this.options.batchSize,
        gpuLayers,
        threads: threadCount(this.options.threads),
        check,
        embedding: this.options.embedding ?? false,
      },
      signal,
      onProgress,
    );
    return { process, loaded };
  }
}

/** Where the page is not isolated, wllama takes one thread whatever it is told. */
function threadCount(asked: number): number {
  if (asked > 0) return asked;
  const cores = navigator.hardwareConcurrency || 1;
  // Threads wait for each other by spinning: one core is left to the page, where there are some to spare.
  return cores <= 2 ? cores : Math.min(cores - 1, MOST_THREADS);
}

export function cpuName(threads: number): string {
  return `CPU, ${threads} thread${threads === 1 ? '' : 's'}`;
}
