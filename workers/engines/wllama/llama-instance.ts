import { isAudioFile } from '#core/audio';
import { errorMessage } from '#core/base';
import {
  type Embeddings,
  type EmbedOptions,
  type EngineEvent,
  type GenerateRequest,
  MEDIA_MARKER,
  type SerializedEngineError,
} from '#core/host';
import { EngineFailure } from '../shared/engine-failure.ts';
import type { CheckAnswer, WorkerModel } from '../shared/engine-protocol.ts';
import { CHECK_TEXT, checkRequest } from '../shared/known-answer.ts';
import { type CompletionChunk, CompletionReader, completionBody } from './completion.ts';
import { type Embedder, embedWithWllama, TextTooLong } from './embedding.ts';
import { toReadableImage } from './image-file.ts';
import { LlamaLog } from './llama-log.ts';
import { wllamaLoadError } from './load-failure.ts';
import type { LoadMessage } from './load-message.ts';
import { loadParameters } from './load-parameters.ts';
import { withSharedProgress } from './read-progress.ts';
import { CONTEXT_EXCEEDED, toRequestError } from './request-error.ts';
import type { TextModel } from './tokenizer/text-model.ts';
import { WatchedWllama } from './watched-wllama.ts';

/** The part of wllama's facts about a loaded model that is used here. */
interface ContextInfo {
  success: boolean;
  n_ctx: number;
  list_tokens_eog: number[];
  add_bos_token: boolean;
  has_image_input: boolean;
  media_marker: string;
}

/** One loaded model in this worker: llama.cpp, as wllama's own worker runs it. */
export class LlamaInstance {
  readonly #log = new LlamaLog((reason) => this.#break('device-lost', `the GPU device was lost (${reason})`));
  #wllama!: WatchedWllama;
  /** Why this instance cannot be used any more. */
  #failure: SerializedEngineError | undefined;
  #contextLength = 0;
  #endOfGeneration = new Set<number>();
  #addsBos = false;
  /** llama.cpp's marker for an image in the prompt. Undefined for a model that takes no images. */
  #imageMarker: string | undefined;
  /** Special tokens that are printed like text. */
  #printedTokens: string[] = [];
  #text!: TextModel;

  private constructor(private readonly onBroken: (failure: SerializedEngineError) => void) {}

  /**
   * Starts wllama without a model.
   * @param lock the name of this worker's Web Lock
   * @param onBroken called once, when the instance can no longer be used
   */
  static async create(
    lock: string,
    onBroken: (failure: SerializedEngineError) => void,
  ): Promise<LlamaInstance> {
    const instance = new LlamaInstance(onBroken);
    const wasmLock = `${lock}:wasm`;
    instance.#wllama = await WatchedWllama.create(wasmLock, instance.#log.logger);
    void instance.#watchWorker(wasmLock);
    return instance;
  }

  /**
   * Loads the model and runs the check that `message` names. Rejects with `EngineFailure`.
   * @param text the tokenizer of the same file
   */
  async load(
    message: LoadMessage,
    text: Promise<TextModel>,
    onProgress: (fraction: number) => void,
  ): Promise<WorkerModel> {
    const weights = withSharedProgress([message.weights, ...(message.parts ?? [])], onProgress);
    const files = [
      ...weights,
      ...(message.adapters ?? []),
      ...(message.projector ? [message.projector] : []),
    ];
    try {
      await this.#wllama.loadModel(files, loadParameters(message));
    } catch (error) {
      throw new EngineFailure(this.#failure ?? wllamaLoadError([...this.#log.errors, errorMessage(error)]));
    }
    const info = this.#wllama.getLoadedContextInfo() as unknown as ContextInfo;
    if (!info.success) throw new EngineFailure(wllamaLoadError(this.#log.errors));
    this.#log.clear();
    this.#contextLength = Math.floor(info.n_ctx / message.parallel);
    this.#endOfGeneration = new Set(info.list_tokens_eog);
    this.#addsBos = info.add_bos_token;
    this.#imageMarker = info.has_image_input ? info.media_marker : undefined;
    this.#text = await text;
    // llama.cpp knows all tokens that end an answer, also those that the file does not declare.
    this.#printedTokens = this.#text.specialTokens(this.#endOfGeneration);
    const { total, gpu } = this.#log.memory;
    return {
      contextLength: this.#contextLength,
      parallel: message.parallel,
      threads: this.#wllama.getNumThreads(),
      embedding: message.embedding,
      memory: { total, gpu },
      answer: message.embedding ? await this.#checkVector() : await this.#checkAnswer(message.check),
    };
  }

  /** Generates an answer. `emit` receives its events, the last of which is `end`. Rejects with `EngineFailure`. */
  async generate(
    request: GenerateRequest,
    signal: AbortSignal,
    emit: (events: EngineEvent[]) => void,
  ): Promise<void> {
    this.#requireWorking();
    const reader = new CompletionReader(request, this.#endOfGeneration);
    const contextFull = new AbortController();
    const { prompt, media } = await this.#insertMedia(this.#promptText(request.prompt), request.media);
    try {
      const options = {
        ...completionBody(request, prompt, this.#contextLength, this.#printedTokens),
        abortSignal: AbortSignal.any([signal, contextFull.signal]),
        onData: (chunk: unknown) => {
          emit(reader.read(chunk as CompletionChunk));
          // Without `shift` the answer ends with the context. llama.cpp would shift here.
          const isFull = reader.promptTokens + reader.generatedTokens >= this.#contextLength;
          if (!request.shift && isFull) contextFull.abort();
        },
      };
      await this.#wllama.complete(options, media);
    } catch (error) {
      this.#requireWorking();
      if (signal.aborted) throw new EngineFailure({ kind: 'aborted', message: 'aborted' });
      if (!contextFull.signal.aborted) throw this.#toRequestFailure(error);
    }
    this.#requireWorking();
    if (!reader.hasEnded) emit([reader.endAtContext()]);
  }

  /** The vectors of texts. Rejects with `EngineFailure`, or with the signal's reason between two texts. */
  embed(texts: string[], options: EmbedOptions, signal: AbortSignal): Promise<Embeddings> {
    return embedWithWllama(this.#embedder, texts, options, signal);
  }

  readonly #embedder: Embedder = {
    embed: async (text) => {
      this.#requireWorking();
      this.#log.clear();
      try {
        const { data, usage } = await this.#wllama.createEmbedding({ input: text });
        return { vector: data[0]!.embedding as number[], tokens: usage.prompt_tokens };
      } catch (error) {
        this.#requireWorking();
        const { type, n_prompt_tokens } = this.#log.taskError;
        const isTooLong = type === CONTEXT_EXCEEDED || /too large to process/.test(errorMessage(error));
        throw isTooLong ? new TextTooLong(n_prompt_tokens ?? 0) : this.#toRequestFailure(error);
      }
    },
    tokenize: (text) => {
      try {
        return this.#text.tokenize(text);
      } catch {
        return undefined;
      }
    },
    detokenize: (tokens) => this.#text.detokenize(tokens),
  };

  /** @throws EngineFailure when the instance is broken */
  #requireWorking(): void {
    if (this.#failure) throw new EngineFailure(this.#failure);
  }

  /** Replaces the host's markers by llama.cpp's, and converts images to formats that llama.cpp reads. */
  async #insertMedia(
    prompt: string,
    files: Uint8Array[] = [],
  ): Promise<{ prompt: string; media: Uint8Array[] }> {
    if (files.length === 0) return { prompt, media: [] };
    // llama.cpp reads audio in threads that it starts itself, which wllama has no workers for.
    if (files.some(isAudioFile)) {
      const message = 'in a tab, no language model takes audio: send it to the ports of the tabd command';
      throw new EngineFailure({ kind: 'refused', message });
    }
    const marker = this.#imageMarker;
    if (marker === undefined) {
      const message = 'the projector of this model takes no images';
      throw new EngineFailure({ kind: 'refused', message });
    }
    const media = await Promise.all(files.map((file, index) => toReadableImage(file, index)));
    // A marker in the user's text would stand for an image that does not exist.
    return { prompt: prompt.replaceAll(marker, '').replaceAll(MEDIA_MARKER, marker), media };
  }

  /** The prompt as text, without the beginning-of-sequence token if llama.cpp adds that itself. */
  #promptText(prompt: string | number[]): string {
    const text = typeof prompt === 'string' ? prompt : this.#text.detokenize(prompt);
    const { bos } = this.#text;
    return this.#addsBos && bos && text.startsWith(bos) ? text.slice(bos.length) : text;
  }

  async #checkVector(): Promise<CheckAnswer> {
    const options = { maxTokens: this.#contextLength, truncate: true };
    const { vectors } = await this.embed([CHECK_TEXT], options, new AbortController().signal);
    const vector = [...vectors[0]!];
    return { text: '', likeliest: [], isFinite: vector.every(Number.isFinite), vector };
  }

  async #checkAnswer(kind: 'answer' | 'finite'): Promise<CheckAnswer> {
    const answer: CheckAnswer = { text: '', likeliest: [], isFinite: true };
    await this.generate(checkRequest(kind), new AbortController().signal, (events) => {
      for (const event of events) {
        if (event.type !== 'token') continue;
        answer.text += event.text;
        if (!Number.isFinite(event.logprob?.logprob ?? Number.NaN)) answer.isFinite = false;
        if (answer.likeliest.length > 0) continue;
        answer.likeliest = event.logprob?.top.map(({ token, logprob }) => [token, logprob]) ?? [];
      }
    });
    return answer;
  }

  #toRequestFailure(error: unknown): EngineFailure {
    const { errors, taskError } = this.#log.take();
    // An abort or a trap in WebAssembly ends the instance, and not this request alone.
    const isCrash = error instanceof Error && error.name === 'RuntimeError';
    return new EngineFailure(
      isCrash && taskError.type !== CONTEXT_EXCEEDED
        ? this.#break('crash', error.message)
        : toRequestError(errorMessage(error), errors, taskError),
    );
  }

  /** Marks the instance as unusable and reports that. Returns the first failure. */
  #break(kind: 'crash' | 'device-lost', message: string): SerializedEngineError {
    if (this.#failure) return this.#failure;
    this.#failure = { kind, message };
    this.onBroken(this.#failure);
    return this.#failure;
  }

  /** Detects the death of wllama's worker. It takes the lock before it does anything else. */
  async #watchWorker(lock: string): Promise<void> {
    if (!navigator.locks) return;
    for (let tries = 0; ; tries++) {
      const { held } = await navigator.locks.query();
      if (held?.some(({ name }) => name === lock)) break;
      if (this.#failure || tries === 200) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await navigator.locks.request(lock, () => {
      this.#break('crash', 'the worker of the inference engine ended');
    });
  }
}
