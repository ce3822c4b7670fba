/** Values as query strings and forms. */
import { stringify } from 'qs';

export type ArrayFormat = 'brackets' | 'indices' | 'repeat';

/** Adds parameters to an address; values may be lists and objects. */
export function addQuery(
  address: string,
  query: Record<string, unknown>,
  arrays: ArrayFormat = 'repeat',
): string {
  const added = stringify(query, { arrayFormat: arrays, skipNulls: false });
  if (added === '') return address;
  const [before = '', fragment] = splitAt(address, '#');
  const sign = !before.includes('?') ? '?' : /[?&]$/.test(before) ? '' : '&';
  return `${before}${sign}${added}${fragment === undefined ? '' : `#${fragment}`}`;
}

export function encodeForm(values: Record<string, unknown>): string {
  return stringify(values, { arrayFormat: 'repeat', format: 'RFC1738' });
}

function splitAt(text: string, sign: string): [string, string | undefined] {
  const at = text.indexOf(sign);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}
