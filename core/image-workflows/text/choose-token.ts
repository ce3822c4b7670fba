/** Chooses the next token of a text by the scores of a language model. */

/** How a token is drawn. */
export interface TokenSampling {
  /** Scores are divided by it: near 0 the best token nearly always wins. */
  readonly temperature: number;
  /** Only so many of the best tokens. 0: all. */
  readonly topK: number;
  /** Only the best tokens whose probabilities add up to this share (Holtzman et al., 2020). 1: all. */
  readonly topP: number;
  /** Only tokens with at least this share of the best one's probability. */
  readonly minP: number;
  /** Scores of tokens that are in the text are divided by it where positive, and multiplied where negative. */
  readonly repetitionPenalty: number;
  /** Subtracted from the scores of tokens that are in the text. */
  readonly presencePenalty: number;
}

/** The token with the highest score. The first of several. */
export function bestToken(scores: Float32Array): number {
  let best = 0;
  for (let token = 1; token < scores.length; token++) if (scores[token]! > scores[best]!) best = token;
  return best;
}

/**
 * Draws a token.
 * @param written the tokens of the text so far
 * @param random from 0 to below 1
 */
export function drawToken(
  scores: Float32Array,
  written: Iterable<number>,
  sampling: TokenSampling,
  random: number,
): number {
  const changed = penalized(scores, new Set(written), sampling);
  const best = changed[bestToken(changed)]!;
  const { temperature, topK, topP, minP } = sampling;
  const weights = changed.map((score) => Math.exp((score - best) / temperature));
  // The weight of the best token is 1. Sorting all of a large vocabulary would take longer than the choice.
  const least = Math.max(minP, 1e-9);
  let tokens = [...weights.keys()].filter((token) => weights[token]! >= least);
  tokens.sort((a, b) => weights[b]! - weights[a]! || a - b);
  if (topK > 0) tokens = tokens.slice(0, topK);
  tokens = mostLikely(tokens, weights, topP);
  let left = random * total(tokens, weights);
  for (const token of tokens) {
    left -= weights[token]!;
    if (left < 0) return token;
  }
  return tokens.at(-1)!;
}

const total = (tokens: readonly number[], weights: Float32Array): number =>
  tokens.reduce((sum, token) => sum + weights[token]!, 0);

/** The first tokens whose shares reach `topP`. At least one. */
function mostLikely(tokens: readonly number[], weights: Float32Array, topP: number): number[] {
  let left = topP * total(tokens, weights);
  const count = tokens.findIndex((token) => {
    left -= weights[token]!;
    return left <= 0;
  });
  return tokens.slice(0, count < 0 ? tokens.length : count + 1);
}

function penalized(
  scores: Float32Array,
  written: ReadonlySet<number>,
  { repetitionPenalty, presencePenalty }: TokenSampling,
): Float32Array {
  const changed = scores.slice();
  for (const token of written) {
    const score = changed[token]!;
    changed[token] = (score > 0 ? score / repetitionPenalty : score * repetitionPenalty) - presencePenalty;
  }
  return changed;
}
