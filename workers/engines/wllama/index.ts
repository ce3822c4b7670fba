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
import { agrees, asExpected } from '../shared/known-answer.ts';
import { type AdapterReport, probeAdapter } from '../shared/webgpu-adapter.ts';
import { cpuName, Loader } from './model-loader.ts';
import { type Running, WllamaModel } from './wllama-model.ts';

export interface WllamaOptions {
  /** The file of a stored blob; reading from it copies nothing. */
  fileOf(digest: Digest): Promise<Blob>;
  log: Log;
  /** What this worker's WebGPU offers; by default it is asked. */
  probe?: () => Promise<AdapterReport>;
}

/** llama.cpp in WebAssembly: any GGUF, on WebGPU where the adapter has 16-bit floats, else on the CPU. */
export function wllamaEngine(options: WllamaOptions): LanguageEngine {
  return {
    name: 'wllama',
    formats: ['gguf'],
    media: true,
    load: (files, load, signal, onProgress) => loadModel(options, files, load, signal, onProgress),
  };
}

async function loadModel(
  { fileOf, log, probe = probeAdapter }: WllamaOptions,
  files: ModelFile[],
  load: LoadOptions,
  signal: AbortSignal,
  onProgress: (fraction: number) => void,
): Promise<LanguageModel> {
  const weights = files.find(({ role }) => role === 'weights');
  if (!weights) throw new ModelUnsupported('the model has no weights file');
  const projector = files.find(({ role }) => role === 'projector');
  const loader = new Loader(
    {
      weights: await filled(fileOf, weights),
      ...(projector ? { projector: await filled(fileOf, projector) } : {}),
      adapters: await Promise.all(
        files.filter(({ role }) => role === 'adapter').map((adapter) => filled(fileOf, adapter)),
      ),
    },
    load,
  );
  const running = await choose(loader, load, probe, log, signal, onProgress);
  return new WllamaModel(running, (note, ended) => {
    log.warn('a model moves from the GPU to the CPU', { note });
    return loader.onCpu(note, ended, () => {});
  });
}

/** On the GPU when it is there, fit and right; else on the CPU, with a note that says why. */
async function choose(
  loader: Loader,
  load: LoadOptions,
  probe: () => Promise<AdapterReport>,
  log: Log,
  signal: AbortSignal,
  onProgress: (fraction: number) => void,
): Promise<Running> {
  const onCpu = (note?: string) => loader.onCpu(note, signal, onProgress);
  if (load.gpuLayers === 0) return onCpu('the GPU is switched off for this model (num_gpu is 0)');
  const adapter = await probe();
  signal.throwIfAborted();
  if (!adapter.usable) return onCpu(adapter.reason);

  let onGpu: Running;
  try {
    onGpu = await loader.onGpu(adapter, signal, onProgress);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    // The file is at fault, not the device.
    if (error instanceof ModelCorrupt || error instanceof ModelUnsupported) throw error;
    const note = `${adapter.name} failed: ${error instanceof Error ? error.message : String(error)}`;
    log.warn('a model does not run on the GPU', { note });
    return onCpu(note);
  }
  const { answer, memory, threads } = onGpu.loaded;
  if (memory.gpu === 0) {
    // llama.cpp went on without it, and says so only in what it allots.
    const note = `${adapter.name} was not used: llama.cpp could not open it`;
    return { ...onGpu, device: { kind: 'cpu', name: cpuName(threads), note } };
  }
  if (asExpected(answer)) return onGpu;

  // Not every model knows the pattern; what the CPU says decides. The two are never in memory together.
  onGpu.process.dispose();
  const note = `${adapter.name} gave a wrong answer (${JSON.stringify(answer.text)}) to a known question`;
  const cpu = await loader.onCpu(note, signal, onProgress, 'answer');
  if (!agrees(answer, cpu.loaded.answer)) {
    log.warn('a GPU gives wrong answers', { adapter: adapter.name, gpu: answer, cpu: cpu.loaded.answer });
    return cpu;
  }
  cpu.process.dispose();
  return loader.onGpu(adapter, signal, onProgress);
}

async function filled(fileOf: WllamaOptions['fileOf'], { digest }: ModelFile): Promise<Blob> {
  const file = await fileOf(digest);
  if (file.size === 0) throw new ModelCorrupt(`the model file ${digest} is empty`);
  return file;
}
