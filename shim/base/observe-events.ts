/** The same events. `onEvent` sees each before its reader does. */
export async function* observeEvents<E>(
  events: AsyncIterable<E>,
  onEvent: (event: E) => void,
): AsyncGenerator<E> {
  for await (const event of events) {
    onEvent(event);
    yield event;
  }
}
