import { Mutex } from '#core/base';
import {
  ContextExceeded,
  EngineCrashed,
  type EngineEvent,
  type GenerateRequest,
  type Log,
  ModelUnsupported,
  RequestRefused,
} from '#core/host';
import { EngineChild } from '../engine-child.ts';
import { NodeLlamaModel } from '../node-llama-model.ts';
import type { LoadCommand } from '../protocol.ts';
import { GRAMMAR_REFUSED } from './failures.ts';
import { imagesEntry } from './images-entry.ts';

/**
 * How the library refuses a second completion. It does so by mistake when the first one ended before the library noted
 * that it had begun.
 */
const STUCK = 'Another completion is in progress';

/**
 * Answers prompts with images, one at a time, in a process that starts with the first of them. On a CPU both processes
 * of a model share its weights in memory, because they map the same file.
 */
export class ImageAnswers {
  readonly #turns = new Mutex();
  #running: NodeLlamaModel | undefined;
  readonly #disposed = new AbortController();

  /** @param command how the model was loaded, with the path of its projector */
  constructor(
    private readonly command: LoadCommand,
    private readonly log: Log | undefined,
  ) {}

  /** As `LanguageModel.generate`, for requests with images. */
  async *generate(request: GenerateRequest, signal: AbortSignal): AsyncGenerator<EngineEvent, void, void> {
    const stopped = AbortSignal.any([signal, this.#disposed.signal]);
    const release = await this.#turns.acquire(stopped);
    try {
      try {
        yield* this.#answer(request, stopped);
      } catch (error) {
        if (stopped.aborted || !(error as Error).message.startsWith(STUCK)) throw error;
        yield* this.#answer(request, stopped);
      }
    } finally {
      release();
    }
  }

  async *#answer(request: GenerateRequest, signal: AbortSignal): AsyncGenerator<EngineEvent, void, void> {
    // A stop takes effect at once after the first token. Before, an image would be encoded to its end.
    let isUsable = false;
    try {
      const model = await this.#start(signal);
      for await (const event of model.generate(request, signal)) {
        isUsable ||= event.type !== 'progress';
        yield event;
      }
    } catch (error) {
      isUsable = signal.aborted ? isUsable : isHarmless(error);
      throw error;
    } finally {
      if (!isUsable) await this.#end();
    }
  }

  async dispose(): Promise<void> {
    this.#disposed.abort(new EngineCrashed('the engine was ended'));
    await this.#end();
  }

  async #start(signal: AbortSignal): Promise<NodeLlamaModel> {
    if (this.#running) return this.#running;
    const start = async (gpu: LoadCommand['gpu']) => {
      const child = new EngineChild(this.log, imagesEntry());
      return new NodeLlamaModel(child, await child.load({ ...this.command, gpu }, signal, () => {}));
    };
    const { gpu } = this.command;
    const model = await start(gpu).catch((error: Error) => {
      signal.throwIfAborted();
      if (gpu === false || error instanceof ModelUnsupported) throw error;
      this.log?.warn('images are read on the CPU', { reason: error.message });
      return start(false);
    });
    this.#running = model;
    void model.gone.then(() => {
      if (this.#running === model) this.#running = undefined;
    });
    return model;
  }

  async #end(): Promise<void> {
    const model = this.#running;
    this.#running = undefined;
    await model?.dispose();
  }
}

/** Whether the process can answer the next request. A refused grammar leaves its native context unusable. */
const isHarmless = (error: unknown): boolean =>
  error instanceof ContextExceeded ||
  (error instanceof RequestRefused && !error.message.startsWith(GRAMMAR_REFUSED));
