/**
 * Length of the longest end of `text` that is a beginning of `word`, but not all of it. Streams hold so many
 * characters back, because the next piece may complete the word.
 */
export function overlap(text: string, word: string): number {
  for (let length = Math.min(word.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(word.slice(0, length))) return length;
  }
  return 0;
}
