import { MAX_COUNT, repeat } from '../gbnf/gbnf.ts';
import { patternGrammar } from '../pattern/pattern-grammar.ts';
import { noLonger, noShorter, PatternError, type PatternNode } from '../pattern/pattern-nodes.ts';
import { readPattern } from '../pattern/pattern-reader.ts';
import formats from '../string-formats.json' with { type: 'json' };
import type { Builder } from './builder.ts';
import { count, impossible, type Schema, SchemaError, unsupported } from './schema.ts';

const ALIASES: Record<string, string> = {
  'idn-email': 'email',
  'idn-hostname': 'hostname',
  iri: 'uri',
  url: 'uri',
};

export function stringGrammar(schema: Schema, builder: Builder): string {
  for (const keyword of ['if', 'not']) if (keyword in schema) throw unsupported(keyword, schema);
  const min = count(schema.minLength, 0);
  const max = count(schema.maxLength, Number.POSITIVE_INFINITY);
  if (min > max) throw impossible('maxLength', schema);
  if (min > MAX_COUNT) throw unsupported('minLength', schema);
  const pattern = patternOf(schema);
  builder.json('space');
  if (!pattern) {
    if (min === 0 && max > MAX_COUNT) return builder.json('string');
    return `"\\"" ${repeat(builder.json('char'), min, max, builder)} "\\"" space`;
  }
  const long = noShorter(pattern, min);
  if (!long) throw unsupported('minLength', schema);
  const fitting = noLonger(long, max);
  if (!fitting) throw min === 0 ? impossible('maxLength', schema) : unsupported('maxLength', schema);
  try {
    return `"\\"" ${patternGrammar(fitting, builder)} "\\"" space`;
  } catch (error) {
    if (error instanceof PatternError) throw new SchemaError(error.message);
    throw error;
  }
}

function patternOf({ pattern, format }: Schema): PatternNode | undefined {
  const known =
    typeof format === 'string' ? (formats as Record<string, string>)[ALIASES[format] ?? format] : undefined;
  if (typeof pattern !== 'string') return known === undefined ? undefined : readPattern(known);
  try {
    return readPattern(pattern);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    // Libraries write the pattern of a format beside its name, looking around where a grammar cannot.
    if (known !== undefined) return readPattern(known);
    throw new SchemaError(error.message);
  }
}
