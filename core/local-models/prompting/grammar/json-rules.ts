/** Rules of GBNF, llama.cpp's grammar notation, for plain JSON. `space` is what may stand between its parts. */

const HEX4 = '[0-9a-fA-F]{4}';

export const JSON_RULES: Readonly<Record<string, { body: string; uses: readonly string[] }>> = {
  space: { body: '| " " | "\\n" [ \\t]{0,20}', uses: [] },
  char: { body: `[^"\\\\\\x7F\\x00-\\x1F] | [\\\\] (["\\\\bfnrt] | "u" ${HEX4})`, uses: [] },
  string: { body: '"\\"" char* "\\"" space', uses: ['char', 'space'] },
  digits: { body: '[0] | [1-9] [0-9]{0,15}', uses: [] },
  integer: { body: '("-"? digits) space', uses: ['digits', 'space'] },
  number: {
    body: '("-"? digits) ("." [0-9]{1,16})? ([eE] [-+]? [0-9]{1,4})? space',
    uses: ['digits', 'space'],
  },
  boolean: { body: '("true" | "false") space', uses: ['space'] },
  null: { body: '"null" space', uses: ['space'] },
  value: {
    body: 'object | array | string | number | boolean | null',
    uses: ['object', 'array', 'string', 'number', 'boolean', 'null'],
  },
  object: {
    body: '"{" space ( string ":" space value ("," space string ":" space value)* )? "}" space',
    uses: ['string', 'value', 'space'],
  },
  array: { body: '"[" space ( value ("," space value)* )? "]" space', uses: ['value', 'space'] },
  date: {
    body: '[0-9]{4} "-" ( "0" [1-9] | "1" [0-2] ) "-" ( "0" [1-9] | [1-2] [0-9] | "3" [0-1] )',
    uses: [],
  },
  time: {
    body: '([01] [0-9] | "2" [0-3]) ":" [0-5] [0-9] ":" [0-5] [0-9] ( "." [0-9]{3} )? ( "Z" | [-+] ([01] [0-9] | "2" [0-3]) ":" [0-5] [0-9] )',
    uses: [],
  },
  'date-string': { body: '"\\"" date "\\"" space', uses: ['date', 'space'] },
  'time-string': { body: '"\\"" time "\\"" space', uses: ['time', 'space'] },
  'date-time-string': { body: '"\\"" date "T" time "\\"" space', uses: ['date', 'time', 'space'] },
  uuid: {
    body: '"\\"" [0-9a-fA-F]{8} "-" [0-9a-fA-F]{4} "-" [0-9a-fA-F]{4} "-" [0-9a-fA-F]{4} "-" [0-9a-fA-F]{12} "\\"" space',
    uses: ['space'],
  },
};

/** A quoted literal of GBNF. */
export function literal(text: string): string {
  const escaped = text.replace(/[\\"\n\r\t]/g, (character) =>
    character === '\n' ? '\\n' : character === '\r' ? '\\r' : character === '\t' ? '\\t' : `\\${character}`,
  );
  return `"${escaped}"`;
}

/** Repetitions beyond this are refused by the grammar's reader: no bound is given then. */
const MAX_REPEATS = 1000;

/** `item` from `min` to `max` times. */
export function repeat(item: string, min: number, max = Number.POSITIVE_INFINITY): string {
  const from = Math.min(min, MAX_REPEATS);
  if (max > MAX_REPEATS) return from === 0 ? `${item}*` : from === 1 ? `${item}+` : `${item}{${from},}`;
  if (max <= 0) return '';
  if (from === 0 && max === 1) return `${item}?`;
  return from === max ? (max === 1 ? item : `${item}{${max}}`) : `${item}{${from},${max}}`;
}
