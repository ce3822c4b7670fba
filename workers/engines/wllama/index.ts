import { errorMessage } from '#core/base';
import {
  type Digest,
  type LanguageEngine,
  type LanguageModel,
  type LoadOptions,
  type Log,
  ModelCorrupt,
  type ModelFile,
  ModelUnsupported,
} from '#core/host';
import { answersAgree, isExpectedAnswer } from '../shared/known-answer.ts';
import { type AdapterReport, describeAdapter } from '../shared/webgpu-adapter.ts';
import { cpuName, ModelLoader } from './model-loader.ts';
import { type LoadedWllama, WllamaModel } from './wllama-model.ts';

export interface WllamaOptions {
  /** The file of a stored blob, read from disk without a copy. */
  fileOf(digest: Digest): Promise<Blob>;
  log: Log;
  /** Examines the WebGPU adapter. Default: `describeAdapter`. */
  probe?: () => Promise<AdapterReport>;
}

/** llama.cpp in WebAssembly, for GGUF models. It uses WebGPU if the adapter has 16-bit floats, otherwise the CPU. */
export function wllamaEngine(options: WllamaOptions): LanguageEngine {
  return {
    name: 'wllama',
    formats: ['gguf'],
    media: true,
    load: (files, load, signal, onProgress) => loadModel(options, files, load, signal, onProgress),
  };
}

async function loadModel(
  { fileOf, log, probe = describeAdapter }: WllamaOptions,
  files: ModelFile[],
  load: LoadOptions,
  signal: AbortSignal,
  onProgress: (fraction: number) => void,
): Promise<LanguageModel> {
  const weights = files.find(({ role }) => role === 'weights');
  if (!weights) throw new ModelUnsupported('the model has no weights file');
  const projector = files.find(({ role }) => role === 'projector');
  const parts = files.filter(({ role }) => role === 'part');
  const adapters = files.filter(({ role }) => role === 'adapter');
  if (parts.length > 0 && adapters.length > 0)
    throw new ModelUnsupported('a tab takes no adapters with a model of several files');
  const open = (chosen: ModelFile[]) => Promise.all(chosen.map((file) => openFile(fileOf, file)));
  const loader = new ModelLoader(
    {
      weights: await openFile(fileOf, weights),
      ...(projector ? { projector: await openFile(fileOf, projector) } : {}),
      parts: await open(parts),
      adapters: await open(adapters),
    },
    load,
  );
  const running = await loadOnBestDevice(loader, load, probe, log, signal, onProgress);
  return new WllamaModel(running, (note, signal) => {
    log.warn('a model moves from the GPU to the CPU', { note });
    return loader.loadOnCpu(note, signal, () => {});
  });
}

/** Loads the model on the GPU if that is usable and computes correctly. Otherwise on the CPU, with a note that says why. */
async function loadOnBestDevice(
  loader: ModelLoader,
  load: LoadOptions,
  probe: () => Promise<AdapterReport>,
  log: Log,
  signal: AbortSignal,
  onProgress: (fraction: number) => void,
): Promise<LoadedWllama> {
  const onCpu = (note?: string) => loader.loadOnCpu(note, signal, onProgress);
  if (load.gpuLayers === 0) return onCpu('the GPU is switched off for this model (num_gpu is 0)');
  const adapter = await probe();
  signal.throwIfAborted();
  if (!adapter.isUsable) return onCpu(adapter.reason);

  let onGpu: LoadedWllama;
  try {
    onGpu = await loader.loadOnGpu(adapter, signal, onProgress);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    // The file is the cause, so the CPU would fail as well.
    if (error instanceof ModelCorrupt || error instanceof ModelUnsupported) throw error;
    const note = `${adapter.name} failed: ${errorMessage(error)}`;
    log.warn('a model does not run on the GPU', { note });
    return onCpu(note);
  }
  const { answer, memory, threads } = onGpu.loaded;
  if (memory.gpu === 0) {
    // llama.cpp continued without the GPU. Only its memory sizes show that.
    const note = `${adapter.name} was not used: llama.cpp could not open it`;
    return { ...onGpu, device: { kind: 'cpu', name: cpuName(threads), note } };
  }
  if (isExpectedAnswer(answer)) return onGpu;

  // Some models do not continue the pattern: then the CPU's answer decides. The first copy is unloaded before the second loads.
  onGpu.process.dispose();
  const note = `${adapter.name} gave a wrong answer (${JSON.stringify(answer.text)}) to a known question`;
  const cpu = await loader.loadOnCpu(note, signal, onProgress, 'answer');
  if (!answersAgree(answer, cpu.loaded.answer)) {
    log.warn('a GPU gives wrong answers', { adapter: adapter.name, gpu: answer, cpu: cpu.loaded.answer });
    return cpu;
  }
  cpu.process.dispose();
  return loader.loadOnGpu(adapter, signal, onProgress);
}

async function openFile(fileOf: WllamaOptions['fileOf'], { digest }: ModelFile): Promise<Blob> {
  const file = await fileOf(digest);
  if (file.size === 0) throw new ModelCorrupt(`the model file ${digest} is empty`);
  return file;
}
