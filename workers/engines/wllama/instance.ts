// The package names an entry that it does not contain; its build is here.
import { Wllama } from '@wllama/wllama/esm/index.js';
import wasmUrl from '@wllama/wllama/esm/wasm/wllama.wasm?url';
import moduleCode from '@wllama/wllama/src/wasm/wllama.js?raw';
import compatWorkerUrl from '@wllama/wllama-compat/wasm/wllama.js?url';
import compatWasmUrl from '@wllama/wllama-compat/wasm/wllama.wasm?url';
import {
  type Embeddings,
  type EmbedOptions,
  type EngineEvent,
  type GenerateRequest,
  MEDIA_MARKER,
  type SerializedEngineError,
} from '#core/host';
import { EngineFailure } from '../shared/engine-failure.ts';
import type { CheckAnswer, Loaded, LoadMessage } from '../shared/engine-protocol.ts';
import { CHECK_TEXT, checkRequest } from '../shared/known-answer.ts';
import { type Chunk, ChunkReader, completionBody } from './completion.ts';
import { type Embedder, embedTexts, TooLong } from './embedding.ts';
import { readableImage } from './image-file.ts';
import { loadFailure } from './load-failure.ts';
import { MemoryTally } from './memory-tally.ts';
import { withoutDownloads } from './no-download-cache.ts';
import type { TextModel } from './tokenizer/text-model.ts';
import { LOST, prelude } from './worker-prelude.ts';

interface Proxy {
  wllamaAction(name: string, body: { files?: Uint8Array[] }): Promise<unknown>;
}

/** wllama with its worker's code from our own files, with the device watched, and with images for plain completions. */
class WatchedWllama extends Wllama {
  #media: Uint8Array[] = [];

  constructor(
    private readonly prelude: string,
    compatCode: string | undefined,
    config: ConstructorParameters<typeof Wllama>[1],
  ) {
    super({ default: wasmUrl }, { ...config, cacheManager: withoutDownloads() });
    this.setCompat(
      compatCode === undefined ? null : { worker: { code: prelude + compatCode }, wasm: compatWasmUrl },
    );
  }

  override async loadModel(...args: Parameters<Wllama['loadModel']>): Promise<void> {
    await super.loadModel(...args);
    // Plain completions send an empty list of files, though llama.cpp takes files with any prompt.
    const { proxy } = this as unknown as { proxy: Proxy };
    const { wllamaAction } = proxy;
    proxy.wllamaAction = (name, body) =>
      wllamaAction.call(proxy, name, name === 'completion' ? { ...body, files: this.#media } : body);
  }

  /** `media`: one file for each marker in the prompt. */
  complete(options: Record<string, unknown>, media: Uint8Array[]): Promise<unknown> {
    // The files are handed over before this returns, so that completions at the same time keep theirs apart.
    this.#media = media;
    const completion = this.createCompletion(
      options as unknown as { prompt: string; stream: true; onData(): void },
    );
    this.#media = [];
    return completion;
  }

  override getWorkerResources() {
    const resources = super.getWorkerResources();
    return resources.compat ? resources : { ...resources, jsPath: { code: this.prelude + moduleCode } };
  }
}

/** How llama.cpp's server describes a request that it refuses. */
interface TaskError {
  type?: string;
  n_prompt_tokens?: number;
  n_ctx?: number;
}

/** One loaded model in this worker. */
export class Instance {
  readonly #wllama: WatchedWllama;
  readonly #errors: string[] = [];
  readonly #memory = new MemoryTally();
  #taskError: TaskError | undefined;
  #broken: SerializedEngineError | undefined;
  #contextLength = 0;
  #endOfGeneration = new Set<number>();
  #addBos = false;
  /** Of llama.cpp, for a place in the prompt; undefined where the model takes no images. */
  #imageMarker: string | undefined;
  /** Special tokens that are printed like text. */
  #printed: string[] = [];
  #text!: TextModel;

  private constructor(
    lock: string,
    compatCode: string | undefined,
    private readonly onBroken: (failure: SerializedEngineError) => void,
  ) {
    const silent = () => {};
    const wasmLock = `${lock}:wasm`;
    this.#wllama = new WatchedWllama(prelude(wasmLock), compatCode, {
      logger: {
        debug: (...line: unknown[]) => this.#memory.read(String(line[0])),
        log: silent,
        warn: silent,
        error: (...line: unknown[]) => this.#onError(line),
      },
    });
    // Granted only when the worker that runs llama.cpp is gone; it takes the lock before it does anything else.
    void this.#watchWorker(wasmLock);
  }

  static async create(lock: string, onBroken: (failure: SerializedEngineError) => void): Promise<Instance> {
    // A larger and slower build, for browsers that cannot suspend WebAssembly or give it 64-bit memory.
    const code = needsCompat() ? await (await fetch(compatWorkerUrl)).text() : undefined;
    return new Instance(lock, code, onBroken);
  }

  async load(
    message: LoadMessage,
    text: Promise<TextModel>,
    onProgress: (fraction: number) => void,
  ): Promise<Loaded> {
    const adapters = message.adapters ?? [];
    const models = [counted(message.weights, onProgress), ...adapters];
    const files = [...models, ...(message.projector ? [message.projector] : [])];
    const onGpu = message.gpuLayers !== 0;
    // A batch is the least that can be stopped: on a slow processor a small one, which costs it no speed.
    // A text whose tokens are pooled is evaluated in one piece.
    const whole = onGpu || message.embedding;
    const batch = Math.max(1, whole ? message.batchSize : Math.min(message.batchSize, 64));
    try {
      await this.#wllama.loadModel(files, {
        n_ctx: message.contextLength * message.parallel,
        n_batch: batch,
        n_ubatch: batch,
        n_gpu_layers: message.gpuLayers < 0 ? 99_999 : message.gpuLayers,
        n_threads: message.threads,
        n_parallel: message.parallel,
        kv_unified: false,
        ...cacheParameters(message, onGpu),
        ctx_shift: true,
        warmup: false,
        ...(message.embedding && { embeddings: true }),
        // Every file that is no projector is kept like a part of the model; llama.cpp opens the first of them itself.
        ...(adapters.length > 0 && {
          lora_adapters: adapters.map((_, index) => ({ path: partName(index + 2, models.length) })),
        }),
      });
    } catch (error) {
      throw new EngineFailure(this.#broken ?? loadFailure([...this.#errors, messageOf(error)]));
    }
    const info = this.#wllama.getLoadedContextInfo() as ReturnType<Wllama['getLoadedContextInfo']> & {
      success: boolean;
      has_image_input: boolean;
      media_marker: string;
    };
    if (!info.success) throw new EngineFailure(loadFailure(this.#errors));
    this.#errors.length = 0;
    this.#contextLength = Math.floor(info.n_ctx / message.parallel);
    this.#endOfGeneration = new Set(info.list_tokens_eog);
    this.#addBos = info.add_bos_token;
    this.#imageMarker = info.has_image_input ? info.media_marker : undefined;
    this.#text = await text;
    // llama.cpp knows which tokens end an answer, also those that the file does not name as such.
    this.#printed = this.#text.specialTokens(this.#endOfGeneration);
    return {
      contextLength: this.#contextLength,
      parallel: message.parallel,
      threads: this.#wllama.getNumThreads(),
      embedding: message.embedding,
      memory: { total: this.#memory.total, gpu: this.#memory.gpu },
      answer: message.embedding ? await this.#checkVector() : await this.#check(message.check),
    };
  }

  async generate(
    request: GenerateRequest,
    signal: AbortSignal,
    emit: (events: EngineEvent[]) => void,
  ): Promise<void> {
    if (this.#broken) throw new EngineFailure(this.#broken);
    const reader = new ChunkReader(request, this.#endOfGeneration);
    const full = new AbortController();
    const { prompt, media } = await this.#media(this.#prompt(request.prompt), request.media);
    try {
      const options = {
        ...completionBody(request, prompt, this.#contextLength, this.#printed),
        abortSignal: AbortSignal.any([signal, full.signal]),
        onData: (chunk: unknown) => {
          emit(reader.read(chunk as Chunk));
          // Without shifting the answer ends where the context does; llama.cpp would shift here.
          if (!request.shift && reader.promptTokens + reader.generated >= this.#contextLength) full.abort();
        },
      };
      await this.#wllama.complete(options, media);
    } catch (error) {
      if (this.#broken) throw new EngineFailure(this.#broken);
      if (signal.aborted) throw new EngineFailure({ kind: 'aborted', message: 'aborted' });
      if (full.signal.aborted) {
        if (!reader.ended) emit([reader.full()]);
        return;
      }
      throw this.#requestFailure(error);
    }
    if (this.#broken) throw new EngineFailure(this.#broken);
    if (!reader.ended) emit([reader.full()]);
  }

  /** Images as llama.cpp reads them, and its own marker in their places. */
  async #media(prompt: string, given: Uint8Array[] = []): Promise<{ prompt: string; media: Uint8Array[] }> {
    if (given.length === 0) return { prompt, media: [] };
    const marker = this.#imageMarker;
    if (marker === undefined) {
      const message = 'the projector of this model takes no images';
      throw new EngineFailure({ kind: 'refused', message });
    }
    const media = await Promise.all(given.map((file, index) => readableImage(file, index)));
    // A marker that somebody wrote would ask for a file that is not there.
    return { prompt: prompt.replaceAll(marker, '').replaceAll(MEDIA_MARKER, marker), media };
  }

  embed(texts: string[], options: EmbedOptions, signal: AbortSignal): Promise<Embeddings> {
    return embedTexts(this.#embedder, texts, options, signal);
  }

  readonly #embedder: Embedder = {
    embed: async (text) => {
      if (this.#broken) throw new EngineFailure(this.#broken);
      this.#taskError = undefined;
      this.#errors.length = 0;
      try {
        const { data, usage } = await this.#wllama.createEmbedding({ input: text });
        return { vector: data[0]!.embedding as number[], tokens: usage.prompt_tokens };
      } catch (error) {
        if (this.#broken) throw new EngineFailure(this.#broken);
        const { type, n_prompt_tokens } = this.#lastTaskError();
        const tooLong = type === 'exceed_context_size_error' || /too large to process/.test(messageOf(error));
        throw tooLong ? new TooLong(n_prompt_tokens ?? 0) : this.#requestFailure(error);
      }
    },
    tokenize: (text) => {
      try {
        return this.#text.tokenize(text);
      } catch {
        return undefined;
      }
    },
    detokenize: (tokens) => this.#text.detokenize(tokens),
  };

  #lastTaskError(): TaskError {
    return this.#taskError ?? {};
  }

  async #checkVector(): Promise<CheckAnswer> {
    const options = { maxTokens: this.#contextLength, truncate: true };
    const { vectors } = await this.embed([CHECK_TEXT], options, new AbortController().signal);
    const vector = [...vectors[0]!];
    return { text: '', likeliest: [], finite: vector.every(Number.isFinite), vector };
  }

  /** The prompt as text; the beginning-of-sequence token is added by llama.cpp, so it is not kept twice. */
  #prompt(prompt: string | number[]): string {
    const text = typeof prompt === 'string' ? prompt : this.#text.detokenize(prompt);
    const { bos } = this.#text;
    return this.#addBos && bos && text.startsWith(bos) ? text.slice(bos.length) : text;
  }

  async #check(kind: 'answer' | 'finite'): Promise<CheckAnswer> {
    const answer: CheckAnswer = { text: '', likeliest: [], finite: true };
    await this.generate(checkRequest(kind), new AbortController().signal, (events) => {
      for (const event of events) {
        if (event.type !== 'token') continue;
        answer.text += event.text;
        if (!Number.isFinite(event.logprob?.logprob ?? Number.NaN)) answer.finite = false;
        if (answer.likeliest.length > 0) continue;
        answer.likeliest = event.logprob?.top.map(({ token, logprob }) => [token, logprob]) ?? [];
      }
    });
    return answer;
  }

  #requestFailure(error: unknown): EngineFailure {
    const { type, n_prompt_tokens, n_ctx } = this.#taskError ?? {};
    const lines = this.#errors.splice(0);
    this.#taskError = undefined;
    if (type === 'exceed_context_size_error') {
      return new EngineFailure({
        kind: 'context',
        message: messageOf(error),
        promptTokens: n_prompt_tokens,
        contextLength: n_ctx,
      });
    }
    // llama.cpp's own runtime failed (an abort or a trap), not this one request.
    if (error instanceof Error && error.name === 'RuntimeError')
      return new EngineFailure(this.#break('crash', error.message));
    if (/load (?:image|media)|decode image|bitmap/i.test(messageOf(error))) {
      return new EngineFailure({ kind: 'refused', message: `an image cannot be read: ${messageOf(error)}` });
    }
    if (lines.some((line) => /invalid UTF-8/.test(line))) {
      const message = 'llama.cpp cannot print the chances of a token that is a part of a character here';
      return new EngineFailure({ kind: 'request', message: `${message}; ask without logprobs` });
    }
    const detail = lines.find((line) => /grammar|Field '/.test(line));
    return new EngineFailure({ kind: 'request', message: detail ?? messageOf(error) });
  }

  #onError(line: unknown[]): void {
    const [text, detail] = line;
    if (typeof text === 'string' && text.startsWith(LOST)) {
      this.#break('device-lost', `the GPU device was lost (${text.slice(LOST.length).trim()})`);
      return;
    }
    if (detail && typeof detail === 'object') this.#taskError = detail as TaskError;
    if (typeof text === 'string' && this.#errors.length < 50) this.#errors.push(text);
  }

  #break(kind: 'crash' | 'device-lost', message: string): SerializedEngineError {
    if (this.#broken) return this.#broken;
    this.#broken = { kind, message };
    this.onBroken(this.#broken);
    return this.#broken;
  }

  async #watchWorker(lock: string): Promise<void> {
    if (!navigator.locks) return;
    for (let tries = 0; ; tries++) {
      const { held } = await navigator.locks.query();
      if (held?.some(({ name }) => name === lock)) break;
      if (this.#broken || tries === 200) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await navigator.locks.request(lock, () => {
      this.#break('crash', 'the worker of the inference engine ended');
    });
  }
}

/** Where wllama puts a file. (It would sort files that all have a name; the first of these has none.) */
function partName(number: number, of: number): string {
  const digits = (value: number) => String(value).padStart(5, '0');
  return `models/model-${digits(number)}-of-${digits(of)}.gguf`;
}

/**
 * On the CPU attention goes without its fused form, which adds up in another order for one token than for many once 512
 * are behind it: what is said would depend on what runs beside it and on what is kept. Quantized caches need it, and are
 * not concerned.
 */
function cacheParameters({ cacheType }: LoadMessage, onGpu: boolean) {
  if (cacheType === 'q8_0' || cacheType === 'q4_0') {
    return { cache_type_k: cacheType, cache_type_v: cacheType, flash_attn: true };
  }
  return onGpu ? {} : { flash_attn: false };
}

function needsCompat(): boolean {
  if (!('Suspending' in WebAssembly)) return true;
  try {
    new WebAssembly.Memory({ address: 'i64', initial: 1n } as unknown as WebAssembly.MemoryDescriptor);
    return false;
  } catch {
    return true;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The file as wllama reads it (size, slices, streams), telling how much of it has been read. */
function counted(file: Blob, onProgress: (fraction: number) => void): Blob {
  let read = 0;
  const count = (bytes: number) => {
    read += bytes;
    onProgress(Math.min(1, read / file.size));
  };
  return {
    size: file.size,
    type: file.type,
    slice(start = 0, end = file.size) {
      count(Math.min(end, file.size) - start);
      return file.slice(start, end);
    },
    stream: () =>
      file.stream().pipeThrough(
        new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
          transform(chunk, controller) {
            count(chunk.byteLength);
            controller.enqueue(chunk);
          },
        }),
      ),
    arrayBuffer: () => file.arrayBuffer(),
    text: () => file.text(),
    bytes: () => file.bytes(),
  } as Blob;
}
