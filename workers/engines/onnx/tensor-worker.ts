import { EngineCrashed } from '#core/host';
import type { SessionChannel, SessionCommand, SessionReport } from '#core/tensors';

/** What the worker is told before anything else: the name of the Web Lock that it holds for as long as it lives. */
export interface LockMessage {
  type: 'lock';
  lock: string;
}

/** The server worker's end of the worker of one session. */
export class TensorWorker implements SessionChannel<Blob> {
  readonly #worker: Worker;
  readonly #ended = new AbortController();

  constructor() {
    this.#worker = new Worker(new URL('./tensor.worker.ts', import.meta.url), {
      type: 'module',
      name: 'tabd onnx',
    });
  }

  send(message: SessionCommand<Blob>): void {
    if (!this.#ended.signal.aborted) this.#worker.postMessage(message);
  }

  listen(heard: (message: SessionReport) => void, ended: (cause: Error) => void): void {
    const lock = `tabd:onnx:${crypto.randomUUID()}`;
    let watched = false;
    this.#worker.addEventListener('message', ({ data }: MessageEvent<SessionReport>) => {
      // The first word from the worker says that it holds its lock.
      if (!watched) void this.#watch(lock, ended);
      watched = true;
      heard(data);
    });
    this.#worker.addEventListener('error', (event) => {
      event.preventDefault();
      ended(new EngineCrashed(`the ONNX worker failed: ${event.message || 'its script did not load'}`));
    });
    this.#worker.postMessage({ type: 'lock', lock } satisfies LockMessage);
  }

  async end(): Promise<void> {
    this.#ended.abort();
    this.#worker.terminate();
  }

  /** A worker that ends says nothing; its lock does. */
  async #watch(lock: string, ended: (cause: Error) => void): Promise<void> {
    if (!navigator.locks) return;
    try {
      await navigator.locks.request(lock, { signal: this.#ended.signal }, () => {
        ended(
          new EngineCrashed('the ONNX worker ended unexpectedly; the next request loads the model again'),
        );
      });
    } catch {
      // the wait ended with the worker
    }
  }
}
