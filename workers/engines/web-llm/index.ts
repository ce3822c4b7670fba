import {
  type Device,
  type Digest,
  EngineError,
  type EngineEvent,
  type GenerateRequest,
  type LanguageEngine,
  type LanguageModel,
  type LoadOptions,
  type Log,
  ModelCorrupt,
  type ModelFile,
  ModelUnsupported,
} from '#core/host';
import { EngineBroken, EngineProcess } from '../shared/engine-process.ts';
import type { WorkerModel } from '../shared/engine-protocol.ts';
import { isExpectedAnswer } from '../shared/known-answer.ts';
import { type AdapterLike, adapterName, requestAdapter } from '../shared/webgpu-adapter.ts';
import type { MlcLoadMessage } from './load-message.ts';
import { readMlcConfig } from './mlc-config.ts';

export interface WebLlmOptions {
  fileOf(digest: Digest): Promise<Blob>;
  log: Log;
  /** Requests the WebGPU adapter; null without one. Default: `requestAdapter`. */
  adapter?: () => Promise<AdapterLike | null>;
}

/** web-llm, for MLC models on WebGPU. Models with 32-bit floats also run on GPUs without 16-bit floats. */
export function webLlmEngine(options: WebLlmOptions): LanguageEngine {
  return {
    name: 'web-llm',
    formats: ['mlc'],
    load: (files, load, signal, onProgress) => loadModel(options, files, load, signal, onProgress),
  };
}

function mlcWorker(): Worker {
  return new Worker(new URL('./engine.worker.ts', import.meta.url), {
    type: 'module',
    name: 'tabd mlc engine',
  });
}

async function loadModel(
  { fileOf, log, adapter = requestAdapter }: WebLlmOptions,
  files: ModelFile[],
  load: LoadOptions,
  signal: AbortSignal,
  onProgress: (fraction: number) => void,
): Promise<LanguageModel> {
  if (load.embedding) throw new ModelUnsupported('web-llm gives no vectors of texts here');
  if (files.some(({ role }) => role === 'adapter')) {
    throw new ModelUnsupported(
      'MLC models take no adapters: their code is compiled with the weights; use a GGUF model',
    );
  }
  const library = files.find(({ role }) => role === 'library');
  if (!library) {
    throw new ModelUnsupported('it has no model library (.wasm), which web-llm needs; pull the model again');
  }
  if (load.gpuLayers === 0) {
    throw new ModelUnsupported('MLC models run on a GPU only, and num_gpu is 0; use the gguf variant');
  }
  const repository = await Promise.all(
    files
      .filter(({ role }) => role !== 'library')
      .map(async ({ name, digest }): Promise<[string, Blob]> => [name ?? digest, await fileOf(digest)]),
  );
  signal.throwIfAborted();
  const device = await requireDevice(await quantizationOf(repository), adapter);
  signal.throwIfAborted();
  const process = new EngineProcess<MlcLoadMessage>(mlcWorker);
  const loaded = await process.load(
    { files: repository, library: await fileOf(library.digest), contextLength: load.contextLength },
    signal,
    onProgress,
  );
  const isExpected = isExpectedAnswer(loaded.answer);
  if (!isExpected) log.info('the check of an MLC model was not conclusive', { answer: loaded.answer.text });
  const note = 'its answer to a known question is not the usual one, and there is no second device to ask';
  return new WebLlmModel(process, loaded, isExpected ? device : { ...device, note });
}

async function quantizationOf(files: [string, Blob][]): Promise<string> {
  const config = files.find(([path]) => path === 'mlc-chat-config.json')?.[1];
  if (!config) throw new ModelCorrupt('it has no mlc-chat-config.json');
  try {
    return readMlcConfig(await config.text(), undefined).quantization;
  } catch (error) {
    throw new ModelCorrupt('its mlc-chat-config.json is no JSON', { cause: error });
  }
}

/** @throws ModelUnsupported when the GPU cannot run a model of that quantization */
async function requireDevice(
  quantization: string,
  request: () => Promise<AdapterLike | null>,
): Promise<Device> {
  const adapter = await request().catch(() => null);
  if (!adapter) {
    throw new ModelUnsupported('MLC models need WebGPU, which found no adapter here; pull the gguf variant');
  }
  if (/f16/.test(quantization) && !adapter.features.has('shader-f16')) {
    throw new ModelUnsupported(
      `${quantization} needs 16-bit floats in shaders (shader-f16), which this GPU does not have; pull a variant with f32`,
    );
  }
  return { kind: 'gpu', name: adapterName(adapter) };
}

/** A loaded model in its worker. */
class WebLlmModel implements LanguageModel {
  readonly gone: Promise<Error>;

  constructor(
    private readonly process: EngineProcess<MlcLoadMessage>,
    private readonly loaded: WorkerModel,
    readonly device: Device,
  ) {
    this.gone = process.gone;
  }

  get contextLength(): number {
    return this.loaded.contextLength;
  }
  get memory(): { total: number; gpu: number } {
    return this.loaded.memory;
  }

  async *generate(request: GenerateRequest, signal: AbortSignal): AsyncGenerator<EngineEvent> {
    let hasEmitted = false;
    try {
      for await (const event of this.process.generate(request, signal)) {
        if (event.type === 'token') hasEmitted = true;
        yield event;
      }
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (error instanceof EngineBroken && hasEmitted) {
        throw new EngineError(
          `${error.message}: this answer ended early; ask again, the model is loaded anew`,
        );
      }
      throw error;
    }
  }

  tokenize(text: string, signal?: AbortSignal): Promise<number[]> {
    return this.process.tokenize(text, signal);
  }

  detokenize(tokens: number[], signal?: AbortSignal): Promise<string> {
    return this.process.detokenize(tokens, signal);
  }

  async dispose(): Promise<void> {
    this.process.dispose();
  }
}
