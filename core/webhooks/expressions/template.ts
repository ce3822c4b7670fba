/** Splits stored texts into plain text and the code in `{{ }}`. */

type TemplatePart = { text: string } | { code: string };

/**
 * The parts of a text that begins with `=`, without this sign. The first `}}` ends the code, also inside of a string.
 * `\{{` begins no code, and stays in the text with its backslash.
 */
export function splitTemplate(source: string): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let text = '';
  let offset = 1;
  while (offset < source.length) {
    const open = source.indexOf('{{', offset);
    if (open < 0) break;
    const close = source.indexOf('}}', open + 2);
    if (source[open - 1] === '\\' && open > offset) {
      text += source.slice(offset, open + 2);
      offset = open + 2;
      continue;
    }
    if (close < 0) break;
    text += source.slice(offset, open);
    if (text !== '') parts.push({ text });
    text = '';
    parts.push({ code: source.slice(open + 2, close) });
    offset = close + 2;
  }
  text += source.slice(offset);
  if (text !== '') parts.push({ text });
  return parts;
}

/** Whether a stored value contains an expression, at any depth. */
export function hasExpression(value: unknown): boolean {
  if (typeof value === 'string') return value.startsWith('=');
  if (typeof value !== 'object' || value === null) return false;
  const cached = results.get(value);
  if (cached !== undefined) return cached;
  const result = Object.values(value).some(hasExpression);
  results.set(value, result);
  return result;
}

/** Stored parameters never change: a new version of a workflow is a new object. */
const results = new WeakMap<object, boolean>();
