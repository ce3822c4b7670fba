/** Reads NDJSON as it arrives. */

/** Every line of the body. Throws when the connection breaks off. */
export async function* streamedLines<Line>(response: Response): AsyncGenerator<Line> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const part of response.body as unknown as AsyncIterable<Uint8Array>) {
    const lines = (rest + decoder.decode(part, { stream: true })).split('\n');
    rest = lines.pop()!;
    for (const line of lines) yield JSON.parse(line) as Line;
  }
  if (rest !== '') throw new Error(`the last line has no end: ${rest}`);
}
