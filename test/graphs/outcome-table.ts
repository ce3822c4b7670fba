/** The table of outcomes between two marks of a Markdown file. */
import { readFile, writeFile } from 'node:fs/promises';
import type { Outcome } from './run-graph.ts';

/** By the names of graphs. */
export type Outcomes = Map<string, Outcome>;

const BEGIN = '<!-- outcomes -->';
const END = '<!-- end of outcomes -->';
const ROW = /^\| (\S+) \| (ran|refused|failed|cancelled) \| (.*) \|$/gm;

/** The outcomes of an earlier run, which a run of some of the graphs leaves as they are. */
export async function outcomesIn(path: string): Promise<Outcomes> {
  const text = await readFile(path, 'utf8');
  return new Map(
    [...text.matchAll(ROW)].map(([, name, kind, detail]): [string, Outcome] => [
      name!,
      kind === 'ran'
        ? { kind, seconds: Number.parseFloat(detail!) }
        : { kind: kind as 'refused', reason: detail! },
    ]),
  );
}

export async function writeOutcomes(path: string, outcomes: Outcomes): Promise<void> {
  const text = await readFile(path, 'utf8');
  const [before, after] = [text.indexOf(BEGIN) + BEGIN.length, text.indexOf(END)];
  await writeFile(path, `${text.slice(0, before)}\n${outcomeTable(outcomes)}\n${text.slice(after)}`);
}

const MAX_REASON = 200;

/** The number of graphs that ran, and a row for each graph. */
export function outcomeTable(outcomes: Outcomes): string {
  const ran = [...outcomes.values()].filter(({ kind }) => kind === 'ran').length;
  const rows = [...outcomes]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, outcome]) => {
      const detail =
        outcome.kind === 'ran'
          ? `${outcome.seconds.toFixed(1)} s`
          : outcome.reason.replaceAll('|', '/').replace(/\s+/g, ' ').slice(0, MAX_REASON);
      return `| ${name} | ${outcome.kind} | ${detail} |`;
    });
  return [
    `${ran} of ${outcomes.size} graphs ran, ${new Date().toISOString().slice(0, 10)}.`,
    '',
    '| graph | outcome | seconds, or the reason |',
    '| --- | --- | --- |',
    ...rows,
  ].join('\n');
}
