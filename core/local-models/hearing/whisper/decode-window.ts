import type { Tensor } from '#core/host';
import type { WhisperConfig } from '../../base/whisper-config.ts';
import type { TokenRules } from './token-rules.ts';
import type { WhisperVocabulary } from './vocabulary.ts';
import type { WhisperNetwork } from './whisper-network.ts';

/** The parts of a model that texts are generated with. */
export interface WhisperParts {
  network: WhisperNetwork;
  vocabulary: WhisperVocabulary;
  rules: TokenRules;
  config: WhisperConfig;
}

/** A text for 30 seconds of audio. */
export interface WindowText {
  /** Tokens of texts and times, without the one that ends them. */
  tokens: number[];
  averageLogprob: number;
  noSpeechProbability: number;
  temperature: number;
}

export interface WindowOptions {
  /** Tokens of the text before the window. */
  before: readonly number[];
  /** The tokens that name language and task. */
  opening: readonly number[];
  /** 0: the most probable token. */
  temperature: number;
  /** A number from 0 to 1, for temperatures above 0. */
  random(): number;
}

/**
 * Writes the speech of encoded audio down. Rejects with the signal's reason, or as sessions do.
 * @param states the encoder's output
 */
export async function decodeWindow(
  { network, vocabulary, rules, config }: WhisperParts,
  states: Tensor,
  { before, opening, temperature, random }: WindowOptions,
  signal: AbortSignal,
): Promise<WindowText> {
  const most = Math.floor(config.maxTokens / 2);
  const previous = vocabulary.special('startofprev');
  const earlier = before.length > 0 && previous !== undefined ? [previous, ...before.slice(1 - most)] : [];
  const prompt = [...earlier, ...opening];
  const first = await network.begin(prompt, states, signal);
  const noSpeech = vocabulary.special('nospeech') ?? vocabulary.special('nocaptions');
  const atStart = rowOf(first.data, earlier.length, first.size);
  const noSpeechProbability = noSpeech === undefined ? 0 : Math.exp(logprob(atStart, noSpeech));
  let logits = rowOf(first.data, first.rows - 1, first.size);
  const tokens: number[] = [];
  let sum = 0;
  while (tokens.length < most && prompt.length + tokens.length < config.maxTokens) {
    rules.apply(logits, tokens);
    const token = temperature === 0 ? mostProbable(logits) : drawn(logits, temperature, random);
    sum += logprob(logits, token);
    if (token === vocabulary.end) break;
    tokens.push(token);
    const position = prompt.length + tokens.length - 1;
    if (tokens.length === most || position + 1 === config.maxTokens) break;
    const next = await network.next(token, position, states, signal);
    logits = next.data;
  }
  return { tokens, averageLogprob: sum / (tokens.length + 1), noSpeechProbability, temperature };
}

const rowOf = (data: Float32Array, row: number, size: number): Float32Array =>
  data.slice(row * size, (row + 1) * size);

function mostProbable(logits: Float32Array): number {
  let best = 0;
  for (let at = 1; at < logits.length; at++) if (logits[at]! > logits[best]!) best = at;
  return best;
}

/** The natural logarithm of a token's probability. */
function logprob(logits: Float32Array, token: number): number {
  const most = logits[mostProbable(logits)]!;
  let sum = 0;
  for (let at = 0; at < logits.length; at++) sum += Math.exp(logits[at]! - most);
  return logits[token]! - most - Math.log(sum);
}

/** A token, drawn by its probability at a temperature above 0. */
function drawn(logits: Float32Array, temperature: number, random: () => number): number {
  const best = mostProbable(logits);
  const most = logits[best]!;
  const weights = new Float64Array(logits.length);
  let sum = 0;
  for (let token = 0; token < weights.length; token++) {
    weights[token] = Math.exp((logits[token]! - most) / temperature);
    sum += weights[token]!;
  }
  let rest = random() * sum;
  for (let token = 0; token < weights.length; token++) {
    rest -= weights[token]!;
    if (rest < 0) return token;
  }
  return best;
}
