import type { Sampling } from '#core/host';

export interface Candidate {
  id: number;
  /** Natural logarithm. */
  logprob: number;
}

export interface SampledToken {
  id: number;
  logprob: number;
  /** The likeliest tokens before any sampling, if they were requested. */
  top: Candidate[];
}

/** A logit so low that web-llm's sampler never draws the token. */
const IMPOSSIBLE = -1e4;
/**
 * The number of the likeliest tokens to sort. Less likely tokens are practically never drawn, and sorting all of them
 * would take a hundred times as long.
 */
const MAX_CANDIDATES = 4096;

/**
 * Chooses tokens with all sampling options of the API, reproducibly for a seed. Implements `LogitProcessor`, because the
 * sampler of web-llm lacks most options. That sampler receives logits in which only the chosen token is possible.
 */
export class TokenSampler {
  /** The token that was chosen last. */
  last: SampledToken | undefined;
  /** Whether no token is chosen, because the steps only evaluate a prompt. */
  isPaused = false;
  #sampling: Sampling | undefined;
  #top: number | undefined;
  #history: number[] = [];
  #random = () => 0;

  /**
   * Starts an answer.
   * @param history tokens so far, for penalties; chosen tokens are added to it
   */
  begin(sampling: Sampling, topLogprobs: number | undefined, history: number[]): void {
    this.#sampling = sampling;
    this.#top = topLogprobs;
    this.#history = history;
    this.#random = seededRandom(sampling.seed);
    this.last = undefined;
  }

  /** Replaces the logits by ones in which only the chosen token is possible. */
  processLogits(logits: Float32Array): Float32Array {
    const chosen = this.#sampling && !this.isPaused ? this.#choose(logits, this.#sampling) : 0;
    logits.fill(IMPOSSIBLE);
    logits[chosen] = 0;
    return logits;
  }

  processSampledToken(): void {}
  resetState(): void {}

  #choose(logits: Float32Array, sampling: Sampling): number {
    const normalizer = logSumExp(logits);
    if (!Number.isFinite(normalizer)) throw new Error('the model computes no finite numbers');
    const top = this.#top
      ? likeliest(logits, this.#top).map((id) => toCandidate(logits, id, normalizer))
      : [];
    const raw = this.#top === undefined ? undefined : logits.slice();
    penalize(logits, sampling, this.#history);
    const id = sampling.temperature <= 0 ? argmax(logits) : draw(logits, sampling, this.#random());
    this.#history.push(id);
    this.last = { id, logprob: raw ? raw[id]! - normalizer : 0, top };
    return id;
  }
}

const toCandidate = (logits: Float32Array, id: number, normalizer: number): Candidate => ({
  id,
  logprob: logits[id]! - normalizer,
});

/**
 * Lowers the logits of the tokens that are among the last `repeatLastN` ones, as llama.cpp does. -1 stands for all
 * tokens.
 */
function penalize(logits: Float32Array, sampling: Sampling, history: number[]): void {
  const { repeatLastN, repeatPenalty, presencePenalty, frequencyPenalty } = sampling;
  if (repeatLastN === 0 || (repeatPenalty === 1 && presencePenalty === 0 && frequencyPenalty === 0)) return;
  const counts = new Map<number, number>();
  for (const id of repeatLastN < 0 ? history : history.slice(-repeatLastN)) {
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  for (const [id, count] of counts) {
    const logit = logits[id];
    if (logit === undefined) continue;
    const repeated = logit > 0 ? logit / repeatPenalty : logit * repeatPenalty;
    logits[id] = repeated - count * frequencyPenalty - presencePenalty;
  }
}

/**
 * Draws a token by typical_p, top_p, min_p and temperature, in this order.
 * @param uniform a random number in [0, 1)
 */
function draw(logits: Float32Array, sampling: Sampling, uniform: number): number {
  const { topK, topP, minP, typicalP, temperature } = sampling;
  const limit = topK > 0 ? Math.min(topK, logits.length) : Math.min(logits.length, MAX_CANDIDATES);
  let candidates = likeliest(logits, limit)
    .filter((id) => logits[id] !== Number.NEGATIVE_INFINITY)
    .map((id) => ({ id, logit: logits[id]! }));
  const probabilities = () => softmax(candidates.map(({ logit }) => logit));
  if (typicalP > 0 && typicalP < 1) candidates = typical(candidates, probabilities(), typicalP);
  if (topP < 1) {
    const all = probabilities();
    let sum = 0;
    let end = 0;
    while (end < all.length && sum < topP) sum += all[end++]!;
    candidates = candidates.slice(0, Math.max(1, end));
  }
  if (minP > 0) {
    const all = probabilities();
    const least = Math.max(...all) * minP;
    const likely = candidates.filter((_, index) => all[index]! >= least);
    if (likely.length > 0) candidates = likely;
  }
  const weights = softmax(candidates.map(({ logit }) => logit / temperature));
  let remaining = uniform;
  for (const [index, probability] of weights.entries()) {
    remaining -= probability;
    if (remaining < 0) return candidates[index]!.id;
  }
  return candidates.at(-1)!.id;
}

/**
 * Locally typical sampling (Meister et al., 2023): the candidates whose surprise is nearest to the entropy, until their
 * probabilities exceed `share`. Keeps the order of `candidates`.
 */
function typical<T extends { logit: number }>(candidates: T[], all: number[], share: number): T[] {
  const entropy = -all.reduce((sum, p) => sum + (p > 0 ? p * Math.log(p) : 0), 0);
  const order = all
    .map((p, index) => ({ index, p, distance: Math.abs(-Math.log(Math.max(p, 1e-30)) - entropy) }))
    .sort((a, b) => a.distance - b.distance);
  let sum = 0;
  const chosen = new Set<number>();
  for (const { index, p } of order) {
    chosen.add(index);
    sum += p;
    if (sum > share) break;
  }
  return candidates.filter((_, index) => chosen.has(index));
}

/** The ids of the `count` highest logits, highest first. Equal ones are ordered by id. */
function likeliest(logits: Float32Array, count: number): number[] {
  if (count === 1) return [argmax(logits)];
  const sorted = Float32Array.from(logits).sort();
  const threshold = sorted[Math.max(0, sorted.length - count)]!;
  const ids: number[] = [];
  for (let id = 0; id < logits.length; id++) if (logits[id]! >= threshold) ids.push(id);
  return ids.sort((a, b) => logits[b]! - logits[a]! || a - b).slice(0, count);
}

function argmax(logits: Float32Array): number {
  let best = 0;
  for (let id = 1; id < logits.length; id++) if (logits[id]! > logits[best]!) best = id;
  return best;
}

function logSumExp(logits: Float32Array): number {
  const highest = logits[argmax(logits)]!;
  let sum = 0;
  for (const logit of logits) sum += Math.exp(logit - highest);
  return highest + Math.log(sum);
}

function softmax(logits: number[]): number[] {
  const highest = Math.max(...logits);
  const exps = logits.map((logit) => Math.exp(logit - highest));
  const sum = exps.reduce((total, each) => total + each, 0);
  return exps.map((each) => each / sum);
}

/** The generator mulberry32: numbers in [0, 1) that depend on the seed alone. */
function seededRandom(seed: number): () => number {
  let state = Math.trunc(seed) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
