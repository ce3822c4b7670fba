import {
  deserializeEngineError,
  type Embeddings,
  type EmbedOptions,
  EngineCrashed,
  type EngineEvent,
  type GenerateRequest,
  type SerializedEngineError,
} from '#core/host';
import type { FromEngine, Loaded, LoadMessage, ToEngine } from './engine-protocol.ts';

/** A worker failed in a way that another device may not share. */
export class EngineBroken extends EngineCrashed {
  constructor(readonly failure: SerializedEngineError) {
    super(failure.message);
  }
}

interface Call {
  onEvents?(events: EngineEvent[]): void;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

function wllamaWorker(): Worker {
  return new Worker(new URL('../wllama/engine.worker.ts', import.meta.url), {
    type: 'module',
    name: 'tabd engine',
  });
}

/** The server worker's end of one engine worker, whichever engine is in it; `Load` says what to load. */
export class EngineProcess<Load extends { type: 'load'; lock: string } = LoadMessage> {
  readonly #worker: Worker;
  readonly #calls = new Map<number, Call>();
  readonly #ended = new AbortController();
  #nextId = 1;
  #settleGone!: (cause: Error) => void;
  #loading: { resolve(loaded: Loaded): void; reject(error: Error): void } | undefined;
  #onProgress: (fraction: number) => void = () => {};

  /** Settles when this worker can no longer be used: broken, died or disposed of. */
  readonly gone = new Promise<Error>((resolve) => {
    this.#settleGone = resolve;
  });

  constructor(start: () => Worker = wllamaWorker) {
    this.#worker = start();
    this.#worker.addEventListener('message', ({ data }: MessageEvent<FromEngine>) => this.#onMessage(data));
    this.#worker.addEventListener('error', (event) => {
      event.preventDefault();
      this.#end(new EngineCrashed(`the engine worker failed: ${event.message || 'its script did not load'}`));
    });
  }

  load(
    message: Omit<Load, 'type' | 'lock'>,
    signal: AbortSignal,
    onProgress: (fraction: number) => void,
  ): Promise<Loaded> {
    const lock = `tabd:engine:${crypto.randomUUID()}`;
    this.#onProgress = (fraction) => {
      // The first word from the worker says that it holds its lock.
      this.#onProgress = onProgress;
      void this.#watch(lock);
      onProgress(fraction);
    };
    return new Promise((resolve, reject) => {
      const stop = () => {
        reject(signal.reason);
        this.dispose();
      };
      if (signal.aborted) {
        stop();
        return;
      }
      signal.addEventListener('abort', stop, { once: true });
      const done = () => signal.removeEventListener('abort', stop);
      this.#loading = {
        resolve: (loaded) => {
          done();
          resolve(loaded);
        },
        reject: (error) => {
          done();
          reject(error);
          this.dispose();
        },
      };
      this.#send({ ...message, type: 'load', lock } as Load);
    });
  }

  /** Ends the iteration normally after the `end` event. */
  async *generate(request: GenerateRequest, signal: AbortSignal): AsyncGenerator<EngineEvent> {
    signal.throwIfAborted();
    const id = this.#nextId++;
    let queue: EngineEvent[] = [];
    let wake: (() => void) | undefined;
    let finished = false;
    let failure: Error | undefined;
    const notify = () => {
      wake?.();
      wake = undefined;
    };
    const stop = () => {
      this.#send({ type: 'abort', id });
      notify();
    };
    this.#call(id, { type: 'generate', id, request }, (events) => {
      queue.push(...events);
      notify();
    }).then(
      () => {
        finished = true;
        notify();
      },
      (error: Error) => {
        finished = true;
        failure = error;
        notify();
      },
    );
    signal.addEventListener('abort', stop, { once: true });
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
        if (finished) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    } finally {
      signal.removeEventListener('abort', stop);
      if (!finished) this.#send({ type: 'abort', id });
    }
  }

  async embed(texts: string[], options: EmbedOptions, signal: AbortSignal): Promise<Embeddings> {
    const id = this.#nextId++;
    try {
      return (await this.#plain(id, { type: 'embed', id, texts, options }, signal)) as Embeddings;
    } finally {
      if (signal.aborted) this.#send({ type: 'abort', id });
    }
  }

  tokenize(text: string, signal?: AbortSignal): Promise<number[]> {
    const id = this.#nextId++;
    return this.#plain(id, { type: 'tokenize', id, text }, signal) as Promise<number[]>;
  }

  detokenize(tokens: number[], signal?: AbortSignal): Promise<string> {
    const id = this.#nextId++;
    return this.#plain(id, { type: 'detokenize', id, tokens }, signal) as Promise<string>;
  }

  dispose(): void {
    this.#end(new EngineCrashed('the model was unloaded'));
  }

  async #plain(id: number, message: ToEngine, signal?: AbortSignal): Promise<unknown> {
    signal?.throwIfAborted();
    const call = this.#call(id, message);
    if (!signal) return call;
    let stop!: () => void;
    const aborted = new Promise<never>((_, reject) => {
      stop = () => reject(signal.reason);
      signal.addEventListener('abort', stop, { once: true });
    });
    try {
      return await Promise.race([call, aborted]);
    } finally {
      signal.removeEventListener('abort', stop);
      this.#calls.delete(id);
    }
  }

  #call(id: number, message: ToEngine, onEvents?: (events: EngineEvent[]) => void): Promise<unknown> {
    if (this.#ended.signal.aborted) return Promise.reject(this.#ended.signal.reason);
    return new Promise((resolve, reject) => {
      this.#calls.set(id, { onEvents, resolve, reject });
      this.#send(message);
    });
  }

  #send(message: ToEngine | Load): void {
    if (!this.#ended.signal.aborted) this.#worker.postMessage(message);
  }

  #onMessage(message: FromEngine): void {
    switch (message.type) {
      case 'progress':
        this.#onProgress(message.fraction);
        break;
      case 'loaded':
        this.#loading?.resolve(message.loaded);
        this.#loading = undefined;
        break;
      case 'load-failed':
        this.#loading?.reject(deserializeEngineError(message.failure));
        this.#loading = undefined;
        break;
      case 'events':
        this.#calls.get(message.id)?.onEvents?.(message.events);
        break;
      case 'result':
        this.#calls.get(message.id)?.resolve(message.value);
        this.#calls.delete(message.id);
        break;
      case 'failed':
        this.#calls.get(message.id)?.reject(deserializeEngineError(message.failure));
        this.#calls.delete(message.id);
        break;
      case 'broken':
        this.#end(new EngineBroken(message.failure));
        break;
    }
  }

  /** A worker that ends says nothing; its lock does. */
  async #watch(lock: string): Promise<void> {
    if (!navigator.locks) return;
    try {
      await navigator.locks.request(lock, { signal: this.#ended.signal }, () => {
        this.#end(
          new EngineCrashed('the engine worker ended unexpectedly; the next request loads the model again'),
        );
      });
    } catch {
      // the wait ended with the worker
    }
  }

  #end(cause: Error): void {
    if (this.#ended.signal.aborted) return;
    this.#ended.abort(cause);
    this.#worker.terminate();
    this.#loading?.reject(cause);
    this.#loading = undefined;
    for (const call of this.#calls.values()) call.reject(cause);
    this.#calls.clear();
    this.#settleGone(cause);
  }
}
