import { type LoadOptions, ModelCorrupt } from '#core/host';
import { EngineProcess } from '../shared/engine-process.ts';
import type { AdapterReport } from '../shared/webgpu-adapter.ts';
import type { LoadMessage } from './load-message.ts';
import type { LoadedWllama } from './wllama-model.ts';

/** Above this number, further threads only wait for memory. */
const MAX_THREADS = 16;

function startWorker(): Worker {
  return new Worker(new URL('./engine.worker.ts', import.meta.url), { type: 'module', name: 'tabd engine' });
}

/** Starts engine workers for one model, on the GPU or on the CPU. */
export class ModelLoader {
  constructor(
    private readonly files: Pick<LoadMessage, 'weights' | 'parts' | 'projector' | 'adapters'>,
    private readonly options: LoadOptions,
  ) {}

  async loadOnGpu(
    adapter: AdapterReport,
    signal: AbortSignal,
    onProgress: (fraction: number) => void,
  ): Promise<LoadedWllama> {
    const { process, loaded } = await this.#start(this.options.gpuLayers, 'answer', signal, onProgress);
    return { process, loaded, device: { kind: 'gpu', name: adapter.name ?? 'WebGPU' } };
  }

  /**
   * Loads the model on the CPU. Rejects with `ModelCorrupt` when it computes numbers that are not finite.
   * @param note why the GPU is not used
   */
  async loadOnCpu(
    note: string | undefined,
    signal: AbortSignal,
    onProgress: (fraction: number) => void,
    check: LoadMessage['check'] = 'finite',
  ): Promise<LoadedWllama> {
    const { process, loaded } = await this.#start(0, check, signal, onProgress);
    if (!loaded.answer.isFinite) {
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
    const process = new EngineProcess<LoadMessage>(startWorker);
    const loaded = await process.load(
      {
        ...this.files,
        contextLength: this.options.contextLength,
        // One answer at a time: a GPU chooses kernels by the amount of work, so answers would depend on other requests.
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

/**
 * How many threads to use. Threads wait for each other by spinning. With three or more cores, one is left to the page. If the
 * page is not cross-origin isolated, wllama uses one thread.
 * @param requested 0 for the default
 */
function threadCount(requested: number): number {
  if (requested > 0) return requested;
  const cores = navigator.hardwareConcurrency || 1;
  return cores <= 2 ? cores : Math.min(cores - 1, MAX_THREADS);
}

/** The name of a CPU for people. */
export function cpuName(threads: number): string {
  return `CPU, ${threads} thread${threads === 1 ? '' : 's'}`;
}
