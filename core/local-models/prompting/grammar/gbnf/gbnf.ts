/** Pieces of GBNF, llama.cpp's grammar notation. */

/** Where rules are kept while a grammar is written. */
export interface Rules {
  /** Keeps an expression as a rule; its name. */
  add(name: string, body: string): string;
}

/** A quoted literal. */
export function literal(text: string): string {
  const escaped = text.replace(/[\\"\n\r\t]/g, (character) =>
    character === '\n' ? '\\n' : character === '\r' ? '\\r' : character === '\t' ? '\\t' : `\\${character}`,
  );
  return `"${escaped}"`;
}

/** The reader of grammars refuses longer repetitions; they are made of blocks. */
const BLOCK = 100;
/** More than this is not counted: no answer gets so long. */
export const MAX_COUNT = 100_000;

/** `item` from `min` to `max` times; '' for never. Repeated groups become rules, which the reader counts as one. */
export function repeat(item: string, min: number, max: number, rules: Rules): string {
  if (max <= 0) return '';
  const simple = /^([a-zA-Z0-9-]+|\[(\\.|[^\]\\])*\]|"(\\.|[^"\\])*")$/.test(item);
  const most = max > MAX_COUNT ? Number.POSITIVE_INFINITY : max;
  const counted = Math.max(min, Number.isFinite(most) ? most : 0);
  const one = simple || counted <= 10 ? item : rules.add('part', item);
  const single = simple || one !== item || isGroup(one) ? one : `(${one})`;
  if (min === 0 && most === 1) return `${single}?`;
  if (!Number.isFinite(most) && min <= 1) return min === 0 ? `${single}*` : `${single}+`;
  if (counted <= 10 * BLOCK) {
    if (min === most) return min === 1 ? single : `${single}{${min}}`;
    return Number.isFinite(most) ? `${single}{${min},${most}}` : `${single}{${min},}`;
  }
  const block = rules.add('block', `${single}{${BLOCK}}`);
  const exact = [times(block, Math.floor(min / BLOCK)), times(single, min % BLOCK)].filter(
    (text) => text !== '',
  );
  if (!Number.isFinite(most)) return `(${[...exact, `${single}*`].join(' ')})`;
  const blocks = Math.floor((most - min) / BLOCK);
  const rest = (most - min) % BLOCK;
  // Any number of full blocks and a part of one, or all of them and what is left.
  const upTo =
    blocks === 0
      ? optional(single, rest)
      : `(${block}{0,${blocks - 1}} ${optional(single, BLOCK - 1)} | ${times(block, blocks)} ${optional(single, rest)})`;
  return `(${[...exact, upTo].filter((text) => text !== '').join(' ')})`;
}

function times(item: string, count: number): string {
  return count === 0 ? '' : count === 1 ? item : `${item}{${count}}`;
}

function optional(item: string, count: number): string {
  return count === 0 ? '' : `${item}{0,${count}}`;
}

/** Whether the parenthesis that opens a text is the one that ends it. */
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

/** Choices as one item. */
export function group(options: string[]): string {
  return `(${options.join(' | ')})`;
}
