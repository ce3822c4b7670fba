/** The values of a stream that has one JSON text on each line. */
export async function* ndjsonValues(body: ReadableStream<Uint8Array>): AsyncGenerator<unknown> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop()!;
    for (const line of lines) if (line.trim() !== '') yield JSON.parse(line);
  }
  if (rest.trim() !== '') yield JSON.parse(rest);
}
