/** Finds personal data, and what the workflow's own regular expressions describe. */
import type { NodeContext } from '../../../node-api/node-context.ts';
import { NodeError } from '../../../node-api/node-error.ts';
import type { CheckResult } from './check.ts';
import personalData from './personal-data.json' with { type: 'json' };

const PATTERNS = Object.entries(personalData).map(([name, source]) => ({ name, source }));

/** @param entities names of kinds of data. Undefined: all */
export function findPersonalData(text: string, entities?: string[]): CheckResult {
  const selected = PATTERNS.filter(({ name }) => entities?.includes(name) ?? true);
  const found = selected.flatMap(({ name, source }) =>
    [...text.matchAll(new RegExp(source, 'g'))].map(([match]) => ({ entityType: name, text: match })),
  );
  return result('personalData', found);
}

/** A regular expression of the workflow: a pattern, or a literal such as `/a+/i`. */
export interface CustomPattern {
  name: string;
  value: string;
}

/**
 * Runs the expressions in the sandbox: they may take too long, and the text comes from outside.
 * @throws NodeError for an invalid expression, and for one that takes too long
 */
export async function findCustomPatterns(
  context: Pick<NodeContext, 'runCode'>,
  text: string,
  patterns: CustomPattern[],
): Promise<CheckResult> {
  const expressions = patterns.map(({ value }) => {
    const [, body, flags = ''] = /^\/(.+)\/([a-z]*)$/s.exec(value) ?? [];
    return body === undefined ? { source: value, flags: 'g' } : { source: body, flags: globalFlags(flags) };
  });
  const [outcome] = await context.runCode({ code: PROGRAM, mode: 'allItems', input: { text, expressions } });
  if (!outcome || 'error' in outcome)
    throw outcome?.error ?? new NodeError('The regular expressions could not run');
  const matches = outcome.value as string[][];
  const found = matches.flatMap((parts, index) =>
    parts.map((part) => ({ entityType: patterns[index]!.name, text: part })),
  );
  return result('customRegex', found);
}

const PROGRAM = `
return __input.expressions.map(({ source, flags }) =>
  [...__input.text.matchAll(new RegExp(source, flags))].map(([match]) => match).filter((match) => match !== ''));
`;

const globalFlags = (flags: string) => (flags.includes('g') ? flags : `${flags}g`);

function result(name: string, analyzerResults: { entityType: string; text: string }[]): CheckResult {
  const hidden: Record<string, string[]> = {};
  for (const { entityType, text } of analyzerResults) {
    const parts = hidden[entityType] ?? [];
    parts.push(text);
    hidden[entityType] = parts;
  }
  return { name, triggered: analyzerResults.length > 0, info: { analyzerResults }, hidden };
}
