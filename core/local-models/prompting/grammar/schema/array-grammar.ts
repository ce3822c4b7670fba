import { repeat } from '../gbnf/gbnf.ts';
import { type Builder, someOf } from './builder.ts';
import { finite } from './disjoint.ts';
import { tuple } from './merge.ts';
import {
  canonical,
  count,
  ImpossibleError,
  impossible,
  isObject,
  type Schema,
  unsupported,
} from './schema.ts';

export function arrayGrammar(schema: Schema, name: string, builder: Builder): string {
  for (const keyword of ['if', 'not', 'maxContains'])
    if (keyword in schema) throw unsupported(keyword, schema);
  builder.json('space');
  const min = count(schema.minItems, 0);
  const max = count(schema.maxItems, Number.POSITIVE_INFINITY);
  if (min > max) throw impossible('maxItems', schema);
  const { prefix: first, rest } = tuple(schema);
  const contained = schema.contains === undefined ? 0 : count(schema.minContains, 1);
  if (schema.uniqueItems === true && max > 1) return uniqueItems(schema, min, max, name, builder);

  // What the array must contain comes right behind its first items.
  const wanted = contained > 0 ? builder.merger.merge(rest, schema.contains) : undefined;
  if (contained > 0 && first.length + contained > max) throw unsupported('contains', schema);
  const heads = [...first.slice(0, max), ...Array.from({ length: contained }, () => wanted)];
  const written: string[] = [];
  for (const [index, head] of heads.entries()) {
    const item = attempt(() => builder.visitPart(head, `${name}-${index}`));
    if (item === undefined) {
      if (index < min || contained > 0) throw impossible('prefixItems', schema);
      return bracketed(written.join(' "," space '));
    }
    written.push(item);
  }
  const least = Math.max(0, min - written.length);
  const most = max - written.length;
  // A tuple is not asked for more than its items.
  const open = first.length === 0 || isObject(rest) || least > 0;
  const item = open && most > 0 ? attempt(() => builder.visitPart(rest, `${name}-item`)) : undefined;
  if (item === undefined) {
    if (least > 0) throw impossible('minItems', schema);
    return bracketed(written.join(' "," space '));
  }
  const named = builder.add(`${name}-item`, item);
  if (written.length > 0) {
    return bracketed(
      `${written.join(' "," space ')} ${repeat(`("," space ${named})`, least, most, builder)}`.trimEnd(),
    );
  }
  const others = repeat(`("," space ${named})`, Math.max(0, least - 1), most - 1, builder);
  const items = `${named} ${others}`.trimEnd();
  return bracketed(least === 0 ? `(${items})?` : items);
}

/** Only values that can be counted up are known to differ: they come in the order of the schema. */
function uniqueItems(schema: Schema, min: number, max: number, name: string, builder: Builder): string {
  const { prefix, rest } = tuple(schema);
  const item = builder.merger.expand(rest);
  const values = prefix.length === 0 && isObject(item) ? finite(item) : undefined;
  if (!values || schema.contains !== undefined) throw unsupported('uniqueItems', schema);
  const distinct = [...new Map(values.map((value) => [canonical(value), value])).values()];
  const items = distinct.flatMap(
    (value) => attempt(() => builder.visitPart(builder.merger.merge({ const: value }, item), name)) ?? [],
  );
  const some = someOf(items, min, max, true, builder, name);
  if (some === undefined) throw impossible('minItems', schema);
  return bracketed(some);
}

function bracketed(items: string): string {
  return items === '' ? '"[" space "]" space' : `"[" space ${items} "]" space`;
}

/** undefined when there is no such value. */
function attempt(work: () => string): string | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof ImpossibleError) return undefined;
    throw error;
  }
}
