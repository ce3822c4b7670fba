// The package names an entry that it does not contain; its build is here.
import { Wllama } from '@wllama/wllama/esm/index.js';
import wasmUrl from '@wllama/wllama/esm/wasm/wllama.wasm?url';
import moduleCode from '@wllama/wllama/src/wasm/wllama.js?raw';
import compatWorkerUrl from '@wllama/wllama-compat/wasm/wllama.js?url';
import compatWasmUrl from '@wllama/wllama-compat/wasm/wllama.wasm?url';
import type { EngineEvent, GenerateRequest } from '../../../core/host/language-engine.ts';
import { type Chunk, ChunkReader, completionBody } from './completion.ts';
import { loadFailure } from './failure.ts';
import { checkRequest } from './known-answer.ts';
import { MemoryTally } from './memory.ts';
import { LOST, prelude } from './prelude.ts';
import type { CheckAnswer, Failure, Loaded, LoadMessage } from './protocol.ts';
import type { TextModel } from './tokenizer/text-model.ts';

/** A failure that the server worker is told about as it is. */
export class EngineFailure extends Error {
  constructor(readonly failure: Failure) {
    super(failure.message);
  }
}

/** wllama with its worker's code from our own files and with the device watched. */
class WatchedWllama extends Wllama {
  constructor(
    private readonly prelude: string,
    compatCode: string | undefined,
    config: ConstructorParameters<typeof Wllama>[1],
  ) {
    super({ default: wasmUrl }, config);
    this.setCompat(
      compatCode === undefined ? null : { worker: { code: prelude + compatCode }, wasm: compatWasmUrl },
    );
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
  #broken: Failure | undefined;
  #contextLength = 0;
  #endOfGeneration = new Set<number>();
  #addBos = false;
  /** Special tokens that are printed like text. */
  #printed: string[] = [];
  #text!: TextModel;

  private constructor(
    lock: string,
    compatCode: string | undefined,
    private readonly onBroken: (failure: Failure) => void,
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

  static async create(lock: string, onBroken: (failure: Failure) => void): Promise<Instance> {
    // A larger and slower build, for browsers that cannot suspend WebAssembly or give it 64-bit memory.
    const code = needsCompat() ? await (await fetch(compatWorkerUrl)).text() : undefined;
    return new Instance(lock, code, onBroken);
  }

  async load(
    message: LoadMessage,
    text: Promise<TextModel>,
    onProgress: (fraction: number) => void,
  ): Promise<Loaded> {
    const files = [counted(message.weights, onProgress)];
    if (message.projector) files.push(message.projector);
    const onGpu = message.gpuLayers !== 0;
    // A batch is the least that can be stopped: on a slow processor a small one, which costs it no speed.
    const batch = Math.max(1, onGpu ? message.batchSize : Math.min(message.batchSize, 64));
    try {
      await this.#wllama.loadModel(files, {
        n_ctx: message.contextLength,
        n_batch: batch,
        n_ubatch: batch,
        n_gpu_layers: message.gpuLayers < 0 ? 99_999 : message.gpuLayers,
        n_threads: message.threads,
        n_parallel: 1,
        ctx_shift: true,
        warmup: false,
      });
    } catch (error) {
      throw new EngineFailure(this.#broken ?? loadFailure([...this.#errors, messageOf(error)]));
    }
    const info = this.#wllama.getLoadedContextInfo() as ReturnType<Wllama['getLoadedContextInfo']> & {
      success: boolean;
    };
    if (!info.success) throw new EngineFailure(loadFailure(this.#errors));
    this.#contextLength = info.n_ctx;
    this.#endOfGeneration = new Set(info.list_tokens_eog);
    this.#addBos = info.add_bos_token;
    this.#text = await text;
    // llama.cpp knows which tokens end an answer, also those that the file does not name as such.
    this.#printed = this.#text.specialTokens(this.#endOfGeneration);
    return {
      contextLength: info.n_ctx,
      threads: this.#wllama.getNumThreads(),
      memory: { total: this.#memory.total, gpu: this.#memory.gpu },
      answer: await this.#check(message.check),
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
    this.#taskError = undefined;
    this.#errors.length = 0;
    try {
      await this.#wllama.createCompletion({
        ...completionBody(request, this.#prompt(request.prompt), this.#contextLength, this.#printed),
        abortSignal: AbortSignal.any([signal, full.signal]),
        onData: (chunk: unknown) => {
          emit(reader.read(chunk as Chunk));
          // Without shifting the answer ends where the context does; llama.cpp would shift here.
          if (!request.shift && reader.promptTokens + reader.generated >= this.#contextLength) full.abort();
        },
      } as unknown as { prompt: string; stream: true; onData(): void });
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
    const detail = this.#errors.find((line) => /grammar|Field '/.test(line));
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

  #break(kind: 'crash' | 'device-lost', message: string): Failure {
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
