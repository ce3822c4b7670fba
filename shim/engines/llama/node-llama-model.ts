import type {
  Device,
  Embeddings,
  EmbedOptions,
  EngineEvent,
  GenerateRequest,
  LanguageModel,
} from '#core/host';
import type { EngineChild } from './engine-child.ts';
import type { KnownAnswer, LoadedInfo } from './protocol.ts';

/**
 * The most events that the process may send ahead of the reader. The reader grants further ones in steps of `GRANT`.
 */
const WINDOW = 256;
const GRANT = 64;

/** A model in an engine process of its own. */
export class NodeLlamaModel implements LanguageModel {
  readonly contextLength: number;
  readonly parallel: number;
  readonly memory: { total: number; gpu: number };
  readonly gone: Promise<Error>;
  readonly embed?: LanguageModel['embed'];
  device: Device;

  constructor(
    private readonly child: EngineChild,
    readonly loaded: LoadedInfo,
  ) {
    this.device = loaded.device;
    this.contextLength = loaded.contextLength;
    this.parallel = loaded.parallel;
    this.memory = loaded.memory;
    this.gone = child.crashed;
    if (loaded.embedding) this.embed = (texts, options, signal) => this.#vectors(texts, options, signal);
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  async *generate(request: GenerateRequest, signal: AbortSignal): AsyncGenerator<EngineEvent, void, void> {
    signal.throwIfAborted();
    const { id, stream, close } = this.child.open((id) => ({
      type: 'generate',
      id,
      request,
      credit: WINDOW,
    }));
    const stop = () => this.child.send({ type: 'stop', id });
    const onAbort = () => {
      stop();
      stream.abort(signal.reason);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    let ended = false;
    let read = 0;
    try {
      for (;;) {
        for (const event of await stream.nextBatch()) {
          ended = event.type === 'end';
          yield event;
          if (ended) return;
          signal.throwIfAborted();
          read += 1;
          if (read % GRANT === 0) this.child.send({ type: 'credit', id, events: GRANT });
        }
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
      close();
      // The generation stops when its reader ends early.
      if (!ended && !signal.aborted) stop();
    }
  }

  async #vectors(texts: string[], options: EmbedOptions, signal: AbortSignal): Promise<Embeddings> {
    let commandId: number | undefined;
    try {
      return await this.child.ask<Embeddings>((id) => {
        commandId = id;
        return { type: 'embed', id, texts, options };
      }, signal);
    } finally {
      if (signal.aborted && commandId !== undefined) this.child.send({ type: 'stop', id: commandId });
    }
  }

  tokenize(text: string, signal?: AbortSignal): Promise<number[]> {
    return this.child.ask((id) => ({ type: 'tokenize', id, text }), signal);
  }

  detokenize(tokens: number[], signal?: AbortSignal): Promise<string> {
    return this.child.ask((id) => ({ type: 'detokenize', id, tokens }), signal);
  }

  knownAnswer(signal: AbortSignal): Promise<KnownAnswer> {
    return this.child.ask((id) => ({ type: 'known-answer', id }), signal);
  }

  dispose(): Promise<void> {
    return this.child.dispose();
  }
}
