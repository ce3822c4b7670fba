/** The path of tokens through time, by the attention of a decoder to the audio. */

/** Steps around each one whose median takes its place. */
const MEDIAN_REACH = 3;

/**
 * The step at which each token of the path begins. The path has the largest sum of attention: Sakoe and Chiba, "Dynamic
 * programming algorithm optimization", 1978. The attention is the mean of several heads.
 * @param heads the attention of each head, [tokens, width]
 * @param steps the steps of the audio, at most `width`
 * @param path the tokens [from, to) of the path. The others take part in the means
 */
export function alignTokens(
  heads: readonly Float32Array[],
  tokens: number,
  width: number,
  steps: number,
  [from, to]: readonly [from: number, to: number] = [0, tokens],
): number[] {
  const costs = new Float32Array(tokens * steps);
  for (const head of heads) {
    const smooth = medians(standardized(shares(head, tokens, width, steps), tokens, steps), tokens, steps);
    for (let at = 0; at < costs.length; at++) costs[at]! -= smooth[at]! / heads.length;
  }
  return cheapestPath(costs.subarray(from * steps), to - from, steps);
}

/** The attention to the steps of the audio alone. That of each token has the sum 1. */
function shares(head: Float32Array, tokens: number, width: number, steps: number): Float32Array {
  const result = new Float32Array(tokens * steps);
  for (let token = 0; token < tokens; token++) {
    const row = head.subarray(token * width, token * width + steps);
    const sum = row.reduce((total, value) => total + value, 0) || 1;
    for (let step = 0; step < steps; step++) result[token * steps + step] = row[step]! / sum;
  }
  return result;
}

/** At each step over all tokens: without mean, and of variance 1. In place. */
function standardized(weights: Float32Array, tokens: number, steps: number): Float32Array {
  for (let step = 0; step < steps; step++) {
    let [sum, squares] = [0, 0];
    for (let token = 0; token < tokens; token++) sum += weights[token * steps + step]!;
    const mean = sum / tokens;
    for (let token = 0; token < tokens; token++) squares += (weights[token * steps + step]! - mean) ** 2;
    const deviation = Math.sqrt(squares / tokens) || 1;
    for (let token = 0; token < tokens; token++)
      weights[token * steps + step] = (weights[token * steps + step]! - mean) / deviation;
  }
  return weights;
}

/** The median of the steps around each one. The ends are mirrored. */
function medians(weights: Float32Array, tokens: number, steps: number): Float32Array {
  if (steps <= MEDIAN_REACH) return weights;
  const result = new Float32Array(weights.length);
  const window = new Float32Array(2 * MEDIAN_REACH + 1);
  for (let token = 0; token < tokens; token++)
    for (let step = 0; step < steps; step++) {
      for (let offset = -MEDIAN_REACH; offset <= MEDIAN_REACH; offset++) {
        const place = Math.abs(step + offset);
        const mirrored = place >= steps ? 2 * (steps - 1) - place : place;
        window[offset + MEDIAN_REACH] = weights[token * steps + mirrored]!;
      }
      result[token * steps + step] = window.sort()[MEDIAN_REACH]!;
    }
  return result;
}

/** The first step of each token on the path of the smallest sum from the first cell to the last one. */
function cheapestPath(costs: Float32Array, tokens: number, steps: number): number[] {
  const width = steps + 1;
  const sums = new Float32Array((tokens + 1) * width).fill(Number.POSITIVE_INFINITY);
  // 0: from both before, 1: from the token before, 2: from the step before.
  const moves = new Uint8Array(sums.length);
  sums[0] = 0;
  for (let step = 1; step <= steps; step++)
    for (let token = 1; token <= tokens; token++) {
      const cell = token * width + step;
      const [both, byToken, byStep] = [sums[cell - width - 1]!, sums[cell - width]!, sums[cell - 1]!];
      const move = both < byToken && both < byStep ? 0 : byToken < both && byToken < byStep ? 1 : 2;
      sums[cell] = costs[(token - 1) * steps + step - 1]! + [both, byToken, byStep][move]!;
      moves[cell] = move;
    }
  const begins = new Array<number>(tokens).fill(0);
  let [token, step] = [tokens, steps];
  while (token > 0 && step > 0) {
    begins[token - 1] = step - 1;
    const move = moves[token * width + step]!;
    if (move !== 2) token--;
    if (move !== 1) step--;
  }
  return begins;
}
