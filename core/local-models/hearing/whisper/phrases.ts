/** The phrases of a window: texts between tokens of times. */
import { TIMES_PER_SECOND } from './token-rules.ts';

/** Steps of 10 ms, as the encoder counts audio, in a step of times. */
export const STEPS_PER_TIME = 2;
const STEPS_PER_SECOND = TIMES_PER_SECOND * STEPS_PER_TIME;

export interface Phrase {
  /** Seconds from the start of the window. */
  start: number;
  end: number;
  /** Tokens of the text and of its times. */
  tokens: number[];
}

/**
 * Splits the tokens of a window.
 * @param firstTime the token of the time 0
 * @param steps steps of 10 ms in the window that contain audio
 * @returns the phrases, and the steps after which the next window begins: where the last complete phrase ends
 */
export function splitPhrases(
  tokens: readonly number[],
  firstTime: number,
  steps: number,
): { phrases: Phrase[]; advance: number } {
  const isTime = (at: number) => (tokens[at] ?? -1) >= firstTime;
  const time = (at: number) => tokens[at]! - firstTime;
  const endsAlone = isTime(tokens.length - 1) && !isTime(tokens.length - 2);
  // Two times in a row: the end of a phrase, and the start of the next one.
  const cuts = tokens.flatMap((_, at) => (at > 0 && isTime(at) && isTime(at - 1) ? [at] : []));
  if (cuts.length === 0) return { phrases: [onlyPhrase(tokens, firstTime, steps)], advance: steps };
  if (endsAlone) cuts.push(tokens.length);
  const phrases = cuts.map((cut, index) => {
    const from = cuts[index - 1] ?? 0;
    return {
      start: time(from) / TIMES_PER_SECOND,
      end: time(cut - 1) / TIMES_PER_SECOND,
      tokens: tokens.slice(from, cut),
    };
  });
  // A phrase that ends alone is the last one. Otherwise the window ends within a phrase, which is heard again.
  const last = time(cuts.at(-1)! - 1) * STEPS_PER_TIME;
  return { phrases, advance: endsAlone ? steps : Math.min(Math.max(last, 1), steps) };
}

function onlyPhrase(tokens: readonly number[], firstTime: number, steps: number): Phrase {
  const last = tokens.findLast((token) => token >= firstTime);
  const end =
    last === undefined || last === firstTime
      ? steps / STEPS_PER_SECOND
      : (last - firstTime) / TIMES_PER_SECOND;
  return { start: 0, end, tokens: [...tokens] };
}
