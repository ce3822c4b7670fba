/** Streams of text, line by line. */

/** The lines of a body. A last line without an end counts too. */
export async function* readLines(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string> {
  if (!body) return;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      const lines = rest.split(/\r?\n/);
      rest = lines.pop() ?? '';
      for (const line of lines) if (line !== '') yield line;
      if (done) break;
    }
    if (rest !== '') yield rest;
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}

/** The JSON of server-sent events up to `[DONE]`. */
export async function* readEvents(
  body: ReadableStream<Uint8Array> | null,
): AsyncGenerator<Record<string, unknown>> {
  for await (const line of readLines(body)) {
    const data = /^data: ?(.*)$/.exec(line)?.[1];
    if (data === undefined) continue;
    if (data === '[DONE]') return;
    yield JSON.parse(data) as Record<string, unknown>;
  }
}
