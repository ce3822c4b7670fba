import { type Mutex, orAborted } from '#core/base';
import {
  type Device,
  EngineCrashed,
  EngineError,
  type FileEdit,
  ModelCorrupt,
  ModelUnsupported,
  OutOfMemory,
  type Tensor,
  type TensorSession,
  type TensorSlot,
} from '#core/host';
import type {
  Opened,
  OpenMessage,
  SessionCommand,
  SessionReport,
  TensorFailure,
} from './session-protocol.ts';

/** A way to one worker or process that holds one session. */
export interface SessionChannel<F> {
  send(message: SessionCommand<F>): void;
  /** Called for all that comes; `ended`, once, when the worker or process is gone. */
  listen(heard: (message: SessionReport) => void, ended: (cause: Error) => void): void;
  /** Ends the worker or process; nothing is heard afterwards. */
  end(): Promise<void>;
}

/** The provider cannot be used here; the next one may. */
export class ProviderUnusable extends EngineError {
  override name = 'ProviderUnusable';
}

/** The host's end of one session. */
export class RemoteSession<F> implements TensorSession {
  device: Device = { kind: 'cpu', name: 'CPU' };
  inputs: TensorSlot[] = [];
  outputs: TensorSlot[] = [];
  memory: { total: number; gpu: number };
  readonly gone: Promise<Error>;
  readonly #runs = new Map<
    number,
    { resolve(outputs: Record<string, Tensor>): void; reject(error: Error): void }
  >();
  #settleGone: (cause: Error) => void = () => {};
  #opening:
    | {
        resolve(opened: Opened): void;
        reject(error: unknown): void;
        onProgress(fraction: number): void;
        edits: AsyncIterator<FileEdit> | undefined;
      }
    | undefined;
  #ended: Error | undefined;
  #nextId = 1;

  constructor(
    private readonly channel: SessionChannel<F>,
    private readonly deviceMutex: Mutex,
    bytes: number,
    onGpu: boolean,
  ) {
    this.memory = { total: bytes, gpu: onGpu ? bytes : 0 };
    this.gone = new Promise((resolve) => {
      this.#settleGone = resolve;
    });
    channel.listen(
      (message) => this.#hear(message),
      (cause) => this.#end(cause),
    );
  }

  async open(
    message: OpenMessage<F>,
    signal: AbortSignal,
    onProgress: (fraction: number) => void,
    edits?: AsyncIterable<FileEdit>,
  ): Promise<void> {
    const given = edits?.[Symbol.asyncIterator]();
    const opened = new Promise<Opened>((resolve, reject) => {
      this.#opening = { resolve, reject, onProgress, edits: given };
      if (this.#ended) reject(this.#ended);
      else this.channel.send(message);
    });
    try {
      const { inputs, outputs, device, memory } = await orAborted(opened, signal);
      this.inputs = inputs;
      this.outputs = outputs;
      this.memory = { ...this.memory, total: Math.max(this.memory.total, memory ?? 0) };
      this.device = { kind: message.provider === 'webgpu' ? 'gpu' : 'cpu', name: device };
    } catch (error) {
      await this.dispose();
      throw error;
    } finally {
      this.#opening = undefined;
      void given?.return?.().catch(() => {});
    }
  }

  run(
    feeds: Record<string, Tensor>,
    signal: AbortSignal,
    wanted?: string[],
  ): Promise<Record<string, Tensor>> {
    return this.deviceMutex.run(
      () =>
        new Promise((resolve, reject) => {
          if (this.#ended) throw this.#ended;
          const id = this.#nextId++;
          this.#runs.set(id, { resolve, reject });
          this.channel.send({ type: 'run', id, feeds, wanted });
        }),
      signal,
    );
  }

  async dispose(): Promise<void> {
    this.#end(new EngineCrashed('the model was unloaded'));
    await this.channel.end();
  }

  #hear(message: SessionReport): void {
    switch (message.type) {
      case 'progress':
        this.#opening?.onProgress(message.fraction);
        break;
      case 'edit-wanted':
        void this.#sendEdit();
        break;
      case 'opened':
        this.#opening?.resolve(message.opened);
        break;
      case 'open-failed':
        this.#opening?.reject(asError(message.failure));
        break;
      case 'result':
        this.#runs.get(message.id)?.resolve(message.outputs);
        this.#runs.delete(message.id);
        break;
      case 'run-failed':
        this.#runs.get(message.id)?.reject(asError(message.failure));
        this.#runs.delete(message.id);
        break;
      case 'lost':
        this.#end(new EngineCrashed(message.message));
        void this.channel.end();
        break;
    }
  }

  async #sendEdit(): Promise<void> {
    const opening = this.#opening;
    try {
      const next = await opening?.edits?.next();
      if (this.#opening !== opening || this.#ended) return;
      this.channel.send({ type: 'edit', edit: next && !next.done ? next.value : undefined });
    } catch (error) {
      opening?.reject(error);
    }
  }

  #end(cause: Error): void {
    if (this.#ended) return;
    this.#ended = cause;
    this.#opening?.reject(cause);
    for (const run of this.#runs.values()) run.reject(cause);
    this.#runs.clear();
    this.#settleGone(cause);
  }
}

function asError({ kind, message }: TensorFailure): Error {
  switch (kind) {
    case 'corrupt':
      return new ModelCorrupt(message);
    case 'unsupported':
      return new ModelUnsupported(message);
    case 'memory':
      return new OutOfMemory(message);
    case 'device':
      return new ProviderUnusable(message);
    case 'request':
      return new EngineError(message);
  }
}
