/**
 * Finds the end (exclusive) of the JSON object or array that begins at `start`. Looks at brackets and strings only, so
 * its text need not be valid JSON.
 */
export function scanJson(text: string, start: number): number | 'incomplete' | 'broken' {
  const closing: string[] = [];
  let inString = false;
  for (let at = start; at < text.length; at++) {
    const character = text[at]!;
    if (inString) {
      if (character === '\\') at++;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{') closing.push('}');
    else if (character === '[') closing.push(']');
    else if (character === '}' || character === ']') {
      if (closing.pop() !== character) return 'broken';
      if (closing.length === 0) return at + 1;
    } else if (character === '<' || character === '`') {
      // JSON has neither outside a string: the model broke off the call, or its end tag follows.
      return 'broken';
    }
  }
  return 'incomplete';
}
