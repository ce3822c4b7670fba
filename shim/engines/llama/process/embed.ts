import { ContextExceeded, type Embeddings, type EmbedOptions } from '#core/host';
import { normalise } from '#core/local-models';
import type { LlamaEmbeddingContext, Token } from '../llama-library.ts';
import type { Vocabulary } from './vocabulary.ts';

/** Places that a text that was cut leaves free, as llama-server's callers do: for a token at its beginning and its end. */
const MARGIN = 2;

/** Vectors of texts, one after the other; `stopped` is asked between them. */
export async function embed(
  { embedding, vocabulary }: { embedding: LlamaEmbeddingContext; vocabulary: Vocabulary },
  texts: string[],
  options: EmbedOptions,
  stopped: () => boolean,
): Promise<Embeddings> {
  const inputs = texts.map((text) => cutToFit(embedding, vocabulary.tokenize(text), options));
  const vectors: Float32Array[] = [];
  for (const { tokens } of inputs) {
    if (stopped()) break;
    const { vector } = await embedding.getEmbeddingFor(tokens);
    vectors.push(normalise(Float32Array.from(vector)));
  }
  return { vectors, tokens: inputs.map(({ length }) => length) };
}

function cutToFit(
  embedding: LlamaEmbeddingContext,
  tokens: Token[],
  { maxTokens, truncate }: EmbedOptions,
): { tokens: Token[]; length: number } {
  // The library adds the tokens that the model wants around a text, to a copy.
  const length = embedding.calculateInputLength([...tokens]);
  if (length <= maxTokens) return { tokens, length };
  if (!truncate) throw new ContextExceeded(length, maxTokens);
  const kept = tokens.slice(0, Math.max(1, maxTokens - MARGIN));
  return { tokens: kept, length: embedding.calculateInputLength([...kept]) };
}
