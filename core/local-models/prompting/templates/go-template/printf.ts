import { toHex } from '#core/base';
import { goQuote } from './quote.ts';
import { format, marshal, typeName, type Value } from './values.ts';

const MAX_WIDTH = 10_000;

/** `fmt.Sprintf` with the verbs that templates use. */
export function sprintf(pattern: string, args: Value[]): string {
  let next = 0;
  const text = pattern.replace(
    /%([-+# 0]*)(\d+)?(?:\.(\d+))?(.)/gsu,
    (_, flags: string, width: string | undefined, precision: string | undefined, verb: string) => {
      if (verb === '%') return '%';
      if (next >= args.length) return `%!${verb}(MISSING)`;
      const value = args[next++];
      const body = formatVerb(verb, value, flags, precision === undefined ? undefined : Number(precision));
      const columns = Math.min(Number(width ?? 0), MAX_WIDTH);
      if (flags.includes('-')) return body.padEnd(columns);
      if (flags.includes('0') && typeof value === 'number') {
        const sign = /^[+-]/.exec(body)?.[0] ?? '';
        return sign + body.slice(sign.length).padStart(columns - sign.length, '0');
      }
      return body.padStart(columns);
    },
  );
  if (next >= args.length) return text;
  const extra = args.slice(next).map((value) => `${typeName(value)}=${format(value)}`);
  return `${text}%!(EXTRA ${extra.join(', ')})`;
}

function formatVerb(verb: string, value: Value, flags: string, precision: number | undefined): string {
  const sign = flags.includes('+') && typeof value === 'number' && value >= 0 ? '+' : '';
  const bad = () => `%!${verb}(${typeName(value)}=${format(value)})`;
  switch (verb) {
    case 'v':
      return flags.includes('#')
        ? typeof value === 'string'
          ? goQuote(value)
          : marshal(value)
        : sign + format(value);
    case 's':
      return typeof value === 'number' || typeof value === 'boolean'
        ? bad()
        : [...format(value)].slice(0, precision).join('');
    case 'q':
      return typeof value === 'string' ? goQuote(value) : bad();
    case 'd':
      return typeof value === 'number' && Number.isInteger(value) ? sign + value : bad();
    case 't':
      return typeof value === 'boolean' ? String(value) : bad();
    case 'f':
    case 'F':
      return typeof value === 'number' ? sign + value.toFixed(Math.min(precision ?? 6, 100)) : bad();
    case 'e':
      return typeof value === 'number' ? sign + value.toExponential(Math.min(precision ?? 6, 100)) : bad();
    case 'g':
      return typeof value === 'number' ? sign + String(value) : bad();
    case 'x':
    case 'X': {
      const hex =
        typeof value === 'number' && Number.isInteger(value)
          ? value.toString(16)
          : typeof value === 'string'
            ? toHex(new TextEncoder().encode(value))
            : undefined;
      return hex === undefined ? bad() : verb === 'X' ? hex.toUpperCase() : hex;
    }
    case 'c':
      return typeof value === 'number' ? String.fromCodePoint(value) : bad();
    case 'T':
      return typeName(value);
    default:
      return bad();
  }
}
