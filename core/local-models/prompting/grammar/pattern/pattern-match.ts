import type { PatternNode } from './pattern-nodes.ts';

/**
 * Whether all of a text matches a pattern. Unlike JavaScript's regular expressions it does not backtrack: the time is in
 * proportion to the product of both lengths.
 */
export function matchesPattern(text: string, node: PatternNode): boolean {
  const codes = [...text].map((character) => character.codePointAt(0)!);
  return matchEnds(node, new Set([0]), codes).has(codes.length);
}

/** The positions where a match that begins at one of `starts` can end. */
function matchEnds(node: PatternNode, starts: Set<number>, codes: number[]): Set<number> {
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
      return node.parts.reduce((at, part) => matchEnds(part, at, codes), starts);
    case 'choice':
      return new Set(node.options.flatMap((option) => [...matchEnds(option, starts, codes)]));
    case 'repeat': {
      const all = new Set<number>(node.min === 0 ? starts : []);
      let current = starts;
      for (let times = 1; times <= node.max && current.size > 0; times++) {
        const next = matchEnds(node.item, current, codes);
        const before = all.size;
        if (times >= node.min) for (const at of next) all.add(at);
        // When a round reaches no new position, neither do the rounds after it.
        const isSame = next.size === current.size && [...next].every((at) => current.has(at));
        if (isSame) for (const at of next) all.add(at);
        if (isSame || (times > node.min && all.size === before)) break;
        current = next;
      }
      return all;
    }
  }
}
