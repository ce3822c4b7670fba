/** Whether a text fits a pattern, in time that is bounded by their lengths: engines for regular expressions are not. */
import type { PatternNode } from './pattern-nodes.ts';

export function fits(text: string, node: PatternNode): boolean {
  const codes = [...text].map((character) => character.codePointAt(0)!);
  return ends(node, new Set([0]), codes).has(codes.length);
}

/** Where matches can end that begin at any of `starts`. */
function ends(node: PatternNode, starts: Set<number>, codes: number[]): Set<number> {
  if (starts.size === 0) return starts;
  switch (node.kind) {
    case 'class': {
      const after = [...starts].filter((at) => {
        const code = codes[at];
        return (
          code !== undefined && node.ranges.some(([from, to]) => code >= from && code <= to) !== node.negated
        );
      });
      return new Set(after.map((at) => at + 1));
    }
    case 'sequence':
      return node.parts.reduce((at, part) => ends(part, at, codes), starts);
    case 'choice':
      return new Set(node.options.flatMap((option) => [...ends(option, starts, codes)]));
    case 'repeat': {
      const all = new Set<number>(node.min === 0 ? starts : []);
      let current = starts;
      for (let times = 1; times <= node.max && current.size > 0; times++) {
        const next = ends(node.item, current, codes);
        const before = all.size;
        if (times >= node.min) for (const at of next) all.add(at);
        // Rounds that take nothing add nothing, however many are asked for.
        const same = next.size === current.size && [...next].every((at) => current.has(at));
        if (same) for (const at of next) all.add(at);
        if (same || (times > node.min && all.size === before)) break;
        current = next;
      }
      return all;
    }
  }
}
