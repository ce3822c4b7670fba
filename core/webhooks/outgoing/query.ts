/** Encodes values as query strings and forms. */
import { stringify } from 'qs';

export type ArrayFormat = 'brackets' | 'indices' | 'repeat';

/** Adds parameters to an address, before its fragment. Values may be lists and objects. */
export function addQuery(
  address: string,
  query: Record<string, unknown>,
  arrays: ArrayFormat = 'repeat',
): string {
  const added = stringify(query, { arrayFormat: arrays, skipNulls: false });
  if (added === '') return address;
  const [before = '', fragment] = splitAt(address, '#');
  const separator = !before.includes('?') ? '?' : /[?&]$/.test(before) ? '' : '&';
  return `${before}${separator}${added}${fragment === undefined ? '' : `#${fragment}`}`;
}

/** `application/x-www-form-urlencoded`. Values may be lists and objects. */
export function encodeForm(values: Record<string, unknown>): string {
  return stringify(values, { arrayFormat: 'repeat', format: 'RFC1738' });
}

/** Splits at the first separator. Without one, there is no second part. */
function splitAt(text: string, separator: string): [string, string | undefined] {
  const index = text.indexOf(separator);
  return index < 0 ? [text, undefined] : [text.slice(0, index), text.slice(index + 1)];
}
