/** A parsed regular expression: the texts that a JSON schema's `pattern` or `format` allows. */
export type PatternNode =
  | { kind: 'class'; ranges: CodeRange[]; negated: boolean }
  | { kind: 'sequence'; parts: PatternNode[] }
  | { kind: 'choice'; options: PatternNode[] }
  | { kind: 'repeat'; item: PatternNode; min: number; max: number };

/** Code points from the first to the last, both inclusive. */
export type CodeRange = [number, number];

/** A pattern that a grammar cannot express. */
export class PatternError extends Error {
  override name = 'PatternError';
}

/** Any character except line terminators. */
export const ANY_CHARACTER: PatternNode = {
  kind: 'class',
  negated: true,
  ranges: [
    [10, 10],
    [13, 13],
    [0x2028, 0x2029],
  ],
};

/** The number of characters of the shortest and the longest text. */
export function lengthRange(node: PatternNode): { min: number; max: number } {
  if (node.kind === 'class') return { min: 1, max: 1 };
  if (node.kind === 'repeat') {
    const item = lengthRange(node.item);
    return { min: item.min * node.min, max: item.max === 0 || node.max === 0 ? 0 : item.max * node.max };
  }
  const all = (node.kind === 'choice' ? node.options : node.parts).map(lengthRange);
  if (node.kind === 'choice') {
    return { min: Math.min(...all.map(({ min }) => min)), max: Math.max(...all.map(({ max }) => max)) };
  }
  return {
    min: all.reduce((sum, { min }) => sum + min, 0),
    max: all.reduce((sum, { max }) => sum + max, 0),
  };
}

/** A pattern for texts of this pattern with at most `max` characters. Undefined: there are none. */
export function limitToAtMost(node: PatternNode, max: number): PatternNode | undefined {
  const length = lengthRange(node);
  if (length.max <= max) return node;
  if (length.min > max || node.kind === 'class') return undefined;
  if (node.kind === 'choice') {
    const options = node.options.flatMap((option) => limitToAtMost(option, max) ?? []);
    return { kind: 'choice', options };
  }
  if (node.kind === 'sequence') {
    // The parts of variable length share the remaining length.
    let left = max - length.min;
    let flexible = node.parts.filter((part) => lengthRange(part).max > lengthRange(part).min).length;
    const parts = node.parts.map((part) => {
      const own = lengthRange(part);
      if (own.max === own.min) return part;
      const share = Math.min(own.max - own.min, Math.floor(left / flexible));
      flexible--;
      left -= share;
      return limitToAtMost(part, own.min + share) ?? part;
    });
    return { kind: 'sequence', parts };
  }
  const item = lengthRange(node.item);
  if (item.max <= max && item.max > 0) {
    const times = Math.min(node.max, Math.floor(max / item.max));
    if (times >= Math.max(node.min, 1)) return { ...node, max: times };
  }
  const times = Math.max(node.min, 1);
  const shorter = limitToAtMost(node.item, Math.floor(max / times));
  return shorter ? { ...node, item: shorter, max: times } : node.min === 0 ? { ...node, max: 0 } : undefined;
}

/** A pattern for texts of this pattern with at least `min` characters. Undefined: none was found. */
export function limitToAtLeast(node: PatternNode, min: number): PatternNode | undefined {
  const length = lengthRange(node);
  if (length.min >= min) return node;
  if (length.max < min || node.kind === 'class') return undefined;
  if (node.kind === 'choice') {
    const options = node.options.flatMap((option) => limitToAtLeast(option, min) ?? []);
    return options.length > 0 ? { kind: 'choice', options } : undefined;
  }
  if (node.kind === 'repeat') {
    const item = lengthRange(node.item);
    if (item.min === 0) return undefined;
    const times = Math.ceil(min / item.min);
    return times <= node.max ? { ...node, min: Math.max(times, node.min) } : undefined;
  }
  // The part that can grow most supplies the missing characters.
  const missing = min - length.min;
  const growth = node.parts.map((part) => lengthRange(part).max - lengthRange(part).min);
  const at = growth.indexOf(Math.max(...growth));
  const grown = limitToAtLeast(node.parts[at]!, lengthRange(node.parts[at]!).min + missing);
  return grown && { kind: 'sequence', parts: node.parts.with(at, grown) };
}
