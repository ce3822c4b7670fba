/** The same stream. Calls `onEnd` when it was read to its end, failed, or was cancelled. */
export function withEnd<T extends Uint8Array>(
  stream: ReadableStream<T>,
  onEnd: () => void,
  strategy?: QueuingStrategy<T>,
): ReadableStream<T> {
  const reader = stream.getReader();
  return new ReadableStream<T>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          controller.close();
        } catch (error) {
          controller.error(error);
        }
        onEnd();
      },
      async cancel(reason) {
        onEnd();
        await reader.cancel(reason);
      },
    },
    strategy,
  );
}
