/**
 * Prints JSON as Go does: members in the order of the object, `undefined` left out, and `<`, `>`, `&`, U+2028 and U+2029
 * escaped.
 */

const UNSAFE = /[<>&\u2028\u2029]/g;
const escapeUnsafe = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

function printString(text: string): string {
  return JSON.stringify(text).replace(UNSAFE, escapeUnsafe);
}

/** The value as JSON text. A bigint prints as an integer; NaN, infinities and functions print as null. */
export function printJson(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return printString(value);
    case 'number':
      return Number.isFinite(value) ? String(value) : 'null';
    case 'bigint':
    case 'boolean':
      return String(value);
    case 'object': {
      if (value === null) return 'null';
      if (Array.isArray(value)) return `[${value.map(printJson).join(',')}]`;
      const members: string[] = [];
      for (const [key, member] of Object.entries(value)) {
        if (member !== undefined) members.push(`${printString(key)}:${printJson(member)}`);
      }
      return `{${members.join(',')}}`;
    }
    default:
      return 'null';
  }
}

/** The value, or undefined for 0, '', false, null and []: as Go's `omitempty` leaves a field out. */
export function omitIfEmpty<T>(value: T): T | undefined {
  if (value === 0 || value === '' || value === false || value === null) return undefined;
  if (Array.isArray(value) && value.length === 0) return undefined;
  return value;
}
