import { expect, test, vi } from 'vitest';
import { FrameError, NotAccepted, PeerLost } from '#core/frames/errors.ts';
import type { OutgoingRequest } from '#core/frames/frame-client.ts';
import { relayRequest } from './relay.ts';
import type { ServerConnection } from './server-connection.ts';

type Fetch = (request: OutgoingRequest) => Promise<Response>;

/** A connection that finds the servers in this order. The last one answers all further requests. */
function connectionTo(...servers: Fetch[]) {
  const reportUnresponsive = vi.fn();
  let connectCount = 0;
  const connect = async () => ({ fetch: servers[Math.min(connectCount++, servers.length - 1)]! });
  const connection = { connect, reportUnresponsive } as unknown as ServerConnection;
  return { connection, reportUnresponsive, connectCount: () => connectCount };
}

const request = (overrides: Partial<OutgoingRequest> = {}): OutgoingRequest => ({
  method: 'POST',
  url: 'http://app/api/chat',
  headers: [],
  ...overrides,
});

const lost: Fetch = async () => {
  throw new PeerLost('the tab that answered is gone');
};
const lostAfterAccept: Fetch = async (accepted) => {
  accepted.onAccepted?.();
  throw new PeerLost('the tab that answered is gone');
};
const answers: Fetch = async (accepted) => {
  accepted.onAccepted?.();
  accepted.onEnd?.();
  return new Response('here');
};

test('a request that no server accepted goes to the next server', async () => {
  const { connection } = connectionTo(lost, answers);
  expect(await (await relayRequest(connection, request(), 'local-models')).text()).toBe('here');
});

test('an accepted request is never sent twice: 503 with Retry-After', async () => {
  const { connection, connectCount } = connectionTo(lostAfterAccept, answers);
  const response = await relayRequest(connection, request(), 'local-models');
  expect([response.status, response.headers.get('retry-after'), connectCount()]).toEqual([503, '1', 1]);
  expect((await response.json()).error).toContain('broke off');
});

test('a server that accepts nothing in time is reported', async () => {
  const { connection, reportUnresponsive } = connectionTo(async () => {
    throw new NotAccepted('nobody took the request');
  }, answers);
  expect((await relayRequest(connection, request(), 'local-models')).status).toBe(200);
  expect(reportUnresponsive).toHaveBeenCalledOnce();
});

test('a failure before the response head is a 503 in the error format of the API', async () => {
  const { connection } = connectionTo(async (accepted) => {
    accepted.onAccepted?.();
    throw new FrameError('the server gave no answer');
  });
  const response = await relayRequest(connection, request({ url: 'http://app/webhook/x' }), 'webhooks');
  expect(await response.json()).toEqual({ code: 503, message: 'the server gave no answer' });
});

test('an abort of the request rejects with its reason', async () => {
  const abort = new AbortController();
  const { connection } = connectionTo(async () => {
    abort.abort(new Error('left'));
    throw new Error('left');
  });
  const aborted = request({ signal: abort.signal });
  await expect(relayRequest(connection, aborted, 'local-models')).rejects.toThrow('left');
});

test('onEnd is called once, however many servers the request was sent to', async () => {
  const onEnd = vi.fn();
  const lostAfterEnd: Fetch = async (ended) => {
    ended.onEnd?.();
    throw new PeerLost('gone');
  };
  await relayRequest(connectionTo(lostAfterEnd, answers).connection, request({ onEnd }), 'local-models');
  await relayRequest(connectionTo(lostAfterAccept).connection, request({ onEnd }), 'local-models');
  expect(onEnd).toHaveBeenCalledTimes(2);
});
