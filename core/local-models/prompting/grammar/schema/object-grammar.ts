import { isObject } from '#core/base';
import { literal } from '../gbnf/gbnf.ts';
import { type GrammarWriter, orderedSubset } from './grammar-writer.ts';
import { nameExcept } from './name-except.ts';
import { type ObjectShape, readObjectShape } from './object-shape.ts';
import {
  constrains,
  ImpossibleError,
  impossibleKeyword,
  type Schema,
  toCount,
  unsupportedKeyword,
} from './schema.ts';

/** An object: required members first, then optional ones, both in the order of the schema. */
export function objectGrammar(schema: Schema, name: string, writer: GrammarWriter): string {
  for (const keyword of ['dependentSchemas', 'if', 'not']) {
    if (keyword in schema) throw unsupportedKeyword(keyword, schema);
  }
  writer.json('space');
  const shape = readObjectShape(schema);
  const min = toCount(schema.minProperties, 0);
  const max = toCount(schema.maxProperties, Number.POSITIVE_INFINITY);
  if (min > max) throw impossibleKeyword('maxProperties', schema);
  if (shape.properties.size === 0) {
    return `"{" space ${unnamedMembersOnly(schema, shape, min, max, name, writer)}"}" space`;
  }
  const { required, optional } = namedMembers(shape, name, writer);
  if (required.length > max) throw impossibleKeyword('maxProperties', schema);
  const mayAdd = max === Number.POSITIVE_INFINITY;
  const additional = mayAdd ? additionalMember(schema, shape, name, writer) : undefined;
  const missing = min - required.length;
  if (missing === optional.length + 1 && additional) {
    // All named members, and at least one more.
    const members = [...required, ...optional, additional].join(' "," space ');
    return `"{" space ${members} ("," space ${additional})* "}" space`;
  }
  const chosen = orderedSubset(optional, missing, max - required.length, required.length === 0, writer, name);
  if (chosen === undefined) {
    throw additional
      ? unsupportedKeyword('minProperties', schema)
      : impossibleKeyword('minProperties', schema);
  }
  const others = additional ? `("," space ${additional})*` : '';
  if (required.length > 0) {
    return `"{" space ${[required.join(' "," space '), chosen, others].join(' ')} "}" space`;
  }
  if (!additional) return `"{" space ${chosen} "}" space`;
  const onlyOthers = missing <= 0 ? `(${additional} ${others})?` : '';
  if (optional.length === 0) return `"{" space ${onlyOthers} "}" space`;
  const named = orderedSubset(optional, Math.max(missing, 1), optional.length, true, writer, name);
  const options = [`${named} ${others}`, ...(onlyOthers === '' ? [] : [onlyOthers])];
  return `"{" space (${options.join(' | ')}) "}" space`;
}

/** The rules of the named members. Leaves out an optional member that has no possible value. */
function namedMembers(
  shape: ObjectShape,
  name: string,
  writer: GrammarWriter,
): { required: string[]; optional: string[] } {
  const required: string[] = [];
  const optional: string[] = [];
  for (const [key, property] of shape.properties) {
    const isRequired = shape.required.has(key);
    try {
      const value = writer.visitPart(property, `${name}-${key}`);
      const body = `${literal(JSON.stringify(key))} space ":" space ${value}`;
      (isRequired ? required : optional).push(writer.add(`${name}-${key}-kv`, body));
    } catch (error) {
      if (!(error instanceof ImpossibleError) || isRequired) throw error;
    }
  }
  return { required, optional };
}

/** The inside of an object without named members. */
function unnamedMembersOnly(
  schema: Schema,
  shape: ObjectShape,
  min: number,
  max: number,
  name: string,
  writer: GrammarWriter,
): string {
  const isEmpty =
    (shape.additional === false && shape.pattern === undefined) ||
    // All named members turned out to be impossible.
    (isObject(schema.properties) &&
      Object.keys(schema.properties).length > 0 &&
      shape.additional === undefined);
  if (isEmpty) {
    if (min > 0) throw impossibleKeyword('minProperties', schema);
    return '';
  }
  // Two members may get the same name, and then count as one.
  if (min > 1) throw unsupportedKeyword('minProperties', schema);
  if (max === 0) return '';
  let member: string;
  try {
    member = unnamedMember(schema, shape, name, writer);
  } catch (error) {
    if (!(error instanceof ImpossibleError) || min > 0) throw error;
    return '';
  }
  const members = `${member} ${followingMembers(member, max)}`.trimEnd();
  return min === 0 ? `(${members})? ` : `${members} `;
}

function followingMembers(member: string, max: number): string {
  if (!Number.isFinite(max)) return `("," space ${member})*`;
  return max === 1 ? '' : `("," space ${member}){0,${Math.min(max - 1, 1000)}}`;
}

function unnamedMember(schema: Schema, shape: ObjectShape, name: string, writer: GrammarWriter): string {
  const key = unnamedKey(schema, shape, `${name}-key`, writer);
  const value = writer.visitPart(shape.additional ?? true, `${name}-other`);
  return writer.add(`${name}-other-kv`, `${key} ":" space ${value}`);
}

function unnamedKey(schema: Schema, { pattern }: ObjectShape, name: string, writer: GrammarWriter): string {
  const names = isObject(schema.propertyNames) ? schema.propertyNames : {};
  if (pattern !== undefined) {
    if (constrains(names)) throw unsupportedKeyword('propertyNames', schema);
    return writer.visitPart({ type: 'string', pattern }, name);
  }
  if (schema.propertyNames === undefined) return writer.json('string');
  return writer.visitPart(writer.merger.merge({ type: 'string' }, schema.propertyNames), name);
}

/** A member in addition to the named ones. Undefined: the schema allows none, or does not ask for any. */
function additionalMember(
  schema: Schema,
  shape: ObjectShape,
  name: string,
  writer: GrammarWriter,
): string | undefined {
  const { additional } = shape;
  if (additional !== true && !isObject(additional)) return undefined;
  // A grammar cannot combine `propertyNames` with "none of the named members". Additional members are optional.
  if (schema.propertyNames !== undefined) return undefined;
  try {
    const value = writer.visitPart(additional, `${name}-other`);
    const declared = Object.keys((schema.properties ?? {}) as Schema);
    const excluded = [...new Set([...shape.properties.keys(), ...declared])];
    const key = nameExcept(excluded, `${name}-other-key`, writer);
    return writer.add(`${name}-other-kv`, `${key} space ":" space ${value}`);
  } catch (error) {
    if (error instanceof ImpossibleError) return undefined;
    throw error;
  }
}
