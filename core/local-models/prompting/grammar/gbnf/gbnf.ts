/** Expressions of GBNF, llama.cpp's notation of grammars. */

/** The rules of a grammar that is being written. */
export interface RuleSet {
  /** Adds an expression as a rule and returns the rule's name, which may differ from `name`. */
  add(name: string, body: string): string;
}

/** A quoted literal. */
export function literal(text: string): string {
  const escaped = text.replace(/[\\"\n\r\t]/g, (character) =>
    character === '\n' ? '\\n' : character === '\r' ? '\\r' : character === '\t' ? '\\t' : `\\${character}`,
  );
  return `"${escaped}"`;
}

/** llama.cpp refuses long repetitions, so they are composed of blocks of this length. */
const BLOCK = 100;
/** Larger counts mean "any number": no answer is so long. */
export const MAX_COUNT = 100_000;

/**
 * `item` from `min` to `max` times; the empty text for never. Repeated groups become rules, because llama.cpp limits
 * the elements of a repetition and counts a rule as one.
 */
export function repeat(item: string, min: number, max: number, rules: RuleSet): string {
  if (max <= 0) return '';
  const isSimple = /^([a-zA-Z0-9-]+|\[(\\.|[^\]\\])*\]|"(\\.|[^"\\])*")$/.test(item);
  const most = max > MAX_COUNT ? Number.POSITIVE_INFINITY : max;
  const counted = Math.max(min, Number.isFinite(most) ? most : 0);
  const part = isSimple || counted <= 10 ? item : rules.add('part', item);
  const single = isSimple || part !== item || isGroup(part) ? part : `(${part})`;
  if (min === 0 && most === 1) return `${single}?`;
  if (!Number.isFinite(most) && min <= 1) return min === 0 ? `${single}*` : `${single}+`;
  if (counted <= 10 * BLOCK) {
    if (min === most) return min === 1 ? single : `${single}{${min}}`;
    return Number.isFinite(most) ? `${single}{${min},${most}}` : `${single}{${min},}`;
  }
  const block = rules.add('block', `${single}{${BLOCK}}`);
  const exact = [exactly(block, Math.floor(min / BLOCK)), exactly(single, min % BLOCK)].filter(
    (text) => text !== '',
  );
  if (!Number.isFinite(most)) return `(${[...exact, `${single}*`].join(' ')})`;
  const blocks = Math.floor((most - min) / BLOCK);
  const rest = (most - min) % BLOCK;
  // Fewer than all blocks and a part of a block, or all blocks and the rest.
  const upTo =
    blocks === 0
      ? upToCount(single, rest)
      : `(${block}{0,${blocks - 1}} ${upToCount(single, BLOCK - 1)} | ${exactly(block, blocks)} ${upToCount(single, rest)})`;
  return `(${[...exact, upTo].filter((text) => text !== '').join(' ')})`;
}

function exactly(item: string, count: number): string {
  return count === 0 ? '' : count === 1 ? item : `${item}{${count}}`;
}

function upToCount(item: string, count: number): string {
  return count === 0 ? '' : `${item}{0,${count}}`;
}

/** Whether a text begins with a parenthesis that closes at the text's end. */
function isGroup(text: string): boolean {
  if (text[0] !== '(') return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"' || character === '[') {
      const end = character === '"' ? '"' : ']';
      for (at++; text[at] !== end; at++) if (text[at] === '\\') at++;
    } else if (character === '(') depth++;
    else if (character === ')' && --depth === 0) return at === text.length - 1;
  }
  return false;
}

/** Alternatives as one item. */
export function alternatives(options: string[]): string {
  return `(${options.join(' | ')})`;
}
