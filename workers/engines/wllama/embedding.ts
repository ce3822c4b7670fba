import type { Embeddings, EmbedOptions } from '#core/host';
import { normalize } from '#core/local-models';
import { EngineFailure } from '../shared/engine-failure.ts';

/** The part of llama.cpp that computes vectors. */
export interface Embedder {
  /** The vector of a text and the number of its tokens. Rejects with `TextTooLong`. */
  embed(text: string): Promise<{ vector: number[]; tokens: number }>;
  /** The tokens of a text, without special tokens. Undefined when this kind of vocabulary is not supported. */
  tokenize(text: string): number[] | undefined;
  detokenize(tokens: number[]): string;
}

/** A text has more tokens than llama.cpp can evaluate. */
export class TextTooLong extends Error {
  constructor(readonly tokens: number) {
    super(`${tokens} tokens are too many`);
  }
}

function contextFailure(promptTokens: number, contextLength: number): EngineFailure {
  return new EngineFailure({ kind: 'context', message: 'the text is too long', promptTokens, contextLength });
}

/** Tokens that a cut text leaves free, for the special tokens at its beginning and end. */
const MARGIN = 2;

/**
 * The normalized vectors of texts. Texts with more than `maxTokens` are cut, or refused with an `EngineFailure` unless
 * `truncate` is set. An abort is effective between two texts.
 */
export async function embedWithWllama(
  embedder: Embedder,
  texts: string[],
  options: EmbedOptions,
  signal: AbortSignal,
): Promise<Embeddings> {
  const fittingTexts = texts.map((text) => cutToFit(embedder, text, options));
  const result: Embeddings = { vectors: [], tokens: [] };
  for (const text of fittingTexts) {
    signal.throwIfAborted();
    const { vector, tokens } = await embedCut(embedder, text, options, signal);
    result.vectors.push(normalize(Float32Array.from(vector)));
    result.tokens.push(tokens);
  }
  return result;
}

function cutToFit(embedder: Embedder, text: string, { maxTokens, truncate }: EmbedOptions): string {
  const ids = embedder.tokenize(text);
  if (!ids || ids.length <= maxTokens) return text;
  if (!truncate) throw contextFailure(ids.length, maxTokens);
  return embedder.detokenize(ids.slice(0, Math.max(1, maxTokens - MARGIN)));
}

/** Embeds a text. Cuts it until llama.cpp counts at most `maxTokens`, for vocabularies without a tokenizer here. */
async function embedCut(
  embedder: Embedder,
  text: string,
  { maxTokens, truncate }: EmbedOptions,
  signal: AbortSignal,
) {
  for (let shorter = text; ; ) {
    signal.throwIfAborted();
    let tokens: number;
    try {
      const embedding = await embedder.embed(shorter);
      tokens = embedding.tokens;
      if (tokens <= maxTokens) return embedding;
    } catch (error) {
      if (!(error instanceof TextTooLong)) throw error;
      tokens = error.tokens || 2 * maxTokens;
    }
    if (!truncate || shorter.length <= 1) throw contextFailure(tokens, maxTokens);
    const share = Math.max(1, maxTokens - MARGIN) / Math.max(tokens, maxTokens + 1);
    shorter = shorter.slice(0, Math.max(1, Math.floor(shorter.length * share)));
  }
}
