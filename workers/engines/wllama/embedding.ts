import type { Embeddings, EmbedOptions } from '#core/host';
import { normalise } from '#core/local-models';
import { EngineFailure } from '../shared/engine-failure.ts';

/** What of llama.cpp is needed here; texts that are too long for it fail with `TooLong`. */
export interface Embedder {
  /** One text: its vector and the number of its tokens. */
  embed(text: string): Promise<{ vector: number[]; tokens: number }>;
  /** Without special tokens; undefined where this vocabulary cannot be read here. */
  tokenize(text: string): number[] | undefined;
  detokenize(tokens: number[]): string;
}

/** llama.cpp has no room for so many tokens. */
export class TooLong extends Error {
  constructor(readonly tokens: number) {
    super(`${tokens} tokens are too many`);
  }
}

function contextFailure(promptTokens: number, contextLength: number): EngineFailure {
  return new EngineFailure({ kind: 'context', message: 'the text is too long', promptTokens, contextLength });
}

/** Places that a text that was cut leaves free: for a token at its beginning and its end. */
const MARGIN = 2;

/** Vectors of texts one after the other; aborting ends between two of them. */
export async function embedTexts(
  embedder: Embedder,
  texts: string[],
  options: EmbedOptions,
  signal: AbortSignal,
): Promise<Embeddings> {
  const fitted = texts.map((text) => cutToFit(embedder, text, options));
  const result: Embeddings = { vectors: [], tokens: [] };
  for (const text of fitted) {
    signal.throwIfAborted();
    const { vector, tokens } = await embedFitted(embedder, text, options, signal);
    result.vectors.push(normalise(Float32Array.from(vector)));
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

/** What could not be counted before is cut by what llama.cpp counts. */
async function embedFitted(
  embedder: Embedder,
  text: string,
  { maxTokens, truncate }: EmbedOptions,
  signal: AbortSignal,
) {
  for (let shorter = text; ; ) {
    signal.throwIfAborted();
    let tokens: number;
    try {
      const answer = await embedder.embed(shorter);
      tokens = answer.tokens;
      if (tokens <= maxTokens) return answer;
    } catch (error) {
      if (!(error instanceof TooLong)) throw error;
      tokens = error.tokens || 2 * maxTokens;
    }
    if (!truncate || shorter.length <= 1) throw contextFailure(tokens, maxTokens);
    const share = Math.max(1, maxTokens - MARGIN) / Math.max(tokens, maxTokens + 1);
    shorter = shorter.slice(0, Math.max(1, Math.floor(shorter.length * share)));
  }
}
