import { describe, expect, it } from 'vitest';
import { ApiClient, type ApiFailure } from './api-client.ts';
import { ndjsonValues } from './ndjson.ts';
import { serverSentEvents } from './server-sent-events.ts';

const { signal } = new AbortController();
const answering = (body: BodyInit | null, init?: ResponseInit) =>
  new ApiClient(async () => new Response(body, init), signal);

/** A stream of these pieces, which may end in the middle of a line or character. */
const streamOf = (...pieces: (string | Uint8Array)[]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      const encoder = new TextEncoder();
      for (const piece of pieces) {
        controller.enqueue(typeof piece === 'string' ? encoder.encode(piece) : piece);
      }
      controller.close();
    },
  });

async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const value of values) list.push(value);
  return list;
}

describe('ApiClient', () => {
  it.each([
    ['a text', 'no such model', 'no such model'],
    ['Ollama', '{"error":"model not found"}', 'model not found'],
    ['OpenAI', '{"error":{"message":"bad request"}}', 'bad request'],
    ['n8n', '{"message":"taken","hint":" rename it"}', 'taken  rename it'],
    ['an empty body', '', 'status 404'],
  ])('reads the error message of %s', async (_name, body, message) => {
    await expect(answering(body, { status: 404 }).get('/api/tags')).rejects.toMatchObject({
      name: 'ApiFailure',
      status: 404,
      message,
    } satisfies Partial<ApiFailure>);
  });

  it('names the workflows of a conflict', async () => {
    const conflict = { method: 'GET', webhookPath: 'ask', workflowName: 'Chat' };
    const body = JSON.stringify({ message: 'Conflict.', hint: JSON.stringify([{ conflict }]) });
    await expect(answering(body, { status: 409 }).post('/x')).rejects.toThrow(
      'Conflict. GET ask is taken by "Chat".',
    );
  });

  it('rejects an error that follows a successful head', async () => {
    await expect(answering('{"error":"out of memory"}').post('/api/generate')).rejects.toThrow(
      'out of memory',
    );
    const lines = answering('{"status":"pulling"}\n{"error":"disk full"}\n').stream('/api/pull', {});
    await expect(all(lines)).rejects.toThrow('disk full');
  });

  it('cancels calls by either signal', async () => {
    const second = new AbortController();
    const client = new ApiClient(
      (_path, init) =>
        new Promise((_, reject) => init.signal!.addEventListener('abort', () => reject(init.signal!.reason))),
      signal,
    ).withSignal(second.signal);
    const call = client.get('/api/tags');
    second.abort(new Error('interrupted'));
    await expect(call).rejects.toThrow('interrupted');
  });
});

it('joins lines of NDJSON across pieces, within characters too', async () => {
  const bytes = new TextEncoder().encode('{"a":"é"}\n\n{"b"');
  const pieces = streamOf(bytes.slice(0, 7), bytes.slice(7), ':2}');
  expect(await all(ndjsonValues(pieces))).toEqual([{ a: 'é' }, { b: 2 }]);
});

it('joins the data lines of each event and skips comments', async () => {
  const events = serverSentEvents(streamOf('data: one\ndata:', ' two\n\n: comment\n\nevent: x\ndata: 3\n\n'));
  expect(await all(events)).toEqual(['one\ntwo', '3']);
});
