import { isObject } from '#core/base';
import { repeat } from '../gbnf/gbnf.ts';
import { finiteValues } from './disjoint.ts';
import { type GrammarWriter, orderedSubset } from './grammar-writer.ts';
import { tupleItems } from './merger.ts';
import {
  canonicalJson,
  ImpossibleError,
  impossibleKeyword,
  type Schema,
  toCount,
  unsupportedKeyword,
} from './schema.ts';

const COMMA = ' "," space ';

/** An array: first the items of a tuple, then the items that `contains` asks for, then any others. */
export function arrayGrammar(schema: Schema, name: string, writer: GrammarWriter): string {
  for (const keyword of ['if', 'not', 'maxContains'])
    if (keyword in schema) throw unsupportedKeyword(keyword, schema);
  writer.json('space');
  const min = toCount(schema.minItems, 0);
  const max = toCount(schema.maxItems, Number.POSITIVE_INFINITY);
  if (min > max) throw impossibleKeyword('maxItems', schema);
  if (schema.uniqueItems === true && max > 1) return uniqueItems(schema, min, max, name, writer);

  const { prefix, rest } = tupleItems(schema);
  const first = firstItems(schema, min, max, name, writer);
  if (first.isComplete) return bracketed(first.items.join(COMMA));
  const least = Math.max(0, min - first.items.length);
  const most = max - first.items.length;
  // A tuple gets no more than its items, unless the schema describes or requires others.
  const isOpen = prefix.length === 0 || isObject(rest) || least > 0;
  const item = isOpen && most > 0 ? orImpossible(() => writer.visitPart(rest, `${name}-item`)) : undefined;
  if (item === undefined) {
    if (least > 0) throw impossibleKeyword('minItems', schema);
    return bracketed(first.items.join(COMMA));
  }
  const rule = writer.add(`${name}-item`, item);
  if (first.items.length > 0) {
    const others = repeat(`("," space ${rule})`, least, most, writer);
    return bracketed(`${first.items.join(COMMA)} ${others}`.trimEnd());
  }
  const others = repeat(`("," space ${rule})`, Math.max(0, least - 1), most - 1, writer);
  const items = `${rule} ${others}`.trimEnd();
  return bracketed(least === 0 ? `(${items})?` : items);
}

/** The items of the tuple, and those that `contains` asks for. `isComplete`: an impossible item ends the array. */
function firstItems(
  schema: Schema,
  min: number,
  max: number,
  name: string,
  writer: GrammarWriter,
): { items: string[]; isComplete: boolean } {
  const { prefix, rest } = tupleItems(schema);
  const contained = schema.contains === undefined ? 0 : toCount(schema.minContains, 1);
  const containedSchema = contained > 0 ? writer.merger.merge(rest, schema.contains) : undefined;
  if (contained > 0 && prefix.length + contained > max) throw unsupportedKeyword('contains', schema);
  const schemas = [...prefix.slice(0, max), ...Array.from({ length: contained }, () => containedSchema)];
  const items: string[] = [];
  for (const [index, itemSchema] of schemas.entries()) {
    const item = orImpossible(() => writer.visitPart(itemSchema, `${name}-${index}`));
    if (item === undefined) {
      if (index < min || contained > 0) throw impossibleKeyword('prefixItems', schema);
      return { items, isComplete: true };
    }
    items.push(item);
  }
  return { items, isComplete: false };
}

/** Items that differ: only possible where all values can be enumerated. They come in the order of the schema. */
function uniqueItems(schema: Schema, min: number, max: number, name: string, writer: GrammarWriter): string {
  const { prefix, rest } = tupleItems(schema);
  const item = writer.merger.expand(rest);
  const values = prefix.length === 0 && isObject(item) ? finiteValues(item) : undefined;
  if (!values || schema.contains !== undefined) throw unsupportedKeyword('uniqueItems', schema);
  const distinct = [...new Map(values.map((value) => [canonicalJson(value), value])).values()];
  const items = distinct.flatMap(
    (value) => orImpossible(() => writer.visitPart(writer.merger.merge({ const: value }, item), name)) ?? [],
  );
  const subset = orderedSubset(items, min, max, true, writer, name);
  if (subset === undefined) throw impossibleKeyword('minItems', schema);
  return bracketed(subset);
}

function bracketed(items: string): string {
  return items === '' ? '"[" space "]" space' : `"[" space ${items} "]" space`;
}

/** Undefined: the schema allows no value. */
function orImpossible(work: () => string): string | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof ImpossibleError) return undefined;
    throw error;
  }
}
