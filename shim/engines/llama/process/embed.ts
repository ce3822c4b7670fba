import { ContextExceeded, type Embeddings, type EmbedOptions } from '#core/host';
import { normalize } from '#core/local-models';
import type { LlamaEmbeddingContext, Token } from '../llama-library.ts';
import type { LlamaVocabulary } from './vocabulary.ts';

/** The tokens that a truncated text leaves free for the special tokens at its beginning and end, as in llama-server. */
const MARGIN = 2;

/** Computes normalized vectors of texts, one after the other. `stopped` is checked before each text. */
export async function computeEmbeddings(
  { embedding, vocabulary }: { embedding: LlamaEmbeddingContext; vocabulary: LlamaVocabulary },
  texts: string[],
  options: EmbedOptions,
  stopped: () => boolean,
): Promise<Embeddings> {
  const inputs = texts.map((text) => truncateToFit(embedding, vocabulary.tokenize(text), options));
  const vectors: Float32Array[] = [];
  for (const { tokens } of inputs) {
    if (stopped()) break;
    const { vector } = await embedding.getEmbeddingFor(tokens);
    vectors.push(normalize(Float32Array.from(vector)));
  }
  return { vectors, tokens: inputs.map(({ length }) => length) };
}

function truncateToFit(
  embedding: LlamaEmbeddingContext,
  tokens: Token[],
  { maxTokens, truncate }: EmbedOptions,
): { tokens: Token[]; length: number } {
  // The library adds the model's own tokens around a text to the array, so it gets a copy.
  const length = embedding.calculateInputLength([...tokens]);
  if (length <= maxTokens) return { tokens, length };
  if (!truncate) throw new ContextExceeded(length, maxTokens);
  const truncated = tokens.slice(0, Math.max(1, maxTokens - MARGIN));
  return { tokens: truncated, length: embedding.calculateInputLength([...truncated]) };
}
