import { Deferred, orAborted } from '#core/base';
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
import type { WorkerModel } from '../shared/engine-protocol.ts';
import type { LoadMessage } from './load-message.ts';

/** A loaded model in its worker. */
export interface LoadedWllama {
  process: EngineProcess<LoadMessage>;
  loaded: WorkerModel;
  device: Device;
}

/**
 * A loaded model. When its GPU fails, it moves to the CPU once. A request that has emitted no token starts over on the
 * CPU, and its caller does not notice. A request that has emitted tokens fails with an error that asks to repeat it.
 */
export class WllamaModel implements LanguageModel {
  readonly gone: Promise<Error>;
  readonly embed?: LanguageModel['embed'];
  readonly #gone = new Deferred<Error>();
  #running: LoadedWllama;
  #moving: Promise<void> | undefined;
  readonly #disposed = new AbortController();

  constructor(
    running: LoadedWllama,
    /** Loads the model on the CPU. `note` is the reason. */
    private readonly loadOnCpu: (note: string, signal: AbortSignal) => Promise<LoadedWllama>,
  ) {
    this.gone = this.#gone.promise;
    this.#running = running;
    if (running.loaded.embedding) {
      this.embed = (texts, options, signal) => this.#vectors(texts, options, signal);
    }
    this.#watchProcess(running);
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
    for (let hasEmitted = false; ; ) {
      await this.#waitForMove(signal);
      const { process, device } = this.#running;
      try {
        for await (const event of process.generate(request, signal)) {
          if (event.type === 'token') hasEmitted = true;
          yield event;
        }
        return;
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        if (!(error instanceof EngineBroken) || device.kind === 'cpu') throw error;
        if (hasEmitted) {
          throw new EngineError(
            `${error.message}: this answer ended early; ask again, the model continues on the CPU`,
          );
        }
      }
    }
  }

  async #vectors(texts: string[], options: EmbedOptions, signal: AbortSignal): Promise<Embeddings> {
    for (;;) {
      await this.#waitForMove(signal);
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
    await this.#waitForMove(signal);
    return this.#running.process.tokenize(text, signal);
  }

  async detokenize(tokens: number[], signal?: AbortSignal): Promise<string> {
    await this.#waitForMove(signal);
    return this.#running.process.detokenize(tokens, signal);
  }

  async dispose(): Promise<void> {
    const cause = new EngineCrashed('the model was unloaded');
    this.#disposed.abort(cause);
    this.#running.process.dispose();
    this.#gone.resolve(cause);
  }

  /** Waits for a running move to the CPU. */
  async #waitForMove(signal?: AbortSignal): Promise<void> {
    this.#disposed.signal.throwIfAborted();
    signal?.throwIfAborted();
    if (this.#moving) await orAborted(this.#moving, signal);
  }

  /** Moves to the CPU when the GPU fails. Any other failure ends the model. */
  #watchProcess(running: LoadedWllama): void {
    void running.process.gone.then((cause) => {
      if (this.#disposed.signal.aborted) return;
      if (!(cause instanceof EngineBroken) || running.device.kind === 'cpu') {
        this.#gone.resolve(cause);
        return;
      }
      this.#moving = this.#move(cause);
      this.#moving.catch((error: Error) => this.#gone.resolve(error));
    });
  }

  async #move(cause: EngineBroken): Promise<void> {
    const note = `${cause.message}; on the CPU since then`;
    const running = await this.loadOnCpu(note, this.#disposed.signal);
    this.#running = running;
    this.#moving = undefined;
    this.#watchProcess(running);
  }
}
