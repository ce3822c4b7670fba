/** Four hexadecimal digits of an escape. Excludes surrogates: half of a pair is no character. */
const HEX4 = '([0-9a-cA-CefEF] [0-9a-fA-F]{3} | [dD] [0-7] [0-9a-fA-F]{2})';

/** The rules of plain JSON, with the rules that each uses. Limits the digits of numbers and the space between parts. */
export const JSON_RULES: Readonly<Record<string, { body: string; uses: readonly string[] }>> = {
  space: { body: '| " " | "\\n" [ \\t]{0,20}', uses: [] },
  char: { body: `[^"\\\\\\x7F\\x00-\\x1F] | [\\\\] (["\\\\bfnrt] | "u" ${HEX4})`, uses: [] },
  string: { body: '"\\"" char* "\\"" space', uses: ['char', 'space'] },
  digits: { body: '[0] | [1-9] [0-9]{0,15}', uses: [] },
  integer: { body: '("-"? digits) space', uses: ['digits', 'space'] },
  number: {
    body: '("-"? digits) ("." [0-9]{1,16})? ([eE] [-+]? [0-9]{1,2})? space',
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
};
