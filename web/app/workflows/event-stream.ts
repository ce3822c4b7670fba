/** Parses the `data:` line of each server-sent event as JSON. */
export async function* eventsIn<T>(body: ReadableStream<Uint8Array>): AsyncGenerator<T> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const events = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) if (event.startsWith('data: ')) yield JSON.parse(event.slice(6)) as T;
  }
}
