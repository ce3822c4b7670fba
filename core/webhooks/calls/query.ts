import { parse } from 'qs';

/** `search`: with its question mark. Keys in brackets make lists and objects; `__proto__` is dropped. */
export function parseQuery(search: string): Record<string, unknown> {
  const text = search.replace(/^\?/, '');
  if (text === '') return {};
  return parse(text, { depth: 5, arrayLimit: 20, parameterLimit: 1000, allowPrototypes: true }) as Record<
    string,
    unknown
  >;
}
