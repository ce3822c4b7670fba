// Contexts of a letter, from the letter alone to four letters on each side. The longest known one decides its phonemes.

/** Letters before and after. Each context contains the one before it. */
export const REACH = [
  [0, 0],
  [0, 1],
  [1, 1],
  [1, 2],
  [2, 2],
  [2, 3],
  [3, 3],
  [3, 4],
  [4, 4],
];

/** A context of the letter at a place: `before.letter.after`. A word begins and ends with `#`. */
function contextOf(word, at, [left, right]) {
  const padded = `####${word}####`;
  const place = at + 4;
  return `${padded.slice(place - left, place)}.${padded[place]}.${padded.slice(place + 1, place + 1 + right)}`;
}

/** Stores the contexts whose usual phonemes differ from those of the longest stored context inside them. */
export function learnContexts(aligned, leastWords) {
  const contexts = new Map();
  /** The phonemes of each letter by the contexts so far. */
  const inherited = aligned.map(({ word }) => new Array(word.length));
  for (const reach of REACH) {
    const counts = new Map();
    for (const [index, { word, chunks }] of aligned.entries())
      for (const [at, phonemes] of chunks.entries()) {
        const context = contextOf(word, at, reach);
        let entry = counts.get(context);
        if (!entry) {
          entry = { inherited: inherited[index][at], phonemes: new Map() };
          counts.set(context, entry);
        }
        entry.phonemes.set(phonemes, (entry.phonemes.get(phonemes) ?? 0) + 1);
      }
    for (const [context, { inherited, phonemes }] of counts) {
      const [usual, count] = [...phonemes].reduce((a, b) => (b[1] > a[1] ? b : a));
      const isCommon = count >= leastWords || inherited === undefined;
      if (usual !== inherited && isCommon && count > (phonemes.get(inherited) ?? 0))
        contexts.set(context, usual);
    }
    for (const [index, { word }] of aligned.entries())
      for (let at = 0; at < word.length; at++)
        inherited[index][at] = contexts.get(contextOf(word, at, reach)) ?? inherited[index][at];
  }
  return contexts;
}

/** The phonemes of a word, with one main stress. */
export function phonemesOf(contexts, word) {
  const phonemes = [...word].flatMap((_, at) => {
    const longest = REACH.findLast((reach) => contexts.has(contextOf(word, at, reach)));
    return longest
      ? contexts
          .get(contextOf(word, at, longest))
          .split(' ')
          .filter(Boolean)
      : [];
  });
  return withOneStress(phonemes);
}

function withOneStress(phonemes) {
  const main = phonemes.findIndex((phoneme) => phoneme.endsWith('1'));
  const other = phonemes.findIndex((phoneme) => phoneme.endsWith('2'));
  const first = phonemes.findIndex((phoneme) => /0$/.test(phoneme));
  const place = main >= 0 ? main : other >= 0 ? other : first;
  return phonemes.map((phoneme, at) =>
    at === place ? phoneme.replace(/\d$/, '1') : at > place ? phoneme.replace(/1$/, '2') : phoneme,
  );
}
