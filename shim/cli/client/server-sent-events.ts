/** The `data:` of each event of a stream. Comments are skipped. */
export async function* serverSentEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    const events = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
    rest = events.pop()!;
    for (const event of events) {
      const lines = event.split('\n').filter((line) => line.startsWith('data:'));
      if (lines.length > 0) yield lines.map((line) => line.slice(5).trimStart()).join('\n');
    }
  }
}
