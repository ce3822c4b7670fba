/** Characters of a request, below the limit of /v1/audio/speech. */
const LONGEST = 4000;

/** Cuts a text into parts for one request each: between paragraphs, sentences or words, as far back as it must. */
export function speechParts(text: string, longest = LONGEST): string[] {
  const parts: string[] = [];
  let rest = text.trim();
  while (rest.length > longest) {
    const start = rest.slice(0, longest);
    const sentence = [...start.matchAll(/[.!?…]["”)]*(?=\s)/g)].at(-1);
    const sentenceEnd = sentence ? sentence.index + sentence[0].length : -1;
    const ends = [start.lastIndexOf('\n'), sentenceEnd, start.lastIndexOf(' ')];
    const best = ends.find((end) => end > longest / 2) ?? longest - 1;
    parts.push(rest.slice(0, best + 1).trim());
    rest = rest.slice(best + 1).trim();
  }
  // A part without a letter, such as a row of signs, would be refused.
  return [...parts, rest].filter((part) => /[\p{L}\p{N}]/u.test(part));
}
