/** Regular expressions as trees: what a JSON schema's `pattern` and `format` allow in a text. */

export type PatternNode =
  | { kind: 'class'; ranges: Range[]; negated: boolean }
  | { kind: 'sequence'; parts: PatternNode[] }
  | { kind: 'choice'; options: PatternNode[] }
  | { kind: 'repeat'; item: PatternNode; min: number; max: number };

/** Code points, both ends included. */
export type Range = [number, number];

export class PatternError extends Error {
  override name = 'PatternError';
}

/** Any character but the ends of lines. */
export const ANY: PatternNode = {
  kind: 'class',
  negated: true,
  ranges: [
    [10, 10],
    [13, 13],
    [0x2028, 0x2029],
  ],
};

/** How many characters the shortest and the longest text have. */
export function lengths(node: PatternNode): { min: number; max: number } {
  if (node.kind === 'class') return { min: 1, max: 1 };
  if (node.kind === 'repeat') {
    const item = lengths(node.item);
    return { min: item.min * node.min, max: item.max === 0 || node.max === 0 ? 0 : item.max * node.max };
  }
  const all = (node.kind === 'choice' ? node.options : node.parts).map(lengths);
  if (node.kind === 'choice') {
    return { min: Math.min(...all.map(({ min }) => min)), max: Math.max(...all.map(({ max }) => max)) };
  }
  return {
    min: all.reduce((sum, { min }) => sum + min, 0),
    max: all.reduce((sum, { max }) => sum + max, 0),
  };
}

/** The part of a pattern's texts that have `max` characters at most; undefined when there are none. */
export function noLonger(node: PatternNode, max: number): PatternNode | undefined {
  const length = lengths(node);
  if (length.max <= max) return node;
  if (length.min > max || node.kind === 'class') return undefined;
  if (node.kind === 'choice') {
    const options = node.options.flatMap((option) => noLonger(option, max) ?? []);
    return { kind: 'choice', options };
  }
  if (node.kind === 'sequence') {
    // What can be longer shares the room that is left.
    let left = max - length.min;
    let flexible = node.parts.filter((part) => lengths(part).max > lengths(part).min).length;
    const parts = node.parts.map((part) => {
      const own = lengths(part);
      if (own.max === own.min) return part;
      const share = Math.min(own.max - own.min, Math.floor(left / flexible));
      flexible--;
      left -= share;
      return noLonger(part, own.min + share) ?? part;
    });
    return { kind: 'sequence', parts };
  }
  const item = lengths(node.item);
  if (item.max <= max && item.max > 0) {
    const times = Math.min(node.max, Math.floor(max / item.max));
    if (times >= Math.max(node.min, 1)) return { ...node, max: times };
  }
  const times = Math.max(node.min, 1);
  const shorter = noLonger(node.item, Math.floor(max / times));
  return shorter ? { ...node, item: shorter, max: times } : node.min === 0 ? { ...node, max: 0 } : undefined;
}

/** The part of a pattern's texts that have `min` characters at least; undefined when it is not found. */
export function noShorter(node: PatternNode, min: number): PatternNode | undefined {
  const length = lengths(node);
  if (length.min >= min) return node;
  if (length.max < min || node.kind === 'class') return undefined;
  if (node.kind === 'choice') {
    const options = node.options.flatMap((option) => noShorter(option, min) ?? []);
    return options.length > 0 ? { kind: 'choice', options } : undefined;
  }
  if (node.kind === 'repeat') {
    const item = lengths(node.item);
    if (item.min === 0) return undefined;
    const times = Math.ceil(min / item.min);
    return times <= node.max ? { ...node, min: Math.max(times, node.min) } : undefined;
  }
  // The part that can grow most makes up for what is missing.
  const missing = min - length.min;
  const growth = node.parts.map((part) => lengths(part).max - lengths(part).min);
  const at = growth.indexOf(Math.max(...growth));
  const grown = noShorter(node.parts[at]!, lengths(node.parts[at]!).min + missing);
  return grown && { kind: 'sequence', parts: node.parts.with(at, grown) };
}
