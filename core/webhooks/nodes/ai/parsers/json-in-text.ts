/**
 * The JSON of an answer: the text, or the first block of code in it.
 * @throws SyntaxError
 */
export function jsonIn(text: string): unknown {
  const block = /```(?:json)?\s*([\s\S]*?)```/.exec(text)?.[1];
  try {
    return JSON.parse((block ?? text).trim());
  } catch (error) {
    // A block may stand inside a text of the JSON.
    if (block !== undefined) {
      try {
        return JSON.parse(text.trim());
      } catch {
        throw error;
      }
    }
    throw error;
  }
}
