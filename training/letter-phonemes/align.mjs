// Finds which phonemes each letter of a word stands for: none, one or two. Expectation and maximization over all words, after
// Dempster et al., "Maximum likelihood from incomplete data via the EM algorithm", 1977.

const ROUNDS = 6;
const MOST_PHONEMES = 2;
const COUNTS = MOST_PHONEMES + 1;
/** A letter that may not stand for these phonemes. */
const NEVER = -1;

/** Returns the words with the phonemes of each letter, joined by spaces. Leaves out words whose letters do not suffice. */
export function align(entries) {
  const pairs = new Pairs();
  const usable = entries
    .filter(({ word, phonemes }) => phonemes.length <= word.length * MOST_PHONEMES)
    .map((entry) => ({ ...entry, cells: pairs.cellsOf(entry) }));
  let chances = new Float64Array(pairs.size).fill(1);
  for (let round = 0; round < ROUNDS; round++) chances = maximize(usable, chances, pairs);
  return usable.flatMap((entry) => {
    const chunks = bestPath(entry, chances);
    return chunks ? [{ word: entry.word, chunks }] : [];
  });
}

/** Consonants stand for a vowel only with themselves, as in table and rhythm. Otherwise vowels get lost between contexts. */
const mayStandFor = (letter, phonemes) =>
  /[aeiouyw]/.test(letter) || !/[AEIOU]/.test(phonemes) || /^AH [LMN]$/.test(phonemes);

/** Numbers of all pairs of a letter and phonemes without stress. */
class Pairs {
  #numbers = new Map();
  letters = [];

  get size() {
    return this.letters.length;
  }

  /** The pairs of a word, by letter, place of the first phoneme, and count of phonemes. */
  cellsOf({ word, phonemes }) {
    const plain = phonemes.map((phoneme) => phoneme.replace(/\d/, ''));
    const cells = new Int32Array(word.length * (plain.length + 1) * COUNTS);
    let cell = 0;
    for (const letter of word)
      for (let at = 0; at <= plain.length; at++)
        for (let count = 0; count < COUNTS; count++)
          cells[cell++] =
            at + count > plain.length ? NEVER : this.#number(letter, plain.slice(at, at + count));
    return cells;
  }

  #number(letter, phonemes) {
    const key = `${letter}=${phonemes.join(' ')}`;
    let number = this.#numbers.get(key);
    if (number !== undefined) return number;
    number = mayStandFor(letter, phonemes.join(' ')) ? this.letters.push(letter) - 1 : NEVER;
    this.#numbers.set(key, number);
    return number;
  }
}

/** Calls `visit` with each pair that a letter and phonemes from a place on can be. */
function forEachStep({ phonemes, cells }, at, visit) {
  const width = phonemes.length + 1;
  for (let from = 0; from < width; from++)
    for (let count = 0; count < COUNTS; count++) {
      const pair = cells[(at * width + from) * COUNTS + count];
      if (pair !== NEVER) visit(pair, at * width + from, (at + 1) * width + from + count, count);
    }
}

function maximize(entries, chances, pairs) {
  const counts = new Float64Array(pairs.size);
  for (const entry of entries) {
    const size = (entry.word.length + 1) * (entry.phonemes.length + 1);
    const [before, after] = [new Float64Array(size), new Float64Array(size)];
    before[0] = 1;
    for (let at = 0; at < entry.word.length; at++)
      forEachStep(entry, at, (pair, from, to) => {
        before[to] += before[from] * chances[pair];
      });
    after[size - 1] = 1;
    for (let at = entry.word.length - 1; at >= 0; at--)
      forEachStep(entry, at, (pair, from, to) => {
        after[from] += chances[pair] * after[to];
      });
    if (!(after[0] > 0)) continue;
    for (let at = 0; at < entry.word.length; at++)
      forEachStep(entry, at, (pair, from, to) => {
        counts[pair] += (before[from] * chances[pair] * after[to]) / after[0];
      });
  }
  const totals = {};
  for (const [pair, letter] of pairs.letters.entries()) totals[letter] = (totals[letter] ?? 0) + counts[pair];
  return counts.map((count, pair) => count / totals[pairs.letters[pair]]);
}

/** Undefined: the letters cannot stand for the phonemes. */
function bestPath(entry, chances) {
  const { word, phonemes } = entry;
  const width = phonemes.length + 1;
  const best = new Float64Array((word.length + 1) * width);
  const taken = new Int8Array(best.length);
  best[0] = 1;
  for (let at = 0; at < word.length; at++)
    forEachStep(entry, at, (pair, from, to, count) => {
      const value = best[from] * (chances[pair] + 1e-9);
      if (value <= best[to]) return;
      best[to] = value;
      taken[to] = count;
    });
  if (best.at(-1) === 0) return undefined;
  const chunks = [];
  for (let at = word.length, end = phonemes.length; at > 0; at--) {
    const count = taken[at * width + end];
    chunks.unshift(phonemes.slice(end - count, end).join(' '));
    end -= count;
  }
  return chunks;
}
