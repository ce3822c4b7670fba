import { expect, test, vi } from 'vitest';
import { FrameError, NotAccepted, PeerLost } from '#core/frames/errors.ts';
import type { OutgoingRequest } from '#core/frames/frame-client.ts';
import { relayRequest } from './relay.ts';
import type { ServerConnection } from './server-connection.ts';

type Fetch = (request: OutgoingRequest) => Promise<Response>;

/** A link whose servers answer, one after the other, as told. */
function linkTo(...servers: Fetch[]) {
  const complain = vi.fn();
  let turn = 0;
  const connect = async () => ({ fetch: servers[Math.min(turn++, servers.length - 1)]! });
  return { link: { connect, complain } as unknown as ServerConnection, complain, asked: () => turn };
}

const request = (more: Partial<OutgoingRequest> = {}): OutgoingRequest => ({
  method: 'POST',
  url: 'http://app/api/chat',
  headers: [],
  ...more,
});

const lost: Fetch = async () => {
  throw new PeerLost('the tab that answered is gone');
};
const lostAfterTaking: Fetch = async (taken) => {
  taken.onAccepted?.();
  throw new PeerLost('the tab that answered is gone');
};
const answers: Fetch = async (taken) => {
  taken.onAccepted?.();
  taken.onEnd?.();
  return new Response('here');
};

test('a request that nobody took goes to the next server', async () => {
  const { link } = linkTo(lost, answers);
  expect(await (await relayRequest(link, request(), 'local-models')).text()).toBe('here');
});

test('a request that was taken is never sent twice: 503 with Retry-After', async () => {
  const { link, asked } = linkTo(lostAfterTaking, answers);
  const response = await relayRequest(link, request(), 'local-models');
  expect([response.status, response.headers.get('retry-after'), asked()]).toEqual([503, '1', 1]);
  expect((await response.json()).error).toContain('broke off');
});

test('a server that takes nothing in time is reported', async () => {
  const { link, complain } = linkTo(async () => {
    throw new NotAccepted('nobody took the request');
  }, answers);
  expect((await relayRequest(link, request(), 'local-models')).status).toBe(200);
  expect(complain).toHaveBeenCalledOnce();
});

test('an answer that fails before its head is a 503 in the words of its API', async () => {
  const { link } = linkTo(async (taken) => {
    taken.onAccepted?.();
    throw new FrameError('the server gave no answer');
  });
  const response = await relayRequest(link, request({ url: 'http://app/webhook/x' }), 'webhooks');
  expect(await response.json()).toEqual({ code: 503, message: 'the server gave no answer' });
});

test("the request's own abort rejects with its reason", async () => {
  const left = new AbortController();
  const { link } = linkTo(async () => {
    left.abort(new Error('left'));
    throw new Error('left');
  });
  await expect(relayRequest(link, request({ signal: left.signal }), 'local-models')).rejects.toThrow('left');
});

test('the end is told once, however often the request was offered', async () => {
  const over = vi.fn();
  const lostAndOver: Fetch = async (taken) => {
    taken.onEnd?.();
    throw new PeerLost('gone');
  };
  await relayRequest(linkTo(lostAndOver, answers).link, request({ onEnd: over }), 'local-models');
  await relayRequest(linkTo(lostAfterTaking).link, request({ onEnd: over }), 'local-models');
  expect(over).toHaveBeenCalledTimes(2);
});
