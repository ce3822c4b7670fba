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
  return drawn(mostLikely(tokens, weights, topP), weights, random);
}

/** How a code of audio is drawn. */
export type CodeSampling = Pick<TokenSampling, 'temperature' | 'topK' | 'topP' | 'minP'>;

/**
 * Draws a code of audio. Unlike for texts, the temperature changes the shares of those tokens alone that are left after
 * all limits.
 * @param random from 0 to below 1
 */
export function drawCode(
  scores: Float32Array,
  { temperature, topK, topP, minP }: CodeSampling,
  random: number,
): number {
  const best = scores[bestToken(scores)]!;
  const weights = scores.map((score) => Math.exp(score - best));
  let tokens = [...weights.keys()].sort((a, b) => weights[b]! - weights[a]! || a - b);
  // All tokens stay whose scores are equal to that at the limit.
  if (topK > 0 && topK < tokens.length) {
    const least = scores[tokens[topK - 1]!]!;
    tokens = tokens.filter((token) => scores[token]! >= least);
  }
  tokens = tokens.filter((token) => weights[token]! >= minP);
  tokens = mostLikely(tokens, weights, topP);
  const shares = scores.map((score) => Math.exp((score - best) / temperature));
  return drawn(tokens, shares, random);
}

/** The token at this share of the sum of weights. */
function drawn(tokens: readonly number[], weights: Float32Array, random: number): number {
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
