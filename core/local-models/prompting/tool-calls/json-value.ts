/**
 * Where the JSON object or array that begins at `start` ends (exclusive); undefined while it is incomplete. Only
 * brackets and strings are looked at: whether it is JSON is found out by parsing it.
 */
export function endOfJson(text: string, start: number): number | undefined {
  let depth = 0;
  let quoted = false;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (quoted) {
      if (character === '\\') at++;
      else if (character === '"') quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === '{' || character === '[') depth++;
    else if (character === '}' || character === ']') {
      depth--;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}
