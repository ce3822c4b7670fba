import { isObject } from '#core/base';
import { accepts } from './accepts.ts';
import {
  constrains,
  impossibleKeyword,
  type Schema,
  unrecognizedSchema,
  unsupportedKeyword,
} from './schema.ts';

/** The members that an object may have. */
export interface ObjectShape {
  /** Schemas of the named members. */
  properties: Map<string, unknown>;
  required: Set<string>;
  /** The schema of all other members. Undefined: the schema does not mention any. */
  additional: unknown;
  /** The pattern that names of other members must match. */
  pattern?: string;
}

/** @throws SchemaError for keywords that a grammar cannot express; ImpossibleError when no object is valid */
export function readObjectShape(schema: Schema): ObjectShape {
  if (schema.properties !== undefined && !isObject(schema.properties)) throw unrecognizedSchema(schema);
  const properties = new Map(Object.entries((schema.properties ?? {}) as Schema));
  const required = new Set((Array.isArray(schema.required) ? schema.required : []).map(String));
  const additional = schema.additionalProperties ?? schema.unevaluatedProperties;
  const [pattern, ...otherPatterns] = constrainingPatterns(schema);
  if (otherPatterns.length > 0 || (pattern && (properties.size > 0 || required.size > 0))) {
    throw unsupportedKeyword('patternProperties', schema);
  }
  requireDependencies(schema, properties, required);
  for (const key of required) {
    if (properties.has(key)) continue;
    if (additional === false) throw impossibleKeyword('required', schema);
    properties.set(key, isObject(additional) ? additional : true);
  }
  removeForbidden(schema, properties, required);
  return pattern
    ? { properties, required, additional: pattern[1], pattern: pattern[0] }
    : { properties, required, additional };
}

/** The entries of `patternProperties` that restrict values. */
function constrainingPatterns({ patternProperties }: Schema): [string, unknown][] {
  const entries = Object.entries(isObject(patternProperties) ? patternProperties : {});
  return entries.filter(([, value]) => value !== true && !(isObject(value) && !constrains(value)));
}

/** Makes a member required when any possible member depends on it: then no dependency can be violated. */
function requireDependencies(schema: Schema, properties: Map<string, unknown>, required: Set<string>): void {
  for (const dependencies of [schema.dependentRequired, schema.dependencies]) {
    if (!isObject(dependencies)) continue;
    for (const [key, dependentOn] of Object.entries(dependencies)) {
      if (!Array.isArray(dependentOn)) throw unsupportedKeyword('dependencies', schema);
      if (properties.has(key)) for (const other of dependentOn) required.add(String(other));
    }
  }
}

/** Removes members whose schema is `false`, or whose name `propertyNames` forbids. */
function removeForbidden(schema: Schema, properties: Map<string, unknown>, required: Set<string>): void {
  const nameSchema = { ...(isObject(schema.propertyNames) ? schema.propertyNames : {}), type: 'string' };
  for (const [key, property] of [...properties]) {
    const isAllowed = property !== false && (schema.propertyNames === undefined || accepts(key, nameSchema));
    if (isAllowed) continue;
    if (required.has(key)) throw impossibleKeyword('properties', schema);
    properties.delete(key);
  }
}
