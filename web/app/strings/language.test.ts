import { readdirSync, readFileSync } from 'node:fs';
import { expect, it, test } from 'vitest';
import * as german from './de/index.ts';
import { localeOf, pageLanguage, readLanguage, storeLanguage } from './language.ts';

const FOLDER = new URL('.', import.meta.url);
const modules = import.meta.glob<Record<string, unknown>>(
  ['./*.ts', '../graph-editor/strings.ts', '!./*.test.ts', '!./language.ts'],
  { eager: true },
);
const english: Record<string, unknown> = Object.assign({}, ...Object.values(modules));

/** Every text of an object, with its place in it. */
function texts(value: unknown, place: string): [place: string, text: unknown][] {
  if (typeof value !== 'object' || value === null) return [[place, value]];
  return Object.entries(value).flatMap(([key, inner]) => texts(inner, `${place}.${key}`));
}
const byPlace = (all: Record<string, unknown>) =>
  new Map(Object.entries(all).flatMap(([name, value]) => texts(value, name)));
const englishTexts = byPlace(english);
const germanTexts = byPlace(german);

/** Texts that German shares with English: names, units, keys and words of the field. */
const SHARED = new Set(
  `tabd|API|GPU|CPU|JSON|Name|Status|Seed|Chat|Chats|Workflows|Workflow|Text|Cluster|Server|Parameter|Version|Browser|
  CPU-Threads|Isolation|Details|Format|Token|Body|Code|curl|fetch|Python|Worker|Prompt|Sampler|Scheduler|Graph|Chat (Ollama)|
  Chat (OpenAI)|Chat (Anthropic)|Top P|Webhook|LoRAs|GLIGEN|PhotoMaker|Embeddings|Trigger|orange|optional|Esc|?|↑|A|L|O|
  a fox on a blue background`
    .split('|')
    .map((text) => text.trim()),
);

test('each text has a German one of the same kind', () => {
  const kinds = (all: Map<string, unknown>) =>
    [...all].map(([place, text]) => `${place}: ${typeof text}`).sort();
  expect(englishTexts.size).toBeGreaterThan(900);
  expect(kinds(germanTexts)).toEqual(kinds(englishTexts));
});

/** The words in the texts of a function. `Computer` and `GB` are the same in both languages. */
function wordsOf(text: object): string {
  const [, quoted = ''] = /[`']([^`']*)[`']/.exec(String(text).replace(/\$\{[^}]*\}/g, '')) ?? [];
  return quoted.replace(/[^A-Za-z ]|Computer|GB/g, '').trim();
}

test('no German text is the English one by mistake', () => {
  const same = [...germanTexts].filter(([place, text]) => {
    const other = englishTexts.get(place);
    if (typeof text === 'string') return text === other && !SHARED.has(text);
    return typeof text === 'function' && String(text) === String(other) && wordsOf(text) !== '';
  });
  expect(same.map(([place]) => place)).toEqual([]);
});

test('German texts have German quotation marks and no straight ones', () => {
  const wrong = [...germanTexts].filter(([, text]) => /[“"][^”"„]*”|\w"\w/.test(String(text)));
  expect(wrong.map(([place]) => place)).toEqual([]);
});

test('modules of a language import only types and each other, because the page waits for them', () => {
  for (const name of readdirSync(new URL('de/', FOLDER))) {
    const source = readFileSync(new URL(`de/${name}`, FOLDER), 'utf8');
    for (const [, kind, from] of source.matchAll(/^(import type|import|export).* from '(.*)';$/gm))
      expect(kind === 'import type' || from!.startsWith('./'), `${name} imports ${from}`).toBe(true);
  }
});

it.each([
  ['', undefined, ['de-AT', 'en'], 'de'],
  ['', undefined, ['fr', 'en-GB', 'de'], 'en'],
  ['', undefined, ['fr'], 'en'],
  ['', 'en', ['de'], 'en'],
  ['?lang=de', 'en', ['en'], 'de'],
  ['?lang=xx', undefined, ['de'], 'de'],
  ['?lang=toString', undefined, [], 'en'],
] as const)('the language of %j, chosen %j, browser %j is %s', (search, chosen, preferred, language) =>
  expect(pageLanguage(search, chosen, preferred)).toBe(language),
);

test("numbers follow the browser's own variant of the language", () => {
  expect(localeOf('de', ['en-US', 'de-CH', 'de'])).toBe('de-CH');
  expect(localeOf('de', ['en-US'])).toBe('de');
});

test('the choice is stored, and an unknown one is ignored', () => {
  const stored = new Map<string, string>();
  const storage = {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
  };
  expect(readLanguage(storage)).toBeUndefined();
  storeLanguage('de', storage);
  expect(readLanguage(storage)).toBe('de');
  storeLanguage(undefined, storage);
  expect(stored.size).toBe(0);
  expect(readLanguage({ getItem: () => 'klingon' })).toBeUndefined();
});
