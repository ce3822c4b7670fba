import {
  type Digest,
  type LanguageEngine,
  type LoadOptions,
  type Log,
  type ModelFile,
  ModelUnsupported,
} from '#core/host';
import { DeviceProof } from './device-proof.ts';
import { EngineChild } from './engine-child.ts';
import { ModelWithImages } from './images/model-with-images.ts';
import { isImageLibraryInstalled } from './images/native-library.ts';
import { isEngineInstalled, NOT_INSTALLED } from './installed.ts';
import { LinkedParts } from './linked-parts.ts';
import { checkModelFile } from './model-file-check.ts';
import { NodeLlamaModel } from './node-llama-model.ts';
import type { GpuKind, LoadCommand } from './protocol.ts';

export interface NodeLlamaCppOptions {
  /** The path of a stored file, which may have to be copied to this computer first. */
  pathOf(digest: Digest): string | Promise<string>;
  log?: Log;
  /** `auto` (the default) takes the best GPU, false none. */
  gpu?: 'auto' | GpuKind | false;
  /** Threads of a model whose options leave the number open. Default: one for each physical core. */
  threads?: number;
}

/** llama.cpp rounds context lengths up to a multiple of this. */
const CONTEXT_STEP = 256;

/**
 * llama.cpp through node-llama-cpp, with a process for each loaded model. It uses a GPU that computes
 * correctly.
 */
export function nodeLlamaCppEngine(options: NodeLlamaCppOptions): LanguageEngine {
  const { pathOf, log } = options;
  /** The result of the search for GPUs is stored, because a search takes a second. */
  let gpu = options.gpu ?? 'auto';
  const proof = new DeviceProof(log);
  const linkedParts = new LinkedParts();

  /** Loads the model on a GPU that computes correctly, or else on the CPU. */
  const loadText = async (
    command: LoadCommand,
    weights: ModelFile,
    signal: AbortSignal,
    onProgress: (fraction: number) => void,
  ): Promise<NodeLlamaModel> => {
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
      // GPU drivers fail in many ways. If the file is at fault, the CPU fails too.
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
  };

  const readsImages = isImageLibraryInstalled();
  return {
    name: 'node-llama-cpp',
    formats: ['gguf'],
    media: readsImages,
    async load(files, loadOptions, signal, onProgress) {
      signal.throwIfAborted();
      if (!isEngineInstalled()) throw new ModelUnsupported(NOT_INSTALLED);
      const weights = files.find(({ role }) => role === 'weights');
      if (!weights) throw new ModelUnsupported('the model has no weights');
      const parts = [weights, ...files.filter(({ role }) => role === 'part')];
      const paths = await Promise.all(parts.map(({ digest }) => pathOf(digest)));
      for (const [index, { size }] of parts.entries()) await checkModelFile(paths[index]!, size);
      const path = paths.length > 1 ? await linkedParts.link(paths) : paths[0]!;
      const command: LoadCommand = {
        type: 'load',
        path,
        adapters: await Promise.all(
          files.filter(({ role }) => role === 'adapter').map(({ digest }) => pathOf(digest)),
        ),
        options: withDefaults(loadOptions, options.threads),
        gpu: loadOptions.gpuLayers === 0 ? false : gpu,
      };
      const model = await loadText(command, weights, signal, onProgress);
      const projector = files.find(({ role }) => role === 'projector');
      if (!projector || !readsImages || loadOptions.embedding) return model;
      const withProjector = { ...command, projector: await pathOf(projector.digest) };
      return new ModelWithImages(model, withProjector, projector.size, log);
    },
  };
}

function withDefaults(options: LoadOptions, threads: number | undefined): LoadOptions {
  return {
    ...options,
    threads: options.threads || (threads ?? 0),
    contextLength: Math.max(1, Math.ceil(options.contextLength / CONTEXT_STEP)) * CONTEXT_STEP,
  };
}
