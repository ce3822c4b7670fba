/** The rules by which texts and times alternate: Radford et al., "Robust speech recognition", 2022, section 2.3. */

import type { WhisperConfig } from '../../base/whisper-config.ts';
import type { WhisperVocabulary } from './vocabulary.ts';

/** Tokens of times in a second. */
export const TIMES_PER_SECOND = 50;
/** The first phrase begins within this many steps of 20 ms. */
const LAST_FIRST_TIME = 50;
/** Names of tokens that a text never contains. */
const STEERING = [
  'startoftranscript',
  'transcribe',
  'translate',
  'startofprev',
  'startoflm',
  'nospeech',
  'nocaptions',
  'notimestamps',
];

/** Which tokens may follow. */
export class TokenRules {
  readonly #never: readonly number[];
  readonly #notFirst: readonly number[];

  constructor(
    private readonly vocabulary: WhisperVocabulary,
    config: WhisperConfig,
  ) {
    const steering = STEERING.flatMap((name) => vocabulary.special(name) ?? []);
    this.#never = [...new Set([...config.suppressed, ...steering, ...vocabulary.languages.values()])].filter(
      (token) => token !== vocabulary.end,
    );
    this.#notFirst = [...config.suppressedAtBegin, vocabulary.end];
  }

  /**
   * Sets the logits of tokens that may not follow to minus infinity, in place.
   * @param written the tokens of the text so far
   */
  apply(logits: Float32Array, written: readonly number[]): void {
    const { firstTime, end } = this.vocabulary;
    const forbid = (from: number, to: number) => logits.fill(Number.NEGATIVE_INFINITY, from, to);
    for (const token of this.#never) forbid(token, token + 1);
    const isTime = (token: number | undefined) => token === undefined || token >= firstTime;
    const [beforeLast, last] = [written.at(-2), written.at(-1)];
    if (last === undefined) {
      for (const token of this.#notFirst) forbid(token, token + 1);
      forbid(0, firstTime);
      forbid(firstTime + LAST_FIRST_TIME + 1, logits.length);
      return;
    }
    if (isTime(last)) {
      // The time before a phrase is followed by text, the time after it by another time or the end.
      if (isTime(beforeLast)) forbid(firstTime, logits.length);
      else forbid(0, end);
    }
    const lastTime = written.findLast((token) => token >= firstTime);
    if (lastTime !== undefined) {
      const mayRepeat = isTime(last) && !isTime(beforeLast);
      forbid(firstTime, mayRepeat ? lastTime : lastTime + 1);
    }
    if (timesOutweigh(logits, firstTime)) forbid(0, firstTime);
  }
}

/** Whether all times together are more probable than the most probable other token. */
function timesOutweigh(logits: Float32Array, firstTime: number): boolean {
  let [text, time] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let at = 0; at < firstTime; at++) text = Math.max(text, logits[at]!);
  for (let at = firstTime; at < logits.length; at++) time = Math.max(time, logits[at]!);
  if (time === Number.NEGATIVE_INFINITY) return false;
  let sum = 0;
  for (let at = firstTime; at < logits.length; at++) sum += Math.exp(logits[at]! - time);
  return time + Math.log(sum) > text;
}
