/** Any type, and the type of whatever is linked to another input of the same node: editors check that. */
const ANY: ReadonlySet<unknown> = new Set(['*', 'COMFY_MATCHTYPE_V3']);

/**
 * Whether an output may feed an input. A type is a name, a union of names such as `IMAGE,FLOAT`, or a list of choices.
 * @param received the output's type
 * @param expected the input's type
 */
export function typesMatch(
  received: string | readonly string[],
  expected: string | readonly string[],
): boolean {
  if (ANY.has(received) || ANY.has(expected)) return true;
  if (Array.isArray(received) || Array.isArray(expected)) {
    // `COMBO` matches every list of choices. Two lists match only when they are equal.
    if (received === 'COMBO' || expected === 'COMBO') return true;
    return JSON.stringify(received) === JSON.stringify(expected);
  }
  const offered = new Set(namesIn(received as string));
  return namesIn(expected as string).some((name) => name === '*' || offered.has(name));
}

const namesIn = (union: string) => union.split(',').map((name) => name.trim());
