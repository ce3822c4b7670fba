/** The reader of JSON that loses no digits. */
import { JsonSyntaxError, parseJson, toPlainValue } from '#core/http';
import { fuzzTarget, requireEqual, textOf } from '../target.ts';

export default fuzzTarget({
  invariant: 'reads the same value as JSON.parse; lone surrogates become U+FFFD, as in Go',
  seeds: () => [
    '{"a":[1,-2.5e3,true,false,null,"\\u00e9\\n"],"b":{"c":{}},"":[]}',
    '[12345678901234567890,1e400,0.1,-0]',
    '"\\ud83d\\ude00"',
  ],
  refusals: [JsonSyntaxError],
  run(input) {
    const { root, source } = parseJson(textOf(input));
    const text = source.slice(root.start, root.end);
    requireEqual('equals JSON.parse', toPlainValue(root), wellFormed(JSON.parse(text)));
  },
});

/** Texts and keys with U+FFFD instead of lone surrogates. */
function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return new TextDecoder().decode(new TextEncoder().encode(value));
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map((member) => member.map(wellFormed) as [string, unknown]),
  );
}
