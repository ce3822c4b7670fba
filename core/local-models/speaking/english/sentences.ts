import { type Accent, symbolsOfSentence } from './sentence-symbols.ts';
import { spokenText } from './spoken-text.ts';

/** Where a sentence ends: after its mark and closing quotes. */
const ENDS = /(?<=[.!?…]["”)]*)\s+|\n+/;
/** Where a sentence that is too long may be cut, from the best place to the worst. */
const CUTS = [/(?<=[;:—]) /, /(?<=,) /, / /];

/**
 * The symbols of a text, one entry for each sentence, in the symbols of Kokoro models. Longer sentences are cut at
 * punctuation or between words. Empty for a text without words.
 * @param most symbols in an entry
 */
export function* spokenSentences(text: string, accent: Accent, most: number): Generator<string> {
  for (const sentence of spokenText(text).split(ENDS)) {
    if (!/[A-Za-z]/.test(sentence)) continue;
    yield* cut(symbolsOfSentence(sentence, accent), most);
  }
}

function cut(symbols: string, most: number, level = 0): string[] {
  if (symbols.length <= most) return symbols === '' ? [] : [symbols];
  const place = CUTS[level];
  // A single word that is too long: no model can say it at once.
  if (!place) return [symbols.slice(0, most), ...cut(symbols.slice(most), most, level)];
  const pieces: string[] = [];
  for (const part of symbols.split(place)) {
    const joined = pieces.length === 0 ? part : `${pieces.at(-1)} ${part}`;
    if (pieces.length > 0 && joined.length <= most) pieces[pieces.length - 1] = joined;
    else pieces.push(part);
  }
  return pieces.flatMap((piece) => cut(piece, most, level + 1));
}
