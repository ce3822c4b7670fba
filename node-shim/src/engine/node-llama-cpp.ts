import type { Digest } from '../../../core/host/blobs.ts';
import type { Log } from '../../../core/host/host.ts';
import {
  type LanguageEngine,
  type LoadOptions,
  ModelCorrupt,
  type ModelFile,
  ModelUnsupported,
} from '../../../core/host/language-engine.ts';
import { agrees, isFinite, isPlausible } from './device-check.ts';
import { EngineChild } from './engine-child.ts';
import { checkModelFile } from './model-file-check.ts';
import { NodeLlamaModel } from './node-llama-model.ts';
import type { GpuKind, LoadCommand } from './protocol.ts';

export interface NodeLlamaCppOptions {
  /** Where a stored file lies. */
  pathOf(digest: Digest): string;
  log?: Log;
  /** `auto` (the default) takes the best GPU there is, false none. */
  gpu?: 'auto' | GpuKind | false;
}

/** Up to this many bytes a second load on the CPU is cheap enough to compare every answer with. */
const ALWAYS_COMPARED = 2 * 2 ** 30;
/** llama.cpp rounds context lengths up to this. */
const CONTEXT_STEP = 256;

/**
 * llama.cpp through node-llama-cpp, one process a loaded model. GPU and CPU must agree on a fixed text before a GPU is
 * used: always for small models, otherwise when the GPU's own answer is implausible.
 */
export function nodeLlamaCppEngine(options: NodeLlamaCppOptions): LanguageEngine {
  const { pathOf, log } = options;
  /** Looking for GPUs takes a second: once found or not found, that is kept. */
  let gpu = options.gpu ?? 'auto';
  /** Files and devices that gave the right answer once. */
  const proven = new Set<string>();

  return {
    name: 'node-llama-cpp',
    formats: ['gguf'],
    async load(files, loadOptions, signal, onProgress) {
      signal.throwIfAborted();
      const weights = files.find(({ role }) => role === 'weights');
      if (!weights) throw new ModelUnsupported('the model has no weights');
      const path = pathOf(weights.digest);
      await checkModelFile(path, weights.size);
      const command: LoadCommand = {
        type: 'load',
        path,
        adapters: files.filter(({ role }) => role === 'adapter').map(({ digest }) => pathOf(digest)),
        options: rounded(loadOptions),
        gpu: loadOptions.gpuLayers === 0 ? false : gpu,
      };
      const start = async (on: LoadCommand['gpu']): Promise<NodeLlamaModel> => {
        const child = new EngineChild(log);
        const loaded = await child.load({ ...command, gpu: on }, signal, onProgress);
        return new NodeLlamaModel(child, loaded);
      };

      if (command.gpu === false) return proveCpu(await start(false), weights, signal);
      let first: NodeLlamaModel;
      try {
        first = await start(command.gpu);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof ModelUnsupported) throw error;
        // A GPU can fail in as many ways as there are drivers; what is wrong with the file shows on the CPU too.
        const note = `the GPU could not be used: ${(error as Error).message}`;
        return withNote(await proveCpu(await start(false), weights, signal), note, log);
      }
      if (first.loaded.gpu === false) {
        if (options.gpu === undefined || options.gpu === 'auto') gpu = false;
        return proveCpu(first, weights, signal);
      }
      gpu = first.loaded.gpu;
      if (first.device.kind === 'cpu') return proveCpu(first, weights, signal);
      return proveGpu(first, () => start(false), weights, signal);
    },
  };

  async function proveCpu(
    model: NodeLlamaModel,
    weights: ModelFile,
    signal: AbortSignal,
  ): Promise<NodeLlamaModel> {
    const key = `${weights.digest} cpu`;
    if (proven.has(key)) return model;
    return disposeOnError(model, async () => {
      // The CPU is what others are measured by: only an answer that is no number shows damaged weights.
      if (!isFinite(await model.knownAnswer(signal))) {
        throw new ModelCorrupt(
          'the model computes no numbers: its weights are damaged. Delete the model and pull it again.',
        );
      }
      proven.add(key);
      return model;
    });
  }

  async function proveGpu(
    model: NodeLlamaModel,
    startOnCpu: () => Promise<NodeLlamaModel>,
    weights: ModelFile,
    signal: AbortSignal,
  ): Promise<NodeLlamaModel> {
    const key = `${weights.digest} ${model.device.name}`;
    if (proven.has(key)) return model;
    return disposeOnError(model, async () => {
      let note = 'the GPU failed on a known answer';
      try {
        const answer = await model.knownAnswer(signal);
        const plausible = isPlausible(answer);
        if (plausible && weights.size > ALWAYS_COMPARED) {
          proven.add(key);
          return model;
        }
        const reference = await startOnCpu();
        return await disposeOnError(reference, async () => {
          if (agrees(answer, await reference.knownAnswer(signal))) {
            proven.add(key);
            await reference.dispose();
            return model;
          }
          await model.dispose();
          return withNote(reference, 'the GPU gave a wrong answer to a known question', log);
        });
      } catch (error) {
        signal.throwIfAborted();
        note = `${note}: ${(error as Error).message}`;
      }
      await model.dispose();
      return withNote(await proveCpu(await startOnCpu(), weights, signal), note, log);
    });
  }
}

async function disposeOnError<T>(model: NodeLlamaModel, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await model.dispose();
    throw error;
  }
}

function withNote(model: NodeLlamaModel, note: string, log: Log | undefined): NodeLlamaModel {
  model.device = { ...model.device, note };
  log?.warn('the model runs on the CPU', { reason: note });
  return model;
}

function rounded(options: LoadOptions): LoadOptions {
  return {
    ...options,
    contextLength: Math.max(1, Math.ceil(options.contextLength / CONTEXT_STEP)) * CONTEXT_STEP,
  };
}
