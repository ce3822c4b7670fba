/**
 * Lyrics as the real system writes them for ACE-Step: small letters, and in English words for numbers, abbreviations and
 * symbols.
 */
import english from './english-lyrics.json' with { type: 'json' };
import { decimalWords, wholeNumberWords } from './number-words.ts';

/** @param language of two letters */
export function cleanLyrics(text: string, language: string): string {
  const unquoted = text.replaceAll('"', '');
  const small = (language === 'tr' ? unquoted.replaceAll('İ', 'i') : unquoted).toLowerCase();
  const cleaned = language === 'en' ? withSymbols(withAbbreviations(withNumbers(small))) : small;
  return cleaned.replace(/\s+/g, ' ');
}

/** Numbers stay digits when one of them has no words. */
function withNumbers(text: string): string {
  try {
    return withPrices(text.replace(/\b\d{1,3}(,\d{3})*(\.\d+)?\b/g, (number) => number.replaceAll(',', '')))
      .replace(/[0-9]+[.,][0-9]+/g, (number) => decimalWords(number.replace(',', '.')))
      .replace(/([0-9]+)(?:st|nd|rd|th)/g, (_, number: string) => wholeNumberWords(BigInt(number)))
      .replace(/[0-9]+/g, (number) => wholeNumberWords(BigInt(number)));
  } catch (error) {
    if (error instanceof RangeError) return text;
    throw error;
  }
}

/** A price is read as a number with a point, and its sign is left out. */
function withPrices(text: string): string {
  let result = text;
  try {
    for (const sign of ['£', '\\$', '€'])
      result = result.replace(new RegExp(`${sign}[0-9.,]*[0-9]+|[0-9.,]*[0-9]+${sign}`, 'g'), (price) =>
        decimalWords(amountOf(price)),
      );
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return result;
}

function amountOf(price: string): string {
  const amount = price.replaceAll(',', '.').replace(/[^\d.]/g, '');
  if (Number.isNaN(Number(amount))) throw new RangeError(`${price} is no number`);
  return amount;
}

function withAbbreviations(text: string): string {
  let result = text;
  for (const [short, long] of Object.entries(english.abbreviations))
    result = result.replace(new RegExp(`\\b${short}\\.`, 'gi'), long);
  return result;
}

function withSymbols(text: string): string {
  let result = text;
  for (const [symbol, word] of Object.entries(english.symbols))
    result = result.replaceAll(symbol, ` ${word} `).replaceAll('  ', ' ');
  return result.trim();
}
