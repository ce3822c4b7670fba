/**
 * Where the JSON object or array that begins at `start` ends (exclusive). Only brackets and strings are looked at:
 * whether it is JSON is found out by parsing it.
 */
export function scanJson(text: string, start: number): number | 'incomplete' | 'broken' {
  const open: string[] = [];
  let quoted = false;
  for (let at = start; at < text.length; at++) {
    const character = text[at]!;
    if (quoted) {
      if (character === '\\') at++;
      else if (character === '"') quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === '{') open.push('}');
    else if (character === '[') open.push(']');
    else if (character === '}' || character === ']') {
      if (open.pop() !== character) return 'broken';
      if (open.length === 0) return at + 1;
    } else if (character === '<' || character === '`') {
      // No JSON has these outside a string: the call was given up, or its end tag has come.
      return 'broken';
    }
  }
  return 'incomplete';
}
