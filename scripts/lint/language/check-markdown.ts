/** Checks one Markdown page against the rules of rules.json. */
import { bannedWords, longSentences } from './check-text.ts';
import rules from './rules.json' with { type: 'json' };

export interface MarkdownComplaint {
  /** Counted from 1. Complaints about words and sentences have line 1. */
  line: number;
  text: string;
}

/**
 * Complaints about long lines, replaced words and long sentences. Headings may be long. Code and HTML tags
 * are no prose.
 */
export function markdownComplaints(content: string): MarkdownComplaint[] {
  const text = content.replace(/<(?!https?:)\/?[a-z][^>]*>/g, '');
  const prose = text.replace(/^#+ .*$/gm, '\n');
  const texts = [...bannedWords(text), ...longSentences(prose)];
  return [...longLines(content), ...texts.map((complaint) => ({ line: 1, text: complaint }))];
}

/**
 * Lines above the limit, without the characters of link addresses. Tables and code blocks may have longer
 * lines.
 */
export function longLines(content: string): MarkdownComplaint[] {
  const complaints: MarkdownComplaint[] = [];
  let inCode = false;
  for (const [index, line] of content.split('\n').entries()) {
    if (line.trimStart().startsWith('```')) inCode = !inCode;
    const { length } = withoutAddresses(line);
    if (inCode || line.trimStart().startsWith('|') || length <= rules.line) continue;
    complaints.push({ line: index + 1, text: `a line of ${length} characters` });
  }
  return complaints;
}

const withoutAddresses = (line: string) =>
  line.replace(/\]\([^)]*\)/g, ']()').replace(/https?:\/\/\S+|<(?!https?:)\/?[a-z][^>]*>/g, '');
