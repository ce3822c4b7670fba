import { Deferred, type Mutex, orAborted } from '#core/base';
import {
  type Device,
  deserializeEngineError,
  EngineCrashed,
  type FileEdit,
  type Tensor,
  type TensorRunOptions,
  type TensorSession,
  type TensorSlot,
} from '#core/host';
import type { Opened, OpenMessage, SessionCommand, SessionReport } from './session-protocol.ts';

/** The channel to a worker or process that holds one session. */
export interface SessionChannel<F> {
  send(message: SessionCommand<F>): void;
  /**
   * Sets the listeners. `onEnd` is called once, with the cause, when the worker or process ends without being asked to.
   */
  listen(onReport: (report: SessionReport) => void, onEnd: (cause: Error) => void): void;
  /** Ends the worker or process. No listener is called afterwards. */
  end(): Promise<void>;
}

/** The host's end of one session. */
export class RemoteSession<F> implements TensorSession {
  device: Device = { kind: 'cpu', name: 'CPU' };
  inputs: TensorSlot[] = [];
  outputs: TensorSlot[] = [];
  memory: { total: number; gpu: number };
  readonly gone: Promise<Error>;
  readonly #gone = new Deferred<Error>();
  readonly #runs = new Map<number, Deferred<Record<string, Tensor>>>();
  #opening:
    | {
        opened: Deferred<Opened>;
        onProgress(fraction: number): void;
        edits: AsyncIterator<FileEdit> | undefined;
      }
    | undefined;
  /** Why the session cannot be used any more. */
  #endCause: Error | undefined;
  #nextId = 1;

  /**
   * @param deviceMutex shared by all sessions of the device
   * @param bytes size of the graph's files
   */
  constructor(
    private readonly channel: SessionChannel<F>,
    private readonly deviceMutex: Mutex,
    bytes: number,
    onGpu: boolean,
  ) {
    this.memory = { total: bytes, gpu: onGpu ? bytes : 0 };
    this.gone = this.#gone.promise;
    channel.listen(
      (report) => this.#receive(report),
      (cause) => this.#end(cause),
    );
  }

  /** Opens the graph. A session that does not open is disposed. Rejects as `TensorEngine.open` does. */
  async open(
    message: OpenMessage<F>,
    signal: AbortSignal,
    onProgress: (fraction: number) => void,
    edits?: AsyncIterable<FileEdit>,
  ): Promise<void> {
    const iterator = edits?.[Symbol.asyncIterator]();
    const opening = { opened: new Deferred<Opened>(), onProgress, edits: iterator };
    this.#opening = opening;
    try {
      if (this.#endCause) throw this.#endCause;
      this.channel.send(message);
      const { inputs, outputs, device, memory } = await orAborted(opening.opened.promise, signal);
      this.inputs = inputs;
      this.outputs = outputs;
      this.memory = { ...this.memory, total: Math.max(this.memory.total, memory ?? 0) };
      this.device = { kind: message.provider === 'webgpu' ? 'gpu' : 'cpu', name: device };
    } catch (error) {
      await this.dispose();
      throw error;
    } finally {
      this.#opening = undefined;
      void iterator?.return?.().catch(() => {});
    }
  }

  run(
    feeds: Record<string, Tensor>,
    signal: AbortSignal,
    outputNames?: string[],
    { keep }: TensorRunOptions = {},
  ): Promise<Record<string, Tensor>> {
    return this.deviceMutex.run(async () => {
      if (this.#endCause) throw this.#endCause;
      const id = this.#nextId++;
      const result = new Deferred<Record<string, Tensor>>();
      this.#runs.set(id, result);
      this.channel.send({ type: 'run', id, feeds, outputNames, ...(keep && { keep }) });
      return result.promise;
    }, signal);
  }

  async dispose(): Promise<void> {
    this.#end(new EngineCrashed('the model was unloaded'));
    await this.channel.end();
  }

  #receive(report: SessionReport): void {
    switch (report.type) {
      case 'progress':
        this.#opening?.onProgress(report.fraction);
        break;
      case 'edit-wanted':
        void this.#sendEdit();
        break;
      case 'opened':
        this.#opening?.opened.resolve(report.opened);
        break;
      case 'open-failed':
        this.#opening?.opened.reject(deserializeEngineError(report.failure));
        break;
      case 'result':
        this.#runs.get(report.id)?.resolve(report.outputs);
        this.#runs.delete(report.id);
        break;
      case 'run-failed':
        this.#runs.get(report.id)?.reject(deserializeEngineError(report.failure));
        this.#runs.delete(report.id);
        break;
      case 'lost':
        this.#end(new EngineCrashed(report.message));
        void this.channel.end();
        break;
    }
  }

  async #sendEdit(): Promise<void> {
    const opening = this.#opening;
    try {
      const next = await opening?.edits?.next();
      if (this.#opening !== opening || this.#endCause) return;
      this.channel.send({ type: 'edit', edit: next && !next.done ? next.value : undefined });
    } catch (error) {
      opening?.opened.reject(error);
    }
  }

  #end(cause: Error): void {
    if (this.#endCause) return;
    this.#endCause = cause;
    this.#opening?.opened.reject(cause);
    for (const run of this.#runs.values()) run.reject(cause);
    this.#runs.clear();
    this.#gone.resolve(cause);
  }
}
