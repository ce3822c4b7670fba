import { Deferred, orAborted } from '#core/base';
import {
  deserializeEngineError,
  type Embeddings,
  type EmbedOptions,
  EngineCrashed,
  type EngineEvent,
  type GenerateRequest,
  type SerializedEngineError,
} from '#core/host';
import type { EngineLoadMessage, EngineReport, EngineRequest, WorkerModel } from './engine-protocol.ts';
import { watchLifeLock } from './life-lock.ts';

/** A worker failed in a way that another device may not share. */
export class EngineBroken extends EngineCrashed {
  constructor(readonly failure: SerializedEngineError) {
    super(failure.message);
  }
}

interface PendingCall {
  onEvents?(events: EngineEvent[]): void;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** The server worker's end of the channel to one engine worker. `Load` is the message that loads the engine's models. */
export class EngineProcess<Load extends EngineLoadMessage> {
  readonly #worker: Worker;
  readonly #calls = new Map<number, PendingCall>();
  readonly #ended = new AbortController();
  readonly #gone = new Deferred<Error>();
  #nextId = 1;
  #loading: { resolve(loaded: WorkerModel): void; reject(error: Error): void } | undefined;
  #onProgress: (fraction: number) => void = () => {};

  /** Resolves with the cause when this worker can no longer be used: it is broken, has died or was disposed of. */
  readonly gone = this.#gone.promise;

  constructor(startWorker: () => Worker) {
    this.#worker = startWorker();
    this.#worker.addEventListener('message', ({ data }: MessageEvent<EngineReport>) => this.#onReport(data));
    this.#worker.addEventListener('error', (event) => {
      event.preventDefault();
      this.#end(new EngineCrashed(`the engine worker failed: ${event.message || 'its script did not load'}`));
    });
  }

  /**
   * Loads the model. A failure or an abort ends the worker. Rejects with the engine's error or the signal's reason.
   * @param onProgress receives a fraction from 0 to 1
   */
  load(
    message: Omit<Load, 'type' | 'lock'>,
    signal: AbortSignal,
    onProgress: (fraction: number) => void,
  ): Promise<WorkerModel> {
    const lock = `tabd:engine:${crypto.randomUUID()}`;
    this.#onProgress = (fraction) => {
      // With its first report the worker holds its lock.
      this.#onProgress = onProgress;
      this.#watchWorker(lock);
      onProgress(fraction);
    };
    return new Promise((resolve, reject) => {
      const abort = () => {
        reject(signal.reason);
        this.dispose();
      };
      if (signal.aborted) {
        abort();
        return;
      }
      signal.addEventListener('abort', abort, { once: true });
      const settle = () => signal.removeEventListener('abort', abort);
      this.#loading = {
        resolve: (loaded) => {
          settle();
          resolve(loaded);
        },
        reject: (error) => {
          settle();
          reject(error);
          this.dispose();
        },
      };
      this.#send({ ...message, type: 'load', lock } as Load);
    });
  }

  /** The events of one answer, in order. An abort of the signal or of the iteration stops the generation. */
  async *generate(request: GenerateRequest, signal: AbortSignal): AsyncGenerator<EngineEvent> {
    signal.throwIfAborted();
    const id = this.#nextId++;
    let queue: EngineEvent[] = [];
    let wake: (() => void) | undefined;
    let hasEnded = false;
    let failure: Error | undefined;
    const notify = () => {
      wake?.();
      wake = undefined;
    };
    const abort = () => {
      this.#send({ type: 'abort', id });
      notify();
    };
    this.#call(id, { type: 'generate', id, request }, (events) => {
      queue.push(...events);
      notify();
    }).then(
      () => {
        hasEnded = true;
        notify();
      },
      (error: Error) => {
        hasEnded = true;
        failure = error;
        notify();
      },
    );
    signal.addEventListener('abort', abort, { once: true });
    try {
      for (;;) {
        signal.throwIfAborted();
        const events = queue;
        queue = [];
        for (const event of events) {
          yield event;
          signal.throwIfAborted();
        }
        if (queue.length > 0) continue;
        if (failure) throw failure;
        if (hasEnded) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    } finally {
      signal.removeEventListener('abort', abort);
      if (!hasEnded) this.#send({ type: 'abort', id });
    }
  }

  /** The vectors of texts. Rejects with the signal's reason at once; the worker stops after the current text. */
  async embed(texts: string[], options: EmbedOptions, signal: AbortSignal): Promise<Embeddings> {
    const id = this.#nextId++;
    try {
      return (await this.#callOnce(id, { type: 'embed', id, texts, options }, signal)) as Embeddings;
    } finally {
      if (signal.aborted) this.#send({ type: 'abort', id });
    }
  }

  tokenize(text: string, signal?: AbortSignal): Promise<number[]> {
    const id = this.#nextId++;
    return this.#callOnce(id, { type: 'tokenize', id, text }, signal) as Promise<number[]>;
  }

  detokenize(tokens: number[], signal?: AbortSignal): Promise<string> {
    const id = this.#nextId++;
    return this.#callOnce(id, { type: 'detokenize', id, tokens }, signal) as Promise<string>;
  }

  /** Terminates the worker, which frees all memory of the model. Running requests fail. */
  dispose(): void {
    this.#end(new EngineCrashed('the model was unloaded'));
  }

  async #callOnce(id: number, message: EngineRequest, signal?: AbortSignal): Promise<unknown> {
    signal?.throwIfAborted();
    const result = this.#call(id, message);
    if (!signal) return result;
    try {
      return await orAborted(result, signal);
    } finally {
      this.#calls.delete(id);
    }
  }

  #call(id: number, message: EngineRequest, onEvents?: (events: EngineEvent[]) => void): Promise<unknown> {
    if (this.#ended.signal.aborted) return Promise.reject(this.#ended.signal.reason);
    return new Promise((resolve, reject) => {
      this.#calls.set(id, { onEvents, resolve, reject });
      this.#send(message);
    });
  }

  #send(message: EngineRequest | Load): void {
    if (!this.#ended.signal.aborted) this.#worker.postMessage(message);
  }

  #onReport(report: EngineReport): void {
    switch (report.type) {
      case 'progress':
        this.#onProgress(report.fraction);
        break;
      case 'loaded':
        this.#loading?.resolve(report.loaded);
        this.#loading = undefined;
        break;
      case 'load-failed':
        this.#loading?.reject(deserializeEngineError(report.failure));
        this.#loading = undefined;
        break;
      case 'events':
        this.#calls.get(report.id)?.onEvents?.(report.events);
        break;
      case 'result':
        this.#calls.get(report.id)?.resolve(report.value);
        this.#calls.delete(report.id);
        break;
      case 'failed':
        this.#calls.get(report.id)?.reject(deserializeEngineError(report.failure));
        this.#calls.delete(report.id);
        break;
      case 'broken':
        this.#end(new EngineBroken(report.failure));
        break;
    }
  }

  #watchWorker(lock: string): void {
    void watchLifeLock(lock, this.#ended.signal, () => {
      this.#end(
        new EngineCrashed('the engine worker ended unexpectedly; the next request loads the model again'),
      );
    });
  }

  #end(cause: Error): void {
    if (this.#ended.signal.aborted) return;
    this.#ended.abort(cause);
    this.#worker.terminate();
    this.#loading?.reject(cause);
    this.#loading = undefined;
    for (const call of this.#calls.values()) call.reject(cause);
    this.#calls.clear();
    this.#gone.resolve(cause);
  }
}
