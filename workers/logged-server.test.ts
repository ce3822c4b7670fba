import { expect, it, vi } from 'vitest';
import type { CallContext, Server } from '#core/http/routing/server.ts';
import { MAX_LOGGED_BODY, type RequestNote, WATCH_DURATION } from '#relay/request-log.ts';
import { logRequests } from './logged-server.ts';

const context: CallContext = {
  listener: 'origin',
  loopback: true,
  clientAddress: '127.0.0.1',
  appOrigins: [],
};

function loggedServer(answer: (request: Request) => Response | Promise<Response>) {
  const notes: RequestNote[] = [];
  const channel = { postMessage: (note: RequestNote) => notes.push(note), onmessage: undefined };
  const inner: Server = {
    fetch: async (request) => answer(request),
    connect: async () => new Response(null, { status: 404 }),
    close: async () => {},
  };
  let clock = 1000;
  const server = logRequests(inner, '/', channel as unknown as BroadcastChannel, () => clock);
  return {
    notes,
    ask: (path: string, init?: RequestInit) =>
      server.fetch(new Request(`http://tab${path}`, { duplex: 'half', ...init } as RequestInit), context),
    watch: () => (channel.onmessage as unknown as (event: object) => void)({ data: { watch: true } }),
    pass: (ms: number) => {
      clock += ms;
    },
  };
}

const kinds = (notes: RequestNote[]) => notes.map(({ note }) => note);

it('sends notes only while a page watches', async () => {
  const { notes, ask, watch, pass } = loggedServer(() => new Response('x'));
  await (await ask('/')).text();
  expect(notes).toEqual([]);
  watch();
  await (await ask('/')).text();
  expect(notes.length).toBeGreaterThan(0);
  pass(WATCH_DURATION + 1);
  const before = notes.length;
  await (await ask('/')).text();
  expect(notes).toHaveLength(before);
});

it('reports method, path, body, status and bytes, and leaves the response as it is', async () => {
  const { notes, ask, watch } = loggedServer(
    async (request) => new Response(`got ${await request.text()}`, { status: 201, headers: { 'x-a': 'b' } }),
  );
  watch();
  const response = await ask('/api/chat?a=1', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer secret' },
    body: '{"model":"m"}',
  });
  expect([response.status, response.headers.get('x-a'), await response.text()]).toEqual([
    201,
    'b',
    'got {"model":"m"}',
  ]);
  await vi.waitFor(() => expect(notes).toHaveLength(4));
  expect(notes.find(({ note }) => note === 'begun')).toMatchObject({ method: 'POST', path: '/api/chat?a=1' });
  expect(notes.find(({ note }) => note === 'body')).toMatchObject({ text: '{"model":"m"}', cut: false });
  expect(notes.find(({ note }) => note === 'answered')).toMatchObject({ status: 201 });
  expect(notes.find(({ note }) => note === 'ended')).toMatchObject({ bytes: 17 });
  expect(JSON.stringify(notes)).not.toContain('secret');
});

it('cuts long bodies, and leaves out those that are not text', async () => {
  const { notes, ask, watch } = loggedServer(async (request) => {
    await request.arrayBuffer();
    return new Response(null, { status: 204 });
  });
  watch();
  await ask('/a', { method: 'POST', body: 'x'.repeat(MAX_LOGGED_BODY + 1) });
  await vi.waitFor(() => expect(notes.find(({ note }) => note === 'body')).toMatchObject({ cut: true }));
  notes.length = 0;
  await ask('/b', { method: 'POST', headers: { 'content-type': 'image/png' }, body: 'x' });
  expect(kinds(notes)).toEqual(['begun', 'answered', 'ended']);
});

it('reports and forwards a cancelled body and a body that fails', async () => {
  let cancelled: unknown;
  const { notes, ask, watch } = loggedServer(
    () =>
      new Response(
        new ReadableStream({
          start: (controller) => controller.enqueue(new Uint8Array(3)),
          pull: (controller) => {
            if (cancelled === 'error') controller.error(new Error('lost'));
            else return new Promise(() => {});
          },
          cancel: (reason) => {
            cancelled = reason;
          },
        }),
      ),
  );
  watch();
  const reader = (await ask('/a')).body!.getReader();
  await reader.read();
  await reader.cancel('enough');
  expect(cancelled).toBe('enough');
  expect(notes.at(-1)).toMatchObject({ note: 'ended', bytes: 3, error: 'the caller left' });
  cancelled = 'error';
  await expect((await ask('/b')).text()).rejects.toThrow('lost');
  expect(notes.at(-1)).toMatchObject({ note: 'ended', error: 'lost' });
});
