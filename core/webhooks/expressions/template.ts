/** Splits a stored value into text and `{{ }}` islands. */

export type TemplatePart = { text: string } | { code: string };

/**
 * The parts of a value that begins with `=`, without it. The first `}}` ends an island, inside of a string too; `\{{`
 * begins none, and stays as it was typed.
 */
export function splitTemplate(source: string): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let text = '';
  let at = 1;
  while (at < source.length) {
    const open = source.indexOf('{{', at);
    if (open < 0) break;
    const close = source.indexOf('}}', open + 2);
    if (source[open - 1] === '\\' && open > at) {
      text += source.slice(at, open + 2);
      at = open + 2;
      continue;
    }
    if (close < 0) break;
    text += source.slice(at, open);
    if (text !== '') parts.push({ text });
    text = '';
    parts.push({ code: source.slice(open + 2, close) });
    at = close + 2;
  }
  text += source.slice(at);
  if (text !== '') parts.push({ text });
  return parts;
}

/** Whether a stored value has anything to evaluate, however deep. */
export function hasExpression(value: unknown): boolean {
  if (typeof value === 'string') return value.startsWith('=');
  if (typeof value !== 'object' || value === null) return false;
  const known = seen.get(value);
  if (known !== undefined) return known;
  const found = Object.values(value).some(hasExpression);
  seen.set(value, found);
  return found;
}

/** Stored parameters never change: a new version of a workflow is a new object. */
const seen = new WeakMap<object, boolean>();
