import { literal } from '../gbnf/gbnf.ts';
import { accepts } from './accepts.ts';
import { type Builder, someOf } from './builder.ts';
import { notNames } from './not-names.ts';
import {
  constrains,
  count,
  ImpossibleError,
  impossible,
  isObject,
  type Schema,
  unrecognized,
  unsupported,
} from './schema.ts';

/** Members in the order of the schema, those that are required first. */
export function objectGrammar(schema: Schema, name: string, builder: Builder): string {
  for (const keyword of ['dependentSchemas', 'if', 'not']) {
    if (keyword in schema) throw unsupported(keyword, schema);
  }
  builder.json('space');
  const shape = readShape(schema);
  const min = count(schema.minProperties, 0);
  const max = count(schema.maxProperties, Number.POSITIVE_INFINITY);
  if (min > max) throw impossible('maxProperties', schema);
  if (shape.properties.size === 0)
    return `"{" space ${freeMembers(schema, shape, min, max, name, builder)}"}" space`;

  const musts: string[] = [];
  const mays: string[] = [];
  for (const [key, property] of shape.properties) {
    const required = shape.required.has(key);
    try {
      const value = builder.visitPart(property, `${name}-${key}`);
      const member = builder.add(
        `${name}-${key}-kv`,
        `${literal(JSON.stringify(key))} space ":" space ${value}`,
      );
      (required ? musts : mays).push(member);
    } catch (error) {
      // What may be left out, and cannot be, is left out.
      if (!(error instanceof ImpossibleError) || required) throw error;
    }
  }
  if (musts.length > max) throw impossible('maxProperties', schema);
  const few = max < musts.length + mays.length;
  const more = few || Number.isFinite(max) ? undefined : otherMember(schema, shape, name, builder);
  const short = min - musts.length;
  // All that are named, and one more.
  if (short === mays.length + 1 && more) {
    return `"{" space ${[...musts, ...mays, more].join(' "," space ')} ("," space ${more})* "}" space`;
  }
  const optional = someOf(mays, short, max - musts.length, musts.length === 0, builder, name);
  if (optional === undefined)
    throw more ? unsupported('minProperties', schema) : impossible('minProperties', schema);
  const others = more ? `("," space ${more})*` : '';
  if (musts.length > 0)
    return `"{" space ${[musts.join(' "," space '), optional, others].join(' ')} "}" space`;
  if (!more) return `"{" space ${optional} "}" space`;
  const alone = short <= 0 ? `(${more} ${others})?` : '';
  if (mays.length === 0) return `"{" space ${alone} "}" space`;
  // With something named first, or with others only.
  const named = someOf(mays, Math.max(short, 1), mays.length, true, builder, name);
  const options = [`${named} ${others}`, ...(short <= 0 ? [`(${more} ${others})?`] : [])];
  return `"{" space (${options.join(' | ')}) "}" space`;
}

interface Shape {
  properties: Map<string, unknown>;
  required: Set<string>;
  /** What members without a name of their own may be; undefined: they are not asked for. */
  others: unknown;
  /** Names of theirs must follow it. */
  pattern?: string;
}

function readShape(schema: Schema): Shape {
  if (schema.properties !== undefined && !isObject(schema.properties)) throw unrecognized(schema);
  const properties = new Map(Object.entries((schema.properties ?? {}) as Schema));
  const required = new Set((Array.isArray(schema.required) ? schema.required : []).map(String));
  const patterns = Object.entries(isObject(schema.patternProperties) ? schema.patternProperties : {}).filter(
    ([, value]) => value !== true && !(isObject(value) && !constrains(value)),
  );
  const others = schema.additionalProperties ?? schema.unevaluatedProperties;
  const names: Schema = { ...(isObject(schema.propertyNames) ? schema.propertyNames : {}), type: 'string' };
  if (patterns.length > 1 || (patterns.length > 0 && (properties.size > 0 || required.size > 0))) {
    throw unsupported('patternProperties', schema);
  }
  for (const dependencies of [schema.dependentRequired, schema.dependencies]) {
    if (!isObject(dependencies)) continue;
    // With what another needs always there, nothing can be missing.
    for (const [key, needed] of Object.entries(dependencies)) {
      if (!Array.isArray(needed)) throw unsupported('dependencies', schema);
      if (properties.has(key)) for (const one of needed) required.add(String(one));
    }
  }
  for (const key of required) {
    if (properties.has(key)) continue;
    if (others === false) throw impossible('required', schema);
    properties.set(key, isObject(others) ? others : true);
  }
  for (const key of [...properties.keys()]) {
    let allowed = properties.get(key) !== false;
    if (allowed && schema.propertyNames !== undefined) {
      allowed = accepts(key, names);
    }
    if (allowed) continue;
    if (required.has(key)) throw impossible('properties', schema);
    properties.delete(key);
  }
  const [pattern] = patterns;
  return pattern
    ? { properties, required, others: pattern[1], pattern: pattern[0] }
    : { properties, required, others };
}

/** An object whose members have no names of their own. */
function freeMembers(
  schema: Schema,
  shape: Shape,
  min: number,
  max: number,
  name: string,
  builder: Builder,
): string {
  if (shape.others === false && shape.pattern === undefined) {
    if (min > 0) throw impossible('minProperties', schema);
    return '';
  }
  if (
    isObject(schema.properties) &&
    Object.keys(schema.properties).length > 0 &&
    shape.others === undefined
  ) {
    if (min > 0) throw impossible('minProperties', schema);
    return '';
  }
  // Two members may have one name, and then count as one.
  if (min > 1) throw unsupported('minProperties', schema);
  if (max === 0) return '';
  let member: string;
  try {
    member = freeMember(schema, shape, name, builder);
  } catch (error) {
    if (!(error instanceof ImpossibleError) || min > 0) throw error;
    return '';
  }
  const rest = Number.isFinite(max)
    ? max === 1
      ? ''
      : `("," space ${member}){0,${Math.min(max - 1, 1000)}}`
    : `("," space ${member})*`;
  const all = `${member} ${rest}`.trimEnd();
  return min === 0 ? `(${all})? ` : `${all} `;
}

function freeMember(schema: Schema, shape: Shape, name: string, builder: Builder): string {
  const names = isObject(schema.propertyNames) ? schema.propertyNames : {};
  if (shape.pattern !== undefined && constrains(names)) throw unsupported('propertyNames', schema);
  const key =
    shape.pattern !== undefined
      ? builder.visitPart({ type: 'string', pattern: shape.pattern }, `${name}-key`)
      : schema.propertyNames === undefined
        ? builder.json('string')
        : builder.visitPart(builder.merger.merge({ type: 'string' }, schema.propertyNames), `${name}-key`);
  const value = builder.visitPart(shape.others ?? true, `${name}-other`);
  return builder.add(`${name}-other-kv`, `${key} ":" space ${value}`);
}

/** A member beside those that are named. undefined = there are none. */
function otherMember(schema: Schema, shape: Shape, name: string, builder: Builder): string | undefined {
  const { others } = shape;
  if (others !== true && !isObject(others)) return undefined;
  // Others that the schema only allows are left out where their names are bound too.
  if (schema.propertyNames !== undefined) return undefined;
  try {
    const value = builder.visitPart(others, `${name}-other`);
    const declared = Object.keys((schema.properties ?? {}) as Schema);
    const key = notNames(
      [...new Set([...shape.properties.keys(), ...declared])],
      `${name}-other-key`,
      builder,
    );
    return builder.add(`${name}-other-kv`, `${key} space ":" space ${value}`);
  } catch (error) {
    if (error instanceof ImpossibleError) return undefined;
    throw error;
  }
}
