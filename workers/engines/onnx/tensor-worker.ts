import { EngineCrashed } from '#core/host';
import type { SessionChannel, SessionCommand, SessionReport } from '#core/tensors';
import { watchLifeLock } from '../shared/life-lock.ts';

/** The first message to the worker: the name of the Web Lock that it holds for as long as it lives. */
export interface LockMessage {
  type: 'lock';
  lock: string;
}

/** The server worker's end of the channel to the worker of one session. */
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

  listen(onReport: (message: SessionReport) => void, onEnd: (cause: Error) => void): void {
    const lock = `tabd:onnx:${crypto.randomUUID()}`;
    let isWatched = false;
    this.#worker.addEventListener('message', ({ data }: MessageEvent<SessionReport>) => {
      // With its first report the worker holds its lock.
      if (!isWatched) this.#watchWorker(lock, onEnd);
      isWatched = true;
      onReport(data);
    });
    this.#worker.addEventListener('error', (event) => {
      event.preventDefault();
      onEnd(new EngineCrashed(`the ONNX worker failed: ${event.message || 'its script did not load'}`));
    });
    this.#worker.postMessage({ type: 'lock', lock } satisfies LockMessage);
  }

  async end(): Promise<void> {
    this.#ended.abort();
    this.#worker.terminate();
  }

  #watchWorker(lock: string, onEnd: (cause: Error) => void): void {
    void watchLifeLock(lock, this.#ended.signal, () => {
      onEnd(new EngineCrashed('the ONNX worker ended unexpectedly; the next request loads the model again'));
    });
  }
}
