import type { RuleSet } from '../gbnf/gbnf.ts';
import type { Merger } from './merger.ts';

/** Writes grammars for schemas. The grammars of objects, arrays, strings and numbers call it for their parts. */
export interface GrammarWriter extends RuleSet {
  readonly merger: Merger;
  /**
   * An expression for a schema.
   * @param name the beginning of the names of the rules that it needs
   * @throws SchemaError, ImpossibleError
   */
  visit(schema: unknown, name: string): string;
  /** Like `visit`, for a part of a value that other text precedes. */
  visitPart(schema: unknown, name: string): string;
  /** The name of a rule of plain JSON. Adds the rule and those that it needs. */
  json(name: string): string;
}

/**
 * Between `min` and `max` of the items, in their order, with commas between them.
 * @param isFirst whether nothing precedes them; otherwise a comma precedes the first one, too
 * @returns undefined when there are fewer than `min` items
 */
export function orderedSubset(
  items: string[],
  min: number,
  max: number,
  isFirst: boolean,
  writer: GrammarWriter,
  name: string,
): string | undefined {
  const rules = new Map<string, string | undefined>();
  const withComma = (item: string) => `"," space ${item}`;
  /** The rule for the items from `at` on. Equal states share one rule, so that the grammar remains small. */
  const subset = (at: number, least: number, most: number, begins: boolean): string | undefined => {
    const left = items.length - at;
    if (least > left) return undefined;
    if (left === 0 || most <= 0) return '';
    if (least <= 0 && most >= left && !begins) {
      return items
        .slice(at)
        .map((item) => `(${withComma(item)})?`)
        .join(' ');
    }
    const key = `${at} ${Math.max(least, 0)} ${Math.min(most, left)} ${begins}`;
    if (rules.has(key)) return rules.get(key);
    const taken = subset(at + 1, least - 1, most - 1, false);
    const skipped = subset(at + 1, least, most, begins);
    const options: string[] = [];
    if (taken !== undefined) options.push(`${begins ? items[at] : withComma(items[at]!)} ${taken}`.trimEnd());
    if (skipped !== undefined) options.push(skipped === '' ? '""' : skipped);
    const rule = options.length === 0 ? undefined : writer.add(`${name}-some`, options.join(' | '));
    rules.set(key, rule);
    return rule;
  };
  return subset(0, min, max, isFirst);
}
