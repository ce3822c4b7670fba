import type { EngineEvent, GenerateRequest, LanguageModel } from '#core/host';
import { toMediaPrompt } from '../prompting/image-placeholders.ts';
import type { Meter } from './meter.ts';

/**
 * Generations of an engine for one answer, one after the other. Each is closed before the next opens and before the
 * model is released, because a model runs only as many generations as it has leases.
 */
export class EngineStream {
  /** Tokens of all generations together. */
  generated = 0;
  #end = new AbortController();
  #iterator: AsyncIterator<EngineEvent> | undefined;
  #first: EngineEvent | undefined;

  constructor(
    readonly model: LanguageModel,
    readonly meter: Meter,
    /** All images of the conversation. The prompt has a placeholder for each that it still contains. */
    readonly images: Uint8Array[],
    readonly signal: AbortSignal,
  ) {}

  /** Starts a generation. Resolves when the engine has accepted the prompt, rejects as the engine's `generate` does. */
  async open(request: GenerateRequest): Promise<void> {
    this.meter.begin();
    this.#end = new AbortController();
    const signal = AbortSignal.any([this.signal, this.#end.signal]);
    this.#iterator = this.model.generate(this.#withImages(request), signal)[Symbol.asyncIterator]();
    this.#first = await this.#read();
  }

  /** Undefined after the last event. */
  async next(): Promise<EngineEvent | undefined> {
    const first = this.#first;
    this.#first = undefined;
    return first ?? this.#read();
  }

  /** Ends the generation before the engine does, and counts the tokens until here. */
  async stop(): Promise<void> {
    this.meter.stopped();
    await this.close();
  }

  /** Ends the generation without counting it. Does nothing when it has ended. */
  async close(): Promise<void> {
    const iterator = this.#iterator;
    this.#iterator = undefined;
    this.#end.abort();
    await iterator?.return?.().catch(() => {});
  }

  #withImages(request: GenerateRequest): GenerateRequest {
    if (this.images.length === 0 || typeof request.prompt !== 'string') return request;
    return { ...request, ...toMediaPrompt(request.prompt, this.images) };
  }

  async #read(): Promise<EngineEvent | undefined> {
    const result = await this.#iterator?.next();
    if (!result || result.done) return undefined;
    this.meter.record(result.value);
    if (result.value.type === 'token') this.generated++;
    return result.value;
  }
}
