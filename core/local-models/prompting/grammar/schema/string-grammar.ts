import { MAX_COUNT, repeat } from '../gbnf/gbnf.ts';
import { patternGrammar } from '../pattern/pattern-grammar.ts';
import { limitToAtLeast, limitToAtMost, PatternError, type PatternNode } from '../pattern/pattern-nodes.ts';
import { readPattern } from '../pattern/pattern-reader.ts';
import formats from '../string-formats.json' with { type: 'json' };
import type { GrammarWriter } from './grammar-writer.ts';
import { impossibleKeyword, type Schema, SchemaError, toCount, unsupportedKeyword } from './schema.ts';

const ALIASES: Record<string, string> = {
  'idn-email': 'email',
  'idn-hostname': 'hostname',
  iri: 'uri',
  url: 'uri',
};

/** @throws SchemaError for keywords that a grammar cannot express; ImpossibleError when no string is valid */
export function stringGrammar(schema: Schema, writer: GrammarWriter): string {
  for (const keyword of ['if', 'not']) if (keyword in schema) throw unsupportedKeyword(keyword, schema);
  const min = toCount(schema.minLength, 0);
  const max = toCount(schema.maxLength, Number.POSITIVE_INFINITY);
  if (min > max) throw impossibleKeyword('maxLength', schema);
  if (min > MAX_COUNT) throw unsupportedKeyword('minLength', schema);
  const pattern = patternOf(schema);
  writer.json('space');
  if (!pattern) {
    if (min === 0 && max > MAX_COUNT) return writer.json('string');
    return `"\\"" ${repeat(writer.json('char'), min, max, writer)} "\\"" space`;
  }
  const longEnough = limitToAtLeast(pattern, min);
  if (!longEnough) throw unsupportedKeyword('minLength', schema);
  const limited = limitToAtMost(longEnough, max);
  if (!limited)
    throw min === 0 ? impossibleKeyword('maxLength', schema) : unsupportedKeyword('maxLength', schema);
  try {
    return `"\\"" ${patternGrammar(limited, writer)} "\\"" space`;
  } catch (error) {
    if (error instanceof PatternError) throw new SchemaError(error.message);
    throw error;
  }
}

function patternOf({ pattern, format }: Schema): PatternNode | undefined {
  const formatPattern =
    typeof format === 'string' ? (formats as Record<string, string>)[ALIASES[format] ?? format] : undefined;
  if (typeof pattern !== 'string')
    return formatPattern === undefined ? undefined : readPattern(formatPattern);
  try {
    return readPattern(pattern);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    // Some libraries add the pattern of a format to its name, with look-around that a grammar cannot express.
    if (formatPattern !== undefined) return readPattern(formatPattern);
    throw new SchemaError(error.message);
  }
}
