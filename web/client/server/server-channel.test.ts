import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { clientLock, coordinationChannel } from '#relay/lock-names.ts';
import type { OwnedServer } from '../leadership/owned-server.ts';
import { openChannel, openServerPort, type ServerRoutes } from './server-channel.ts';

const SCOPE = '/';
const server = { schema: 1, epoch: 10, page: 'leader' };
const attach = vi.fn();
const post = vi.fn();
const calls = new Set<BroadcastChannel>();

function routes({ ownEpoch, broker }: { ownEpoch?: number; broker?: boolean }): ServerRoutes {
  const own = { name: { ...server, epoch: ownEpoch }, attach } as unknown as OwnedServer;
  return {
    scope: SCOPE,
    ownServer: () => (ownEpoch === undefined ? undefined : own),
    serviceWorker: () => (broker ? ({ postMessage: post } as unknown as ServiceWorker) : undefined),
  };
}

beforeEach(() => {
  attach.mockClear();
  post.mockClear();
});
afterEach(() => {
  for (const channel of calls) channel.close();
  calls.clear();
  vi.useRealTimers();
});

it('connects to the own server worker directly', () => {
  const port = openServerPort(routes({ ownEpoch: 10, broker: true }), server, [], 'frames');
  expect(port).toBeInstanceOf(MessagePort);
  expect(attach).toHaveBeenCalledExactlyOnceWith(expect.any(MessagePort), 'frames');
  expect(post).not.toHaveBeenCalled();
});

it('reaches another tab by the service worker, also when its own server is an older one', () => {
  const held = [clientLock(SCOPE, 'leader', 'client-7')];
  const port = openServerPort(routes({ ownEpoch: 9, broker: true }), server, held, 'control');
  expect(port).toBeInstanceOf(MessagePort);
  expect(attach).not.toHaveBeenCalled();
  expect(post).toHaveBeenCalledExactlyOnceWith({ tabd: 'attach', kind: 'control' }, [
    expect.any(MessagePort),
  ]);
});

it('has no port without a service worker, or before the service worker knows the leader', () => {
  const held = [clientLock(SCOPE, 'leader', 'client-7')];
  expect(openServerPort(routes({}), server, held, 'frames')).toBeUndefined();
  const other = [clientLock(SCOPE, 'another page', 'client-8')];
  expect(openServerPort(routes({ broker: true }), server, other, 'frames')).toBeUndefined();
  expect(post).not.toHaveBeenCalled();
});

it('meets the server on a BroadcastChannel when no port reaches it', async () => {
  const listener = new BroadcastChannel(coordinationChannel(SCOPE));
  calls.add(listener);
  const meetings: { call: string; epoch: number; channel: string }[] = [];
  listener.onmessage = ({ data }) => {
    meetings.push(data);
    listener.postMessage({ call: 'met', channel: 'a channel of another page' });
    listener.postMessage({ call: 'met', channel: data.channel });
  };
  const channel = await openChannel(routes({}), server, []);
  expect(meetings).toEqual([{ call: 'meet', epoch: 10, channel: expect.stringContaining(SCOPE_PREFIX) }]);
  expect(channel).toBeDefined();
  channel!.close();
});

const SCOPE_PREFIX = `${coordinationChannel(SCOPE)}:`;

it('has no channel when the server does not accept within 2 seconds', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const opening = openChannel(routes({}), server, []);
  await vi.advanceTimersByTimeAsync(2000);
  expect(await opening).toBeUndefined();
});
