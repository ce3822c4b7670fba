/** Go string literals: `"…"` with escapes, raw strings in backquotes, `'c'`. */
const SIMPLE: Record<string, string> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  '"': '"',
  "'": "'",
};

/** The value of a literal. Invalid code points become U+FFFD. */
export function unquote(literal: string): string {
  const body = literal.slice(1, -1);
  if (literal[0] === '`') return body;
  return body.replace(
    /\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{3}|.)/gs,
    (_, sequence: string) => {
      const simple = SIMPLE[sequence];
      if (simple !== undefined) return simple;
      if (/^[0-7]{3}$/.test(sequence)) return String.fromCharCode(Number.parseInt(sequence, 8));
      const code = Number.parseInt(sequence.slice(1), 16);
      return Number.isNaN(code) || code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code);
    },
  );
}

/** The text as Go's `%q` and `strconv.Quote` print it. */
export function goQuote(text: string): string {
  return JSON.stringify(text).replace(/\\u([0-9a-f]{4})/g, (all, hex: string) =>
    hex === '0007'
      ? '\\a'
      : hex === '000b'
        ? '\\v'
        : Number.parseInt(hex, 16) < 0x20
          ? `\\x${hex.slice(2)}`
          : all,
  );
}
