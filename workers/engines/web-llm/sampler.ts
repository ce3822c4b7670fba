import type { Sampling } from '#core/host';

export interface Candidate {
  id: number;
  /** Natural logarithm. */
  logprob: number;
}

export interface Sampled {
  id: number;
  logprob: number;
  /** The likeliest tokens before any sampling, where asked for. */
  top: Candidate[];
}

/** So much lower than all others that nothing but the chosen token is ever drawn. */
const NEVER = -1e4;

/**
 * Chooses tokens as the other engines do, with every option of the API and the same answer for the same seed. web-llm's
 * own sampler knows few of them; it is given logits in which only the token chosen here is possible.
 */
export class Sampler {
  /** What was chosen last. */
  last: Sampled | undefined;
  /** The steps are those of a prompt: what comes out is of no interest. */
  paused = false;
  #sampling: Sampling | undefined;
  #top: number | undefined;
  #history: number[] = [];
  #random = () => 0;

  begin(sampling: Sampling, topLogprobs: number | undefined, history: number[]): void {
    this.#sampling = sampling;
    this.#top = topLogprobs;
    this.#history = history;
    this.#random = generator(sampling.seed);
    this.last = undefined;
  }

  processLogits(logits: Float32Array): Float32Array {
    const chosen = this.#sampling && !this.paused ? this.#choose(logits, this.#sampling) : 0;
    logits.fill(NEVER);
    logits[chosen] = 0;
    return logits;
  }

  processSampledToken(): void {}
  resetState(): void {}

  #choose(logits: Float32Array, sampling: Sampling): number {
    const shift = logSumExp(logits);
    if (!Number.isFinite(shift)) throw new Error('the model computes no finite numbers');
    const top = this.#top ? likeliest(logits, this.#top).map((id) => candidate(logits, id, shift)) : [];
    const raw = this.#top === undefined ? undefined : logits.slice();
    penalise(logits, sampling, this.#history);
    const id = sampling.temperature <= 0 ? argmax(logits) : draw(logits, sampling, this.#random());
    this.#history.push(id);
    this.last = { id, logprob: raw ? raw[id]! - shift : 0, top };
    return id;
  }
}

const candidate = (logits: Float32Array, id: number, shift: number): Candidate => ({
  id,
  logprob: logits[id]! - shift,
});

function penalise(logits: Float32Array, sampling: Sampling, history: number[]): void {
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

/** `uniform` in [0, 1). */
function draw(logits: Float32Array, sampling: Sampling, uniform: number): number {
  const { topK, topP, minP, typicalP, temperature } = sampling;
  // Far down the list nothing is ever drawn: sorting a part of it costs a hundredth.
  const most = topK > 0 ? Math.min(topK, logits.length) : Math.min(logits.length, 4096);
  let kept = likeliest(logits, most)
    .filter((id) => logits[id] !== Number.NEGATIVE_INFINITY)
    .map((id) => ({ id, logit: logits[id]! }));
  const probabilities = () => softmax(kept.map(({ logit }) => logit));
  if (typicalP > 0 && typicalP < 1) kept = typical(kept, probabilities(), typicalP);
  if (topP < 1) {
    const all = probabilities();
    let sum = 0;
    let end = 0;
    while (end < all.length && sum < topP) sum += all[end++]!;
    kept = kept.slice(0, Math.max(1, end));
  }
  if (minP > 0) {
    const all = probabilities();
    const least = Math.max(...all) * minP;
    const likely = kept.filter((_, index) => all[index]! >= least);
    if (likely.length > 0) kept = likely;
  }
  const last = softmax(kept.map(({ logit }) => logit / temperature));
  let left = uniform;
  for (const [index, probability] of last.entries()) {
    left -= probability;
    if (left < 0) return kept[index]!.id;
  }
  return kept.at(-1)!.id;
}

/** Those whose surprise is nearest to what is expected, as many as make up `share`; the likeliest first. */
function typical<T extends { logit: number }>(kept: T[], all: number[], share: number): T[] {
  const expected = -all.reduce((sum, p) => sum + (p > 0 ? p * Math.log(p) : 0), 0);
  const order = all
    .map((p, index) => ({ index, p, distance: Math.abs(-Math.log(Math.max(p, 1e-30)) - expected) }))
    .sort((a, b) => a.distance - b.distance);
  let sum = 0;
  const chosen = new Set<number>();
  for (const { index, p } of order) {
    chosen.add(index);
    sum += p;
    if (sum > share) break;
  }
  return kept.filter((_, index) => chosen.has(index));
}

/** Ids of the `count` highest, highest first; of equals the lower id first. */
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

/** Numbers in [0, 1) that depend on the seed alone. */
function generator(seed: number): () => number {
  let state = Math.trunc(seed) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
