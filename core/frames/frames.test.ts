import { describe, expect, test } from 'vitest';
import type { ServerSocket } from '#core/http/routing/server.ts';
import {
  countBytes,
  get,
  MB,
  pause,
  ports,
  servePair,
  sockets,
  source,
  until,
} from '#test/support/network/frame-pair.ts';
import { blobResponse } from './bodies/blob-response.ts';
import { portChannel } from './channels/port-channel.ts';
import { NotAccepted, PeerLost, VersionMismatch } from './errors.ts';
import { FrameClient } from './frame-client.ts';
import type { FramedWebSocket } from './frame-socket.ts';
import type { ServerReport } from './server-report.ts';

describe.each([
  ['MessagePort', ports],
  ['WebSocket', sockets],
])('over a %s', (_name, pair) => {
  test('carries method, URL, headers, context and body to the server, and the response back', async () => {
    const { client, server } = servePair(pair(), async (request, call) =>
      Response.json(
        {
          method: request.method,
          url: request.url,
          host: request.headers.get('host'),
          listener: call.listener,
          text: await request.text(),
        },
        { status: 201, statusText: 'Made', headers: { 'x-answer': 'yes' } },
      ),
    );
    const response = await client.fetch({
      method: 'POST',
      url: 'http://app/api/chat?x=1',
      headers: [
        ['host', 'app:1'],
        ['content-type', 'text/plain'],
      ],
      body: () => new TextEncoder().encode('héllo'),
      context: { listener: 'webhooks' },
    });
    expect(response.status).toBe(201);
    expect(response.statusText).toBe('Made');
    expect(response.headers.get('x-answer')).toBe('yes');
    expect(await response.json()).toEqual({
      method: 'POST',
      url: 'http://app/api/chat?x=1',
      host: 'app:1',
      listener: 'webhooks',
      text: 'héllo',
    });
    expect(client.running).toBe(0);
    expect(server.running).toBe(0);
  });

  test.each([204, 205, 304])('a response with status %i has no body', async (status) => {
    const { client } = servePair(pair(), () => new Response(null, { status }));
    const response = await client.fetch(get('/'));
    expect([response.status, response.body]).toEqual([status, null]);
  });

  test('answers HEAD without the body that GET would have', async () => {
    const { client } = servePair(pair(), () => new Response('text', { headers: { 'x-size': '4' } }));
    const response = await client.fetch(get('/', { method: 'HEAD' }));
    expect([response.headers.get('x-size'), await response.text()]).toEqual(['4', '']);
  });

  test('delivers each chunk of a response as soon as it exists', async () => {
    const next: (() => void)[] = [];
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const word of ['one', 'two'])
          next.push(() => controller.enqueue(new TextEncoder().encode(word)));
        next.push(() => controller.close());
      },
    });
    const { client } = servePair(pair(), () => new Response(stream));
    const reader = (await client.fetch(get('/'))).body!.getReader();
    const read = async () => new TextDecoder().decode((await reader.read()).value);
    next[0]!();
    expect(await read()).toBe('one');
    next[1]!();
    expect(await read()).toBe('two');
    next[2]!();
    expect((await reader.read()).done).toBe(true);
  });

  test('holds a sender back while nothing is read, in both directions', async () => {
    const down = source(50 * MB);
    const { client } = servePair(pair(), () => new Response(down.stream));
    const response = await client.fetch(get('/'));
    await pause(100);
    expect(down.state.produced).toBeLessThan(6 * MB);
    expect(await countBytes(response.body!)).toBe(50 * MB);

    const up = source(50 * MB);
    let go = () => {};
    const started = new Promise<void>((resolve) => {
      go = resolve;
    });
    const upload = servePair(pair(), async (request) => {
      await started;
      return new Response(String(await countBytes(request.body!)));
    });
    const answer = upload.client.fetch({ ...get('/', { method: 'POST' }), body: () => up.stream });
    await pause(100);
    expect(up.state.produced).toBeLessThan(6 * MB);
    go();
    expect(await (await answer).text()).toBe(String(50 * MB));
  });

  test('a response before the end of the upload stops the upload', async () => {
    const up = source(50 * MB);
    const { client } = servePair(pair(), async () => new Response('too large', { status: 413 }));
    const response = await client.fetch({ ...get('/', { method: 'POST' }), body: () => up.stream });
    expect(response.status).toBe(413);
    await until(() => expect(up.state.cancelled).toBeInstanceOf(Error));
    expect(up.state.produced).toBeLessThan(6 * MB);
  });

  test('an error of the response body is an error of the stream and not its end', async () => {
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('begun'));
      },
      pull(controller) {
        controller.error(new Error('engine died'));
      },
    });
    const { client } = servePair(pair(), () => new Response(stream));
    const reader = (await client.fetch(get('/'))).body!.getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toBe('begun');
    await expect(reader.read()).rejects.toThrow('engine died');
  });

  test('an error while uploading is an error of the request body', async () => {
    const up = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.error(new Error('disk gone'));
      },
    });
    const { client } = servePair(pair(), async (request) => {
      const failure = await request.text().catch((cause: Error) => cause.message);
      return new Response(failure, { status: 400 });
    });
    const response = await client.fetch({ ...get('/', { method: 'POST' }), body: () => up });
    expect(await response.text()).toBe('the body of the request could not be read: disk gone');
  });

  test('an abort before the response head aborts the signal of the request', async () => {
    const aborted = new AbortController();
    let abortReason: Error | undefined;
    const { client, server } = servePair(
      pair(),
      (request) =>
        new Promise((_, reject) => {
          request.signal.addEventListener('abort', () => {
            abortReason = request.signal.reason;
            reject(abortReason);
          });
        }),
    );
    const answer = client.fetch(get('/', { signal: aborted.signal }));
    await until(() => expect(server.running).toBe(1));
    aborted.abort(new Error('changed my mind'));
    await expect(answer).rejects.toThrow('changed my mind');
    await until(() => {
      expect(abortReason?.message).toContain('changed my mind');
      expect([client.running, server.running]).toEqual([0, 0]);
    });
  });

  test('cancelling the response body cancels its source', async () => {
    const down = source(50 * MB, 1000);
    const { client, server } = servePair(pair(), () => new Response(down.stream));
    const reader = (await client.fetch(get('/'))).body!.getReader();
    await reader.read();
    await reader.cancel('enough');
    await until(() => {
      expect(String(down.state.cancelled)).toContain('enough');
      expect([client.running, server.running]).toEqual([0, 0]);
    });
  });

  test('an abort while the body streams fails the reader and cancels the source', async () => {
    const aborted = new AbortController();
    const down = source(50 * MB, 1000);
    const { client } = servePair(pair(), () => new Response(down.stream));
    const reader = (await client.fetch(get('/', { signal: aborted.signal }))).body!.getReader();
    await reader.read();
    aborted.abort();
    await expect(reader.read()).rejects.toMatchObject({ name: 'AbortError' });
    await until(() => expect(down.state.cancelled).toBeDefined());
  });

  test('losing the peer fails responses with the cause, before and after the head, and aborts the requests', async () => {
    const down = source(50 * MB, 1000);
    let signal: AbortSignal | undefined;
    const { client, server } = servePair(pair(), (request) => {
      if (request.url.endsWith('/stream')) return new Response(down.stream);
      signal = request.signal;
      return new Promise(() => {});
    });
    const reader = (await client.fetch(get('/stream'))).body!.getReader();
    await reader.read();
    const waiting = client.fetch(get('/wait'));
    await until(() => expect(signal).toBeDefined());
    client.lose(new PeerLost('the tab that answered was closed'));
    await expect(waiting).rejects.toThrow('the tab that answered was closed');
    await expect(
      (async () => {
        while (!(await reader.read()).done);
      })(),
    ).rejects.toThrow('the tab that answered was closed');
    await expect(client.fetch(get('/'))).rejects.toBeInstanceOf(PeerLost);
    server.lose(new PeerLost('the page was closed'));
    await until(() => {
      expect(signal?.aborted).toBe(true);
      expect(String(down.state.cancelled)).toContain('the page was closed');
    });
  });

  test('closing the server fails running requests with the reason and aborts their signals', async () => {
    let signal: AbortSignal | undefined;
    const { client, server } = servePair(pair(), (request) => {
      signal = request.signal;
      return new Promise(() => {});
    });
    const waiting = client.fetch(get('/'));
    await until(() => expect(signal).toBeDefined());
    server.close('a newer version takes over');
    await expect(waiting).rejects.toThrow('a newer version takes over');
    expect(signal?.aborted).toBe(true);
  });

  test('a response that nobody reads is cancelled after the stall timeout', async () => {
    const down = source(50 * MB);
    const { client } = servePair(pair(), () => new Response(down.stream), undefined, { stallTimeout: 60 });
    const response = await client.fetch(get('/'));
    await until(() => expect(String(down.state.cancelled)).toContain('nothing was read'));
    await expect(countBytes(response.body!)).rejects.toThrow('nothing was read');
  });

  test('a server reports facts about itself in its hello, and after a change with the next pong', async () => {
    const ends = pair();
    const pongs: unknown[] = [];
    const send = ends[1].send.bind(ends[1]);
    ends[1].send = (frame) => {
      if (frame.type === 'pong') pongs.push(frame.report);
      send(frame);
    };
    let report: ServerReport = { device: 'CPU', loaded: [] };
    const { client } = servePair(ends, () => new Response(), undefined, { report: () => report });
    await client.handshakeDone;
    await client.ping();
    expect(client.report).toEqual({ device: 'CPU', loaded: [] });
    report = { device: 'CPU', loaded: ['smollm2:135m'] };
    await client.ping();
    expect(client.report).toEqual(report);
    await client.ping();
    expect(client.report).toEqual(report);
    expect(pongs).toEqual([undefined, report, undefined]);
    client.close();
  });

  test('answers a ping with the number of running requests', async () => {
    const { client, server } = servePair(pair(), () => new Promise(() => {}));
    expect(await client.ping()).toBe(0);
    client.fetch(get('/')).catch(() => {});
    client.fetch(get('/')).catch(() => {});
    await until(async () => expect(await client.ping()).toBe(2));
    server.close('over');
  });

  test('a WebSocket sends both ways, counts what the other side has not taken, and closes', async () => {
    let socket: ServerSocket | undefined;
    let closed: [number, string] | undefined;
    const { client, server } = servePair(
      pair(),
      () => new Response(),
      async (request) => ({
        protocol: request.headers.get('sec-websocket-protocol')?.split(', ')[1],
        start(opened) {
          socket = opened;
          opened.send('welcome');
          opened.onMessage((data) => opened.send(data));
          opened.onClose((code, reason) => {
            closed = [code, reason];
          });
        },
      }),
    );
    const opened = (await client.connect({
      url: 'http://app/ws?clientId=1',
      protocols: ['a', 'b'],
    })) as FramedWebSocket;
    expect(opened.protocol).toBe('b');
    const received: (string | Uint8Array)[] = [];
    await until(() => expect(socket!.bufferedAmount).toBe('welcome'.length));
    opened.onMessage((data) => received.push(data));
    opened.send('text');
    opened.send(new Uint8Array([0, 1, 2, 3]).subarray(1, 3));
    await until(() => {
      expect(received).toEqual(['welcome', 'text', new Uint8Array([1, 2])]);
      expect(socket!.bufferedAmount).toBe(0);
      expect(server.running).toBe(0);
    });
    opened.close(4000, 'bye');
    await until(() => {
      expect(closed).toEqual([4000, 'bye']);
      expect([client.running, server.running]).toEqual([0, 0]);
    });
  });

  test('a refused WebSocket resolves with the response', async () => {
    const { client } = servePair(pair(), () => new Response());
    const refusal = (await client.connect({ url: 'http://app/ws' })) as Response;
    expect([refusal.status, await refusal.text()]).toEqual([404, 'no sockets']);
  });

  test('losing the channel closes a WebSocket with code 1006', async () => {
    const { client } = servePair(
      pair(),
      () => new Response(),
      async () => ({ start() {} }),
    );
    const opened = (await client.connect({ url: 'http://app/ws' })) as FramedWebSocket;
    const closed = new Promise((resolve) => opened.onClose((code) => resolve(code)));
    client.lose(new PeerLost('gone'));
    expect(await closed).toBe(1006);
  });

  test('without a server the request fails as not accepted, and its body is never read', async () => {
    const client = new FrameClient(pair()[0], { acceptTimeout: 40 });
    let isBodyRead = false;
    const body = () => {
      isBodyRead = true;
      return new Uint8Array(1);
    };
    await expect(client.fetch({ ...get('/', { method: 'POST' }), body })).rejects.toBeInstanceOf(NotAccepted);
    await expect(client.ping()).rejects.toBeInstanceOf(NotAccepted);
    expect(isBodyRead).toBe(false);
    expect(client.running).toBe(0);
  });

  test('peers without a common version fail with VersionMismatch', async () => {
    const [callerEnd, serverEnd] = pair();
    serverEnd.onFrame(() => {});
    const client = new FrameClient(callerEnd);
    serverEnd.send({ type: 'hello', version: 9, oldest: 8 });
    await expect(client.fetch(get('/'))).rejects.toBeInstanceOf(VersionMismatch);
    expect(await client.gone).toBeInstanceOf(VersionMismatch);
  });
});

test('a Blob crosses a MessagePort in both directions', async () => {
  const { client } = servePair(ports(), async (request) => {
    const blob = await request.blob();
    return blobResponse(new Blob([blob, ' and back']), { headers: { 'content-type': 'text/plain' } });
  });
  const response = await client.fetch({
    ...get('/view', { method: 'POST' }),
    body: () => new Blob(['there']),
  });
  expect(response.headers.get('content-type')).toBe('text/plain');
  expect(await response.text()).toBe('there and back');
});

test('closing the port of the caller aborts its requests', async () => {
  const { port1, port2 } = new MessageChannel();
  let signal: AbortSignal | undefined;
  const { client } = servePair([portChannel(port1 as never), portChannel(port2 as never)], (request) => {
    signal = request.signal;
    return new Promise(() => {});
  });
  client.fetch(get('/')).catch(() => {});
  await until(() => expect(signal).toBeDefined());
  port1.close();
  await until(() => expect(signal?.aborted).toBe(true));
});
