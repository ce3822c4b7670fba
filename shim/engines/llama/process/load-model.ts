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
import type { GpuKind, LoadCommand, LoadedInfo, Report } from '../protocol.ts';
import { Batcher } from './batcher.ts';
import { cacheChoice, chooseParallel } from './context-choice.ts';
import { testExactness } from './exactness.ts';
import { ModelFault, WeightsRefused } from './failures.ts';
import { Internals, innerContext } from './library-internals.ts';
import { openLlama } from './llama.ts';
import { type Native, openNative } from './native.ts';
import { SequenceSlots } from './sequence-slots.ts';
import { defaultThreads, ThreadTuner } from './thread-tuner.ts';
import { LlamaVocabulary } from './vocabulary.ts';

export interface LoadedLlama {
  llama: Llama;
  model: LlamaModel;
  context: LlamaContext;
  sequence: LlamaContextSequence;
  /** Present in a model that was loaded for embeddings. */
  embedding: LlamaEmbeddingContext | undefined;
  native: Native;
  internals: Internals;
  vocabulary: LlamaVocabulary;
  slots: SequenceSlots;
  batcher: Batcher;
  /** Tokens in the sliding window of attention. Undefined if attention sees all tokens. */
  window: number | undefined;
  loaded: LoadedInfo;
}

/** On a CPU, pieces of 128 tokens are as fast as 512, and a stop takes effect four times sooner. */
const CPU_PROMPT_STEP = 128;
/** Any text serves for the test of exactness. */
const PROBE_TEXT = 'The sky is blue and the sea is deep, said the old man.';

export async function loadLlamaModel(
  command: LoadCommand,
  onProgress: (fraction: number) => void,
  report: (message: Report) => void,
): Promise<LoadedLlama> {
  const { path, adapters, options } = command;
  const llama = await openLlama(command.gpu, report);
  if (llama.gpu === false) await requireFreeMemory(path);
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
  const threads = options.threads || defaultThreads(llama.cpuMathCores, os.availableParallelism());
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
  const bindings = openNative(llama, model, context);
  const internals = new Internals(bindings);
  const vocabulary = new LlamaVocabulary(model, internals);
  const slots = new SequenceSlots(parallel);
  // The number of threads is not tuned if the user fixed it, or if the GPU computes.
  const tuner =
    onGpu || options.threads !== 0
      ? undefined
      : new ThreadTuner(threads, (allowed) => {
          batcher.threads = allowed;
          llama.maxThreads = allowed;
        });
  const piece = onGpu ? context.batchSize : Math.min(CPU_PROMPT_STEP, context.batchSize);
  const batcher: Batcher = new Batcher(bindings.context, piece, tuner);
  if (cache.sharing === 'always') batcher.sharing = { acrossSequences: true, acrossPieces: true };
  else if (!embedding && cache.sharing === 'if exact') {
    const tokens = vocabulary.tokenize(PROBE_TEXT);
    batcher.sharing = await testExactness(batcher, slots.all, tokens, (output) =>
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
    slots,
    batcher,
    window: model.fileInsights.swaSize,
    loaded: {
      device: onGpu ? await gpuDevice(llama, model) : cpuDevice(threads),
      gpu: llama.gpu as GpuKind | false,
      contextLength: options.contextLength,
      embedding: embedding !== undefined,
      parallel,
      sharing: batcher.sharing,
      memory,
    },
  };
}

async function chatContext(model: LlamaModel, options: LlamaContextOptions) {
  const context = await model.createContext(options);
  return { context, sequence: context.getSequence() };
}

function gpuLayers(llama: Llama, requested: number, contextSize: number) {
  if (llama.gpu === false) return 0;
  return requested < 0 ? { fitContext: { contextSize } } : requested;
}

/** Without a GPU the library does not check the free memory. @throws ModelFault */
async function requireFreeMemory(path: string): Promise<void> {
  const { size } = await stat(path);
  const limit = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  const available = Math.min(os.freemem(), limit);
  if (size <= available) return;
  throw new ModelFault(
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
