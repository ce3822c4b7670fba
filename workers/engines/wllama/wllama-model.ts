import {
  type Device,
  type Embeddings,
  type EmbedOptions,
  EngineCrashed,
  EngineError,
  type EngineEvent,
  type GenerateRequest,
  type LanguageModel,
} from '#core/host';
import { EngineBroken, type EngineProcess } from '../shared/engine-process.ts';
import type { Loaded } from '../shared/engine-protocol.ts';

/** A model in a worker, and what is known of it. */
export interface Running {
  process: EngineProcess;
  loaded: Loaded;
  device: Device;
}

/**
 * A loaded model. When its GPU fails under it, it moves to the CPU once: a request that has given no token yet starts
 * over there unseen, one that has fails with an error that says so.
 */
export class WllamaModel implements LanguageModel {
  readonly gone: Promise<Error>;
  readonly embed?: LanguageModel['embed'];
  #settleGone!: (cause: Error) => void;
  #running: Running;
  #moving: Promise<void> | undefined;
  readonly #disposed = new AbortController();

  constructor(
    running: Running,
    /** Loads the model again without the GPU, `note` saying why. */
    private readonly loadOnCpu: (note: string, signal: AbortSignal) => Promise<Running>,
  ) {
    this.gone = new Promise((resolve) => {
      this.#settleGone = resolve;
    });
    this.#running = running;
    if (running.loaded.embedding) {
      this.embed = (texts, options, signal) => this.#vectors(texts, options, signal);
    }
    this.#follow(running);
  }

  get device(): Device {
    return this.#running.device;
  }
  get contextLength(): number {
    return this.#running.loaded.contextLength;
  }
  get parallel(): number {
    return this.#running.loaded.parallel;
  }
  get memory(): { total: number; gpu: number } {
    return this.#running.loaded.memory;
  }

  async *generate(request: GenerateRequest, signal: AbortSignal): AsyncGenerator<EngineEvent> {
    for (let given = false; ; ) {
      await this.#settled(signal);
      const { process, device } = this.#running;
      try {
        for await (const event of process.generate(request, signal)) {
          if (event.type === 'token') given = true;
          yield event;
        }
        return;
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        if (!(error instanceof EngineBroken) || device.kind === 'cpu') throw error;
        if (given) {
          throw new EngineError(
            `${error.message}: this answer ended early; ask again, the model goes on on the CPU`,
          );
        }
      }
    }
  }

  async #vectors(texts: string[], options: EmbedOptions, signal: AbortSignal): Promise<Embeddings> {
    for (;;) {
      await this.#settled(signal);
      const { process, device } = this.#running;
      try {
        return await process.embed(texts, options, signal);
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        if (!(error instanceof EngineBroken) || device.kind === 'cpu') throw error;
      }
    }
  }

  async tokenize(text: string, signal?: AbortSignal): Promise<number[]> {
    await this.#settled(signal);
    return this.#running.process.tokenize(text, signal);
  }

  async detokenize(tokens: number[], signal?: AbortSignal): Promise<string> {
    await this.#settled(signal);
    return this.#running.process.detokenize(tokens, signal);
  }

  async dispose(): Promise<void> {
    const cause = new EngineCrashed('the model was unloaded');
    this.#disposed.abort(cause);
    this.#running.process.dispose();
    this.#settleGone(cause);
  }

  /** Waits for a move to the CPU that is under way. */
  async #settled(signal?: AbortSignal): Promise<void> {
    this.#disposed.signal.throwIfAborted();
    signal?.throwIfAborted();
    if (!this.#moving) return;
    if (!signal) return this.#moving;
    let stop!: () => void;
    const aborted = new Promise<never>((_, reject) => {
      stop = () => reject(signal.reason);
      signal.addEventListener('abort', stop, { once: true });
    });
    try {
      await Promise.race([this.#moving, aborted]);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  #follow(running: Running): void {
    void running.process.gone.then((cause) => {
      if (this.#disposed.signal.aborted) return;
      if (!(cause instanceof EngineBroken) || running.device.kind === 'cpu') {
        this.#settleGone(cause);
        return;
      }
      this.#moving = this.#move(cause);
      this.#moving.catch((error: Error) => this.#settleGone(error));
    });
  }

  async #move(cause: EngineBroken): Promise<void> {
    const note = `${cause.message}; on the CPU since then`;
    const running = await this.loadOnCpu(note, this.#disposed.signal);
    this.#running = running;
    this.#moving = undefined;
    this.#follow(running);
  }
}
