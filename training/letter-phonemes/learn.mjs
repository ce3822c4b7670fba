// Learns the phonemes of letters from a pronouncing dictionary, and writes the contexts that decide it into
// `core/local-models/speaking/english/letter-phonemes.json`: `node training/letter-phonemes/learn.mjs [--measure]`.
// `--measure` leaves every tenth word out, prints how many of these are right, and writes nothing.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { dictionary } from 'cmu-pronouncing-dictionary';
import { align } from './align.mjs';
import { learnContexts, phonemesOf, REACH } from './contexts.mjs';

/** Words of a context that are too few to trust. */
const LEAST_WORDS = 2;

const entries = Object.entries(dictionary)
  .filter(([word]) => /^[a-z]{2,}$/.test(word))
  .map(([word, phonemes]) => ({ word, phonemes: phonemes.split(' ') }));

const isMeasured = process.argv.includes('--measure');
const isHeldOut = (_, index) => index % 10 === 0;
const learned = isMeasured ? entries.filter((entry, index) => !isHeldOut(entry, index)) : entries;
const aligned = align(learned);
const contexts = learnContexts(aligned, LEAST_WORDS);

if (isMeasured) {
  const heldOut = entries.filter(isHeldOut);
  console.log(JSON.stringify({ words: learned.length, contexts: contexts.size, ...measure(heldOut) }));
} else {
  const path = new URL('../../core/local-models/speaking/english/letter-phonemes.json', import.meta.url);
  writeFileSync(
    fileURLToPath(path),
    `${JSON.stringify({ reach: REACH, contexts: printed(contexts) }, null, 2)}\n`,
  );
}

/** One line for each phoneme, with the contexts in which it is right. */
function printed(contexts) {
  const byPhonemes = new Map();
  for (const [context, phonemes] of contexts)
    byPhonemes.set(phonemes, [...(byPhonemes.get(phonemes) ?? []), context]);
  return Object.fromEntries(
    [...byPhonemes].sort().map(([phonemes, list]) => [phonemes, list.sort().join(' ')]),
  );
}

function measure(words) {
  let [right, rightPhonemes, errors, all] = [0, 0, 0, 0];
  const plain = (phonemes) => phonemes.map((phoneme) => phoneme.replace(/\d/, ''));
  for (const { word, phonemes } of words) {
    const said = phonemesOf(contexts, word);
    const distance = editDistance(plain(said), plain(phonemes));
    errors += distance;
    all += phonemes.length;
    if (distance === 0) rightPhonemes++;
    if (said.join(' ') === phonemes.join(' ')) right++;
  }
  const share = (count, of) => Math.round((count / of) * 1000) / 10;
  return {
    wordsRight: share(right, words.length),
    wordsRightWithoutStress: share(rightPhonemes, words.length),
    phonemeErrors: share(errors, all),
  };
}

function editDistance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, left] of a.entries()) {
    const next = [i + 1];
    for (const [j, right] of b.entries())
      next.push(Math.min(row[j] + (left === right ? 0 : 1), row[j + 1] + 1, next[j] + 1));
    row = next;
  }
  return row.at(-1);
}
