import {
  type Device,
  EngineError,
  type EngineEvent,
  type HearEvent,
  type HearRequest,
  type LanguageModel,
} from '#core/host';
import type { WhisperParts } from './decode-window.ts';
import { writeSpeech } from './write-speech.ts';

/** A Whisper model in two ONNX sessions. It writes speech down, and answers nothing. */
export class WhisperModel implements LanguageModel {
  readonly gone: Promise<Error>;

  constructor(
    private readonly parts: WhisperParts,
    readonly device: Device,
  ) {
    const { encoder, decoder } = parts.network;
    this.gone = Promise.race([encoder.gone, decoder.gone]);
  }

  get contextLength(): number {
    return this.parts.config.maxTokens;
  }

  get memory(): { total: number; gpu: number } {
    const { encoder, decoder } = this.parts.network;
    return {
      total: encoder.memory.total + decoder.memory.total,
      gpu: encoder.memory.gpu + decoder.memory.gpu,
    };
  }

  hear(request: HearRequest, signal: AbortSignal): AsyncIterable<HearEvent> {
    return writeSpeech(this.parts, request, signal);
  }

  // biome-ignore lint/correctness/useYield: it only throws
  async *generate(): AsyncGenerator<EngineEvent> {
    throw new EngineError('this model writes speech down, and answers nothing');
  }

  async tokenize(text: string): Promise<number[]> {
    return this.parts.vocabulary.encode(text);
  }

  async detokenize(tokens: number[]): Promise<string> {
    return this.parts.vocabulary.text(tokens);
  }

  async dispose(): Promise<void> {
    const { encoder, decoder } = this.parts.network;
    await Promise.all([encoder.dispose(), decoder.dispose()]);
  }
}
