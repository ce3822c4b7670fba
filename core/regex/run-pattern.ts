/** What is done with a pattern: data alone, so that it can be done in another thread, which can be ended. */
import { pythonRegex, type RegexFlags, replaceMatches } from './python-regex.ts';

export type RegexJob = { pattern: string; flags: RegexFlags; text: string } & (
  | { do: 'test' }
  | { do: 'first' | 'all'; group: number }
  | { do: 'replace'; replacement: string; count: number }
);

/** To a sandbox thread, and back. */
export interface RegexRequest {
  type: 'pattern';
  id: number;
  job: RegexJob;
}
export type RegexReply =
  | { type: 'pattern-done'; id: number; value: unknown }
  | { type: 'pattern-failed'; id: number; message: string };

/**
 * Whether the pattern is found; the group of the first match (undefined: there is none); that of all matches that have
 * it; the text with its matches replaced. Throws an Error that names the fault of a pattern.
 */
export function evaluateRegexJob(job: RegexJob): unknown {
  const regex = pythonRegex(job.pattern, job.flags);
  switch (job.do) {
    case 'test':
      return regex.test(job.text);
    case 'first':
      return regex.exec(job.text)?.[job.group];
    case 'all':
      return [...job.text.matchAll(regex)]
        .filter((match) => job.group < match.length)
        .map((match) => match[job.group] ?? '');
    case 'replace':
      return replaceMatches(job.text, regex, job.replacement, job.count);
  }
}

/** The thread's end. */
export function answerRegexRequest({ id, job }: RegexRequest): RegexReply {
  try {
    return { type: 'pattern-done', id, value: evaluateRegexJob(job) };
  } catch (error) {
    return { type: 'pattern-failed', id, message: error instanceof Error ? error.message : String(error) };
  }
}

/** Code units. */
const SHORT = 5000;

/**
 * Surely quick: a short text, and at most one quantifier, of a single character. Patterns can take longer than anybody
 * waits only where repetitions stand inside or beside one another.
 */
export function isQuick({ pattern, text }: RegexJob): boolean {
  if (text.length > SHORT || /\\[1-9]|\(\?P=|\\k</.test(pattern)) return false;
  const plain = pattern
    .replace(/\\[\s\S]/g, 'x')
    .replace(/\[\^?\]?[^\]]*\]/g, 'x')
    .replace(/\(\?(P?<\w+>|[:=!]|<[=!])/g, '(');
  const quantifiers = plain.match(/[*+?]\??|\{/g) ?? [];
  return quantifiers.length === 0 || (quantifiers.length === 1 && !/\)[*+?{]/.test(plain));
}
