// Writes the pronunciations of the package cmu-pronouncing-dictionary into
// `core/local-models/speaking/english/spoken-words.json`. The file is not in the repository.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { packageFolder } from './third-party/bundled-packages.mjs';
import { writeIfChanged } from './write-if-changed.mjs';

const folder = new URL('../core/local-models/speaking/english/', import.meta.url);
/** The symbols, in the order of their codes. */
const SYMBOLS = JSON.parse(readFileSync(new URL('arpabet.json', folder), 'utf8'));
/** The code of the first symbol and of a length 0. From here on all characters are printable. */
const FIRST_CODE = 0x23;
/** The largest number of letters that a word takes from the word before it. */
const MOST_SHARED = 9;

const codeOf = new Map(SYMBOLS.map((symbol, index) => [symbol, codeAt(index)]));

/** The backslash needs two characters in JSON: the code after the last one stands for it. */
function codeAt(index) {
  const letter = String.fromCharCode(FIRST_CODE + index);
  return letter === '\\' ? '~' : letter;
}

/**
 * One line a word, in order: the number of letters that it shares with the word before, and its other letters. The codes
 * of its phonemes follow after a space.
 */
function printed(dictionary) {
  let before = '';
  const lines = [];
  for (const word of Object.keys(dictionary).sort()) {
    if (!/^[a-z][a-z']*$/.test(word)) continue;
    let shared = 0;
    while (shared < MOST_SHARED && word[shared] !== undefined && word[shared] === before[shared]) shared++;
    const phonemes = dictionary[word].split(' ').map((symbol) => codeOf.get(symbol));
    lines.push(`${shared}${word.slice(shared)} ${phonemes.join('')}`);
    before = word;
  }
  return lines.join('\n');
}

/** Returns the folder of the package from which the words come. */
export default async function writeSpokenWords() {
  const entry = createRequire(import.meta.url).resolve('cmu-pronouncing-dictionary');
  const { dictionary } = await import(pathToFileURL(entry).href);
  writeIfChanged(fileURLToPath(new URL('spoken-words.json', folder)), { words: printed(dictionary) });
  return packageFolder(entry);
}
