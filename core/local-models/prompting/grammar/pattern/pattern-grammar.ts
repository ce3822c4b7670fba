import { literal, type RuleSet, repeat } from '../gbnf/gbnf.ts';
import { type CodeRange, PatternError, type PatternNode } from './pattern-nodes.ts';

/** Characters that JSON strings do not allow unescaped, and DEL. */
const UNSAFE: CodeRange[] = [
  [0, 31],
  [34, 34],
  [92, 92],
  [127, 127],
  [0xd800, 0xdfff],
];
/** The escapes that the grammar uses. */
const ESCAPES: [number, string][] = [
  [34, '\\"'],
  [92, '\\\\'],
  [8, '\\b'],
  [9, '\\t'],
  [10, '\\n'],
  [12, '\\f'],
  [13, '\\r'],
];
const MAX_NODES = 20_000;

/**
 * The texts of a pattern as GBNF, escaped for the inside of a JSON string.
 * @throws PatternError when the pattern is too large, or requires a character that cannot be written
 */
export function patternGrammar(node: PatternNode, rules: RuleSet): string {
  let nodes = 0;
  const write = (part: PatternNode): string => {
    if (++nodes > MAX_NODES) throw new PatternError('the pattern is too large');
    switch (part.kind) {
      case 'class':
        return part.negated ? negatedClass(part.ranges) : positiveClass(part.ranges);
      case 'choice':
        return `(${part.options.map(write).join(' | ')})`;
      case 'sequence': {
        const texts = part.parts.map(write).filter((text) => text !== '');
        return texts.length === 0 ? '""' : texts.length === 1 ? texts[0]! : `(${texts.join(' ')})`;
      }
      case 'repeat':
        return part.max === 0 ? '""' : repeat(write(part.item), part.min, part.max, rules) || '""';
    }
  };
  return write(node);
}

function positiveClass(ranges: CodeRange[]): string {
  const safe = ranges.flatMap(withoutUnsafe);
  const options = ESCAPES.filter(([code]) => ranges.some(([from, to]) => code >= from && code <= to)).map(
    ([, text]) => literal(text),
  );
  if (safe.length === 1 && safe[0]![0] === safe[0]![1])
    options.unshift(literal(String.fromCodePoint(safe[0]![0])));
  else if (safe.length > 0) options.unshift(`[${safe.map(printRange).join('')}]`);
  if (options.length === 0) throw new PatternError('the pattern requires a character that cannot be written');
  return options.length === 1 ? options[0]! : `(${options.join(' | ')})`;
}

function negatedClass(ranges: CodeRange[]): string {
  return `[^${[...ranges.filter(([from]) => from > 31), ...UNSAFE.slice(0, 4)].map(printRange).join('')}]`;
}

function withoutUnsafe(range: CodeRange): CodeRange[] {
  let left: CodeRange[] = [range];
  for (const [from, to] of UNSAFE) {
    left = left.flatMap(([a, b]): CodeRange[] => {
      if (b < from || a > to) return [[a, b]];
      const parts: CodeRange[] = [];
      if (a < from) parts.push([a, from - 1]);
      if (b > to) parts.push([to + 1, b]);
      return parts;
    });
  }
  return left;
}

function printRange([from, to]: CodeRange): string {
  return from === to ? printCharacter(from) : `${printCharacter(from)}-${printCharacter(to)}`;
}

function printCharacter(code: number): string {
  if (code < 32 || code === 127) return `\\x${code.toString(16).toUpperCase().padStart(2, '0')}`;
  if (code > 0xffff) return `\\U${code.toString(16).padStart(8, '0')}`;
  if (code > 127) return `\\u${code.toString(16).padStart(4, '0')}`;
  const character = String.fromCodePoint(code);
  return /[\]\\^[-]/.test(character) ? `\\${character}` : character;
}
