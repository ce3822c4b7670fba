import { type Digest, type LanguageEngine, type LoadOptions, type Log, ModelUnsupported } from '#core/host';
import { DeviceProof } from './device-proof.ts';
import { EngineChild } from './engine-child.ts';
import { isEngineInstalled, NOT_INSTALLED } from './installed.ts';
import { checkModelFile } from './model-file-check.ts';
import { NodeLlamaModel } from './node-llama-model.ts';
import type { GpuKind, LoadCommand } from './protocol.ts';

export interface NodeLlamaCppOptions {
  /** Where a stored file lies. */
  pathOf(digest: Digest): string;
  log?: Log;
  /** `auto` (the default) takes the best GPU there is, false none. */
  gpu?: 'auto' | GpuKind | false;
  /** Threads of a load that leaves the choice to the engine; without it one for each physical core. */
  threads?: number;
}

/** llama.cpp rounds context lengths up to this. */
const CONTEXT_STEP = 256;

/** llama.cpp through node-llama-cpp, one process a loaded model; on a GPU when there is one that computes rightly. */
export function nodeLlamaCppEngine(options: NodeLlamaCppOptions): LanguageEngine {
  const { pathOf, log } = options;
  /** Looking for GPUs takes a second: once found or not found, that is kept. */
  let gpu = options.gpu ?? 'auto';
  const proof = new DeviceProof(log);

  return {
    name: 'node-llama-cpp',
    formats: ['gguf'],
    async load(files, loadOptions, signal, onProgress) {
      signal.throwIfAborted();
      if (!isEngineInstalled()) throw new ModelUnsupported(NOT_INSTALLED);
      const weights = files.find(({ role }) => role === 'weights');
      if (!weights) throw new ModelUnsupported('the model has no weights');
      const path = pathOf(weights.digest);
      await checkModelFile(path, weights.size);
      const command: LoadCommand = {
        type: 'load',
        path,
        adapters: files.filter(({ role }) => role === 'adapter').map(({ digest }) => pathOf(digest)),
        options: completed(loadOptions, options.threads),
        gpu: loadOptions.gpuLayers === 0 ? false : gpu,
      };
      const start = async (on: LoadCommand['gpu']): Promise<NodeLlamaModel> => {
        const child = new EngineChild(log);
        const loaded = await child.load({ ...command, gpu: on }, signal, onProgress);
        return new NodeLlamaModel(child, loaded);
      };

      if (command.gpu === false) return proof.cpu(await start(false), weights, signal);
      let first: NodeLlamaModel;
      try {
        first = await start(command.gpu);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof ModelUnsupported) throw error;
        // A GPU can fail in as many ways as there are drivers; what is wrong with the file shows on the CPU too.
        const note = `the GPU could not be used: ${(error as Error).message}`;
        return proof.withNote(await proof.cpu(await start(false), weights, signal), note);
      }
      if (first.loaded.gpu === false) {
        if (options.gpu === undefined || options.gpu === 'auto') gpu = false;
        return proof.cpu(first, weights, signal);
      }
      gpu = first.loaded.gpu;
      if (first.device.kind === 'cpu') return proof.cpu(first, weights, signal);
      return proof.gpu(first, () => start(false), weights, signal);
    },
  };
}

function completed(options: LoadOptions, threads: number | undefined): LoadOptions {
  return {
    ...options,
    threads: options.threads || (threads ?? 0),
    contextLength: Math.max(1, Math.ceil(options.contextLength / CONTEXT_STEP)) * CONTEXT_STEP,
  };
}
