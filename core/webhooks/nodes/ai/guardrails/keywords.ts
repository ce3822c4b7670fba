import type { CheckResult } from './check.ts';

const WORD = '[\\p{L}\\p{N}_]';
const startsWithWord = new RegExp(`^${WORD}`, 'u');
const endsWithWord = new RegExp(`${WORD}$`, 'u');

/** Finds keywords as complete words, without regard to case, in any script. */
export function findKeywords(text: string, keywords: string[]): CheckResult {
  const patterns = keywords
    .map((keyword) => keyword.replace(/[.,!?;:]+$/, ''))
    .filter((keyword) => keyword !== '')
    .map((keyword) => {
      const literal = keyword.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
      const before = startsWithWord.test(keyword) ? `(?<!${WORD})` : '';
      return `${before}${literal}${endsWithWord.test(keyword) ? `(?!${WORD})` : ''}`;
    });
  const matchedKeywords = new Map<string, string>();
  if (patterns.length > 0) {
    for (const [match] of text.matchAll(new RegExp(patterns.join('|'), 'giu'))) {
      const key = match.toLowerCase();
      if (!matchedKeywords.has(key)) matchedKeywords.set(key, match);
    }
  }
  return {
    name: 'keywords',
    triggered: matchedKeywords.size > 0,
    info: { matchedKeywords: [...matchedKeywords.values()] },
  };
}
