import type { Rules } from '../gbnf/gbnf.ts';
import type { Merger } from './merge.ts';

/** What the grammars of objects, arrays, texts and numbers are written with. */
export interface Builder extends Rules {
  readonly merger: Merger;
  /** An expression for a schema; `name` is the beginning of names for the rules it needs. */
  visit(schema: unknown, name: string): string;
  /** The same for a part of a value: something was written before it. */
  visitPart(schema: unknown, name: string): string;
  /** A rule of plain JSON by its name, with the rules that it needs. */
  json(name: string): string;
}

/**
 * Some of a list of items, in its order: between `min` and `max` of them, commas between. `first`: nothing stands before
 * them, so the first that comes has no comma. undefined = there are too few.
 */
export function someOf(
  items: string[],
  min: number,
  max: number,
  first: boolean,
  builder: Builder,
  name: string,
): string | undefined {
  const known = new Map<string, string | undefined>();
  const comma = (item: string) => `"," space ${item}`;
  const rest = (at: number, least: number, most: number, begins: boolean): string | undefined => {
    const left = items.length - at;
    if (least > left) return undefined;
    if (left === 0 || most <= 0) return '';
    if (least <= 0 && most >= left && !begins) {
      return items
        .slice(at)
        .map((item) => `(${comma(item)})?`)
        .join(' ');
    }
    const key = `${at} ${Math.max(least, 0)} ${Math.min(most, left)} ${begins}`;
    if (known.has(key)) return known.get(key);
    const taken = rest(at + 1, least - 1, most - 1, false);
    const skipped = rest(at + 1, least, most, begins);
    const options: string[] = [];
    if (taken !== undefined) options.push(`${begins ? items[at] : comma(items[at]!)} ${taken}`.trimEnd());
    if (skipped !== undefined) options.push(skipped === '' ? '""' : skipped);
    const body = options.length === 0 ? undefined : builder.add(`${name}-some`, options.join(' | '));
    known.set(key, body);
    return body;
  };
  return rest(0, min, max, first);
}
