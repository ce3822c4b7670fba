import { stat } from 'node:fs/promises';
import os from 'node:os';
import type { Device } from '#core/host';
import type {
  Llama,
  LlamaContext,
  LlamaContextOptions,
  LlamaContextSequence,
  LlamaEmbeddingContext,
  LlamaModel,
} from '../llama-library.ts';
import type { GpuKind, LoadCommand, Loaded, Report } from '../protocol.ts';
import { Batcher } from './batcher.ts';
import { cacheChoice, chooseParallel } from './context-choice.ts';
import { findExactness } from './exactness.ts';
import { ModelError, WeightsRefused } from './failures.ts';
import { Internals, innerContext } from './library-internals.ts';
import { openLlama } from './llama.ts';
import { type Native, native } from './native.ts';
import { Places } from './place.ts';
import { ThreadPace } from './thread-pace.ts';
import { Vocabulary } from './vocabulary.ts';

export interface LoadedModel {
  llama: Llama;
  model: LlamaModel;
  context: LlamaContext;
  sequence: LlamaContextSequence;
  /** In a model that was loaded for embeddings. */
  embedding: LlamaEmbeddingContext | undefined;
  native: Native;
  internals: Internals;
  vocabulary: Vocabulary;
  places: Places;
  batcher: Batcher;
  /** Tokens that attention looks back on, where that is not all of them. */
  window: number | undefined;
  loaded: Loaded;
}

/** On a CPU 128 tokens are evaluated as fast per token as 512, and a stop is heard four times as often. */
const CPU_PROMPT_STEP = 128;
/** Any text. */
const PROBE = 'The sky is blue and the sea is deep, said the old man.';

export async function loadModel(
  command: LoadCommand,
  onProgress: (fraction: number) => void,
  report: (message: Report) => void,
): Promise<LoadedModel> {
  const { path, adapters, options } = command;
  const llama = await openLlama(command.gpu, report);
  if (llama.gpu === false) await mustFitInMemory(path);
  const model = await llama
    .loadModel({
      modelPath: path,
      gpuLayers: gpuLayers(llama, options.gpuLayers, options.contextLength),
      ...(options.useMmap === undefined ? {} : { useMmap: options.useMmap }),
      onLoadProgress: onProgress,
    })
    .catch((error) => {
      throw new WeightsRefused(error);
    });
  const threads = options.threads || Math.min(llama.cpuMathCores, os.availableParallelism());
  const onGpu = llama.gpu !== false && model.gpuLayers > 0;
  const sizes = {
    contextSize: options.contextLength,
    batchSize: Math.min(options.batchSize, options.contextLength),
  };
  const cache = cacheChoice(options, onGpu);
  const parallel = options.embedding ? 1 : await chooseParallel(llama, model, options, onGpu);
  const embedding = options.embedding ? await model.createEmbeddingContext({ ...sizes, threads }) : undefined;
  const { context, sequence } = embedding
    ? innerContext(embedding)
    : await chatContext(model, {
        ...sizes,
        ...cache.context,
        sequences: parallel,
        threads: { ideal: threads, min: 1 },
        ...(adapters.length > 0 ? { lora: { adapters: adapters.map((filePath) => ({ filePath })) } } : {}),
        failedCreationRemedy: false,
      });
  const bindings = native(llama, model, context);
  const internals = new Internals(bindings);
  const vocabulary = new Vocabulary(model, internals);
  const places = new Places(parallel);
  // Nothing to choose where the number of threads is fixed, or matters little.
  const pace =
    onGpu || options.threads !== 0
      ? undefined
      : new ThreadPace(threads, (allowed) => {
          batcher.threads = allowed;
          llama.maxThreads = allowed;
        });
  const piece = onGpu ? context.batchSize : Math.min(CPU_PROMPT_STEP, context.batchSize);
  const batcher: Batcher = new Batcher(bindings.context, piece, pace);
  if (!embedding && cache.testable) {
    const tokens = vocabulary.tokenize(PROBE);
    batcher.exactness = await findExactness(batcher, places.all, tokens, (output) =>
      internals.fingerprint(output),
    );
  }
  const memory = internals.memory();
  return {
    llama,
    model,
    context,
    sequence,
    embedding,
    native: bindings,
    internals,
    vocabulary,
    places,
    batcher,
    window: model.fileInsights.swaSize,
    loaded: {
      device: onGpu ? await gpuDevice(llama, model) : cpuDevice(threads),
      gpu: llama.gpu as GpuKind | false,
      contextLength: options.contextLength,
      embedding: embedding !== undefined,
      parallel,
      exactness: batcher.exactness,
      memory,
    },
  };
}

async function chatContext(model: LlamaModel, options: LlamaContextOptions) {
  const context = await model.createContext(options);
  return { context, sequence: context.getSequence() };
}

function gpuLayers(llama: Llama, wanted: number, contextSize: number) {
  if (llama.gpu === false) return 0;
  return wanted < 0 ? { fitContext: { contextSize } } : wanted;
}

/** Without a GPU the library does not compare the weights with the memory that is free. */
async function mustFitInMemory(path: string): Promise<void> {
  const { size } = await stat(path);
  const limit = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  const available = Math.min(os.freemem(), limit);
  if (size <= available) return;
  throw new ModelError(
    'memory',
    `the weights take ${gibibytes(size)} and ${gibibytes(available)} of memory are free`,
  );
}

const gibibytes = (bytes: number): string => `${(bytes / 2 ** 30).toFixed(1)} GiB`;

function cpuDevice(threads: number): Device {
  return { kind: 'cpu', name: `CPU, ${threads} ${threads === 1 ? 'thread' : 'threads'}` };
}

const libraries: Record<GpuKind, string> = { cuda: 'CUDA', vulkan: 'Vulkan', metal: 'Metal' };

async function gpuDevice(llama: Llama, model: LlamaModel): Promise<Device> {
  const names = (await llama.getGpuDeviceNames()).join(' + ');
  const total = model.fileInsights.totalLayers;
  const device: Device = { kind: 'gpu', name: `${libraries[llama.gpu as GpuKind]} (${names})` };
  if (model.gpuLayers < total) device.note = `${model.gpuLayers} of ${total} layers are on the GPU`;
  return device;
}
