import {
  type Device,
  EngineError,
  type EngineEvent,
  type LanguageModel,
  RequestRefused,
  type SpeakRequest,
  type SpokenPart,
} from '#core/host';
import { STYLE_WIDTH } from '../../base/voice-files.ts';
import type { Accent } from '../english/sentence-symbols.ts';
import { spokenSentences } from '../english/sentences.ts';
import { type KokoroNetwork, SAMPLE_RATE } from './kokoro-network.ts';
import { tokensOf } from './symbols.ts';

/** The parts with which a model says texts. */
export interface KokoroParts {
  network: KokoroNetwork;
  vocabulary: ReadonlyMap<string, number>;
  /** Rows of `STYLE_WIDTH` numbers of a voice, one for each number of tokens. Undefined: there is no such voice. */
  style(voice: string): Promise<Float32Array | undefined>;
  /** The largest number of tokens of a text, those around it not counted. */
  maxTokens: number;
}

/** A Kokoro model in an ONNX session. It says English texts aloud, and answers nothing. */
export class KokoroModel implements LanguageModel {
  readonly gone: Promise<Error>;

  constructor(
    private readonly parts: KokoroParts,
    readonly device: Device,
  ) {
    this.gone = parts.network.session.gone;
  }

  get contextLength(): number {
    return this.parts.maxTokens;
  }

  get memory(): { total: number; gpu: number } {
    return this.parts.network.session.memory;
  }

  async *speak({ text, voice, speed }: SpeakRequest, signal: AbortSignal): AsyncGenerator<SpokenPart> {
    const { network, vocabulary, maxTokens } = this.parts;
    const rows = await this.parts.style(voice);
    if (!rows) throw new RequestRefused(`the model has no voice '${voice}'`);
    const accent: Accent = voice.startsWith('b') ? 'british' : 'american';
    // One sentence ahead, because the last one says that it is the last.
    let waiting: number[] | undefined;
    const say = async (tokens: readonly number[], isLast: boolean): Promise<SpokenPart> => {
      const row = Math.min(tokens.length, rows.length / STYLE_WIDTH - 1);
      const style = rows.subarray(row * STYLE_WIDTH, (row + 1) * STYLE_WIDTH);
      const samples = await network.speak(tokens, style, speed, signal);
      return { samples, sampleRate: SAMPLE_RATE, tokens: tokens.length, isLast };
    };
    for (const symbols of spokenSentences(text, accent, maxTokens)) {
      signal.throwIfAborted();
      const tokens = tokensOf(symbols, vocabulary);
      // A symbol may have become two tokens.
      for (let start = 0; start < tokens.length; start += maxTokens) {
        if (waiting) yield await say(waiting, false);
        waiting = tokens.slice(start, start + maxTokens);
      }
    }
    if (!waiting)
      throw new RequestRefused(
        'the text has no words that the model can say: it speaks English, in Latin letters',
      );
    yield await say(waiting, true);
  }

  // biome-ignore lint/correctness/useYield: it only throws
  async *generate(): AsyncGenerator<EngineEvent> {
    throw new EngineError('this model speaks, and answers nothing');
  }

  async tokenize(text: string): Promise<number[]> {
    return [...spokenSentences(text, 'american', Number.POSITIVE_INFINITY)].flatMap((symbols) =>
      tokensOf(symbols, this.parts.vocabulary),
    );
  }

  async detokenize(tokens: number[]): Promise<string> {
    const symbols = new Map([...this.parts.vocabulary].map(([symbol, token]) => [token, symbol]));
    return tokens.map((token) => symbols.get(token) ?? '').join('');
  }

  async dispose(): Promise<void> {
    await this.parts.network.session.dispose();
  }
}
