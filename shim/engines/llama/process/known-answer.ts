import type { KnownAnswer } from '../protocol.ts';
import { computeEmbeddings } from './embed.ts';
import type { LoadedLlama } from './load-model.ts';

/** Plain English, with digits and punctuation, that every language model finds likely. */
const TEXT = 'Paris is the capital of France. The sky is blue, and 2 + 2 = 4.';

/** Evaluates the fixed text in one batch and returns the log-probability of each of its tokens. */
export async function knownAnswer({ sequence, vocabulary, embedding }: LoadedLlama): Promise<KnownAnswer> {
  if (embedding) {
    const options = { maxTokens: Number.POSITIVE_INFINITY, truncate: false };
    const { vectors } = await computeEmbeddings({ embedding, vocabulary }, [TEXT], options, () => false);
    return { logprobs: [], vocabularySize: vocabulary.size, vector: [...vectors[0]!] };
  }
  const tokens = vocabulary.tokenize(TEXT);
  await sequence.clearHistory();
  const results = await sequence.controlledEvaluate(
    tokens.slice(0, -1).map((token, index) => [
      token,
      {
        generateNext: {
          logits: { filter: { tokens: [tokens[index + 1]!], includeTop: 1 } },
          totalLogitWeight: true,
          options: { temperature: 0 },
        },
      },
    ]),
  );
  await sequence.clearHistory();
  const logprobs = results.map((result, index) => {
    const { logits, totalLogitWeight } = result!.next;
    const largest = Math.max(...logits!.values());
    return logits!.get(tokens[index + 1]!)! - largest - Math.log(totalLogitWeight!);
  });
  return { logprobs, vocabularySize: vocabulary.size };
}
