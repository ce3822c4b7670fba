/** A job for a regular expression as plain data. It is sent to a thread, which can be ended if it takes too long. */
import { errorMessage } from '#core/base';
import { pythonRegex, type RegexFlags, replaceMatches } from './python-regex.ts';

/**
 * A pattern, a text, and an operation on them:
 * - `test`: whether the pattern matches.
 * - `first`: the group `group` of the first match; undefined if nothing matches.
 * - `all`: that group of every match, where the pattern has it; '' for a group that took no part.
 * - `replace`: the text with up to `count` matches replaced; 0 replaces all.
 */
export type RegexJob = { pattern: string; flags: RegexFlags; text: string } & (
  | { operation: 'test' }
  | { operation: 'first' | 'all'; group: number }
  | { operation: 'replace'; replacement: string; count: number }
);

/** A message to a sandbox thread. */
export interface RegexRequest {
  type: 'pattern';
  id: number;
  job: RegexJob;
}

/** The answer of a sandbox thread. */
export type RegexReply =
  | { type: 'pattern-done'; id: number; value: unknown }
  | { type: 'pattern-failed'; id: number; message: string };

/**
 * Does a job on the calling thread.
 * @throws SyntaxError that names the fault of a pattern, Error for a replacement that names a missing group
 */
export function evaluateRegexJob(job: RegexJob): unknown {
  const regex = pythonRegex(job.pattern, job.flags);
  switch (job.operation) {
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

/** The reply to a request, computed in the thread. */
export function answerRegexRequest({ id, job }: RegexRequest): RegexReply {
  try {
    return { type: 'pattern-done', id, value: evaluateRegexJob(job) };
  } catch (error) {
    return { type: 'pattern-failed', id, message: errorMessage(error) };
  }
}

/** The length limit of a text, in UTF-16 code units. */
const MAX_QUICK_TEXT = 5000;

/**
 * Whether a job is certain to end soon: a short text, and at most one quantifier, of a single character. Backtracking can
 * take exponential time only where repetitions follow or contain one another.
 */
export function isQuick({ pattern, text }: RegexJob): boolean {
  if (text.length > MAX_QUICK_TEXT || /\\[1-9]|\(\?P=|\\k</.test(pattern)) return false;
  const simplified = pattern
    .replace(/\\[\s\S]/g, 'x')
    .replace(/\[\^?\]?[^\]]*\]/g, 'x')
    .replace(/\(\?(P?<\w+>|[:=!]|<[=!])/g, '(');
  const quantifiers = simplified.match(/[*+?]\??|\{/g) ?? [];
  return quantifiers.length === 0 || (quantifiers.length === 1 && !/\)[*+?{]/.test(simplified));
}
