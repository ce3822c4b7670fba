import abbreviations from './abbreviations.json' with { type: 'json' };
import { writeDates, writeTimes } from './dates-and-times.ts';
import { writeMeasures, writeMoney, writeNumbers } from './written-numbers.ts';

const SYMBOLS: ReadonlyMap<string, string> = new Map(Object.entries(abbreviations.symbols));
const WORDS: ReadonlyMap<string, string> = new Map(Object.entries(abbreviations.words));
const TITLES: ReadonlyMap<string, string> = new Map(Object.entries(abbreviations.titles));

const names = (table: ReadonlyMap<string, string>): string => [...table.keys()].join('|');
const TITLE = new RegExp(`\\b(${names(TITLES)})\\.(?=\\s*(?:[A-Z]|and\\b))`, 'g');
const WORD = new RegExp(`\\b(${names(WORDS)})\\.`, 'g');
/** Those that often end a sentence. */
const LAST_WORDS = new Set(['etc', 'Jr', 'Sr', 'Inc', 'Ltd', 'Corp', 'Bros', 'Ave', 'Blvd', 'Rd']);
/** The text after the full stop of an abbreviation that ends a sentence. */
const SENTENCE_END = /^["”)]?\s*(?:$|[A-Z])/;

/** Letters of other alphabets' relatives that decomposition leaves. */
const LETTERS: Readonly<Record<string, string>> = {
  æ: 'ae',
  Æ: 'Ae',
  œ: 'oe',
  ø: 'o',
  Ø: 'O',
  ß: 'ss',
  ł: 'l',
  Ł: 'L',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
};

/**
 * The words and the punctuation of a text as an English speaker says them: numbers, dates, amounts and abbreviations are
 * written out. Letters of other alphabets, emoji and other signs without a word are left out. Paragraphs and items of
 * lists end with a full stop.
 */
export function spokenText(text: string): string {
  const steps = [
    plainLetters,
    writeAddresses,
    writeAbbreviations,
    writeDates,
    writeTimes,
    writeMoney,
    writeMeasures,
    writeNumbers,
    writeSymbols,
    endParagraphs,
  ];
  return steps.reduce((current, step) => step(current), text);
}

function plainLetters(text: string): string {
  return text
    .replace(/[½¼¾⅓⅔⅛™№]/g, (sign) => `\u{E000}${sign}`)
    .replace(/[^\u{E000}]|\u{E000}./gsu, (sign) =>
      sign.startsWith('\u{E000}') ? sign.slice(1) : sign.normalize('NFKD'),
    )
    .replace(/\p{M}/gu, '')
    .replace(/[æÆœøØßłŁđðþı]/g, (letter) => LETTERS[letter]!)
    .replace(/[‘’ʼ`´]/g, "'")
    .replace(/[„‟«»]/g, '"')
    .replace(/\.{3,}/g, '…')
    .replace(/\bC#/g, 'C sharp')
    .replace(/#(?!\d)/g, ' ')
    .replace(/\s?[–—―]\s?|\s--\s/g, (dash, at: number, all: string) =>
      /\d$/.test(all.slice(0, at)) && /^\d/.test(all.slice(at + dash.length)) ? '-' : '—',
    );
}

/** Addresses of pages and of mail are read with their dots. */
function writeAddresses(text: string): string {
  const read = (address: string) =>
    address
      .replace(/^(?:https?:\/\/)?(?:www\.)?/, '')
      .replace(/\/$/, '')
      .replaceAll('.', ' dot ')
      .replaceAll('@', ' at ')
      .replaceAll('/', ' slash ')
      .replace(/[-_~?=&#%:]+/g, ' ');
  return text
    .replace(/\bhttps?:\/\/[^\s<>"')\]]*[^\s<>"')\].,;:!?]/gi, read)
    .replace(/\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b/g, read)
    .replace(
      /\b(?:www\.)?(?:[a-z\d-]+\.)+(?:com|org|net|io|dev|edu|gov|ai|co|uk|de)\b(?:\/[\w/-]*\w)?/gi,
      read,
    );
}

function writeAbbreviations(text: string): string {
  let written = text;
  for (const [phrase, words] of Object.entries(abbreviations.phrases))
    written = written.replace(
      new RegExp(`(?<![\\w.])${phrase.replaceAll('.', '\\.').replaceAll('/', '\\/')}(?![/])`, 'gi'),
      words,
    );
  return (
    written
      .replace(TITLE, (_, title) => TITLES.get(title)!)
      .replace(/\bNo\.\s?(?=\d)/g, 'number ')
      .replace(WORD, (written, word, at: number, all: string) => {
        const isEnd = LAST_WORDS.has(word) && SENTENCE_END.test(all.slice(at + written.length));
        return `${WORDS.get(word)}${isEnd ? '.' : ''}`;
      })
      // `U.S.` is spelled, and `a.m.` after its number is a time.
      .replace(/(?<!\d\s?)\b(?:[A-Za-z]\.){2,}/g, (letters, at: number, all: string) => {
        const isEnd = all.slice(at + letters.length).trim() === '';
        return `${letters.replaceAll('.', '').toUpperCase()}${isEnd ? '.' : ''}`;
      })
  );
}

function writeSymbols(text: string): string {
  return (
    text
      .replace(/[&+=×÷±≈≤≥<>@#%→πµμ©™№§]/g, (sign) => ` ${SYMBOLS.get(sign === 'μ' ? 'µ' : sign)} `)
      .replace(/(?<=[A-Za-z])\.(?=[A-Za-z])/g, ' dot ')
      // Names in several parts: `mp3`, `JavaScript`, `snake_case`, `either/or`.
      .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
      .replace(/[_/\\|~^*-]+/g, ' ')
      .replace(/[^\sA-Za-z';:,.!?¡¿—…"“”()]+/g, ' ')
  );
}

/** Line ends inside of paragraphs are spaces. Those after a line of a list, and empty lines, end a sentence. */
function endParagraphs(text: string): string {
  return text
    .split(/\n\s*\n|\n(?=\s*[A-Z"“(])/)
    .map((part) => part.replace(/\s+/g, ' ').trim())
    .filter((part) => /[A-Za-z]/.test(part))
    .map((part) => (/[.!?…:;,—]["”)]?$/.test(part) ? part : `${part}.`))
    .join('\n')
    .replace(/ (?=[,.;:!?…])/g, '')
    .replace(/\s*—\s*/g, ' — ');
}
