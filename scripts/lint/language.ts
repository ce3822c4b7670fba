// Plain English in code and documentation. `tsx scripts/lint/language.ts [PATH…]` prints each place that
// breaks a rule. The rules are in language/rules.json, the words to use in docs/glossary.md. The exit code is
// 1 when a rule is broken.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { markdownComplaints } from './language/check-markdown.ts';
import { bannedName, bannedStart, bannedWords, longSentences } from './language/check-text.ts';
import { type SourceText, sourceTexts } from './language/source-texts.ts';

const COMPLAINTS: Record<SourceText['kind'], (text: string) => string[]> = {
  comment: (text) => [...bannedWords(text), ...bannedStart(text), ...longSentences(text)],
  title: (text) => [...bannedWords(text), ...bannedStart(text)],
  message: bannedWords,
  name: bannedName,
};

function complaintsAbout(path: string): { line: number; text: string }[] {
  const content = readFileSync(path, 'utf8');
  const lines = content.split('\n');
  const lineOf = (offset: number) => content.slice(0, offset).split('\n').length;
  if (/\.(ts|mts|mjs|cjs)$/.test(path)) {
    return sourceTexts(path, content).flatMap(({ kind, text, start }) =>
      COMPLAINTS[kind](text).map((complaint) => ({ line: lineOf(start), text: complaint })),
    );
  }
  if (path.endsWith('.py')) {
    return lines.flatMap((line, index) => {
      const comment = /(?:^|\s)#\s(.*)$|^\s*"""(.*)/.exec(line);
      const text = comment?.[1] ?? comment?.[2] ?? '';
      return [...bannedWords(text), ...bannedStart(text)].map((complaint) => ({
        line: index + 1,
        text: complaint,
      }));
    });
  }
  return markdownComplaints(content);
}

const chosen = process.argv.slice(2);
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', ...chosen], { encoding: 'utf8' })
  .split('\n')
  .filter(
    (path) =>
      existsSync(path) &&
      /\.(ts|mts|mjs|cjs|py|md)$/.test(path) &&
      !/^(LICENSE|examples\/.*\/dist)/.test(path),
  );
let count = 0;
for (const path of files) {
  for (const { line, text } of complaintsAbout(path)) {
    count++;
    console.log(`${path}:${line} ${text}`);
  }
}
console.log(`${count} places in ${files.length} files`);
process.exitCode = count > 0 ? 1 : 0;
