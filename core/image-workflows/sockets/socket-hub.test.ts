import { describe, expect, it } from 'vitest';
import type { ServerSocket } from '#core/http/routing/server.ts';
import { listenToMessages } from '#test/support/image-workflows/prompt-fixtures.ts';
import { SocketHub } from './socket-hub.ts';

function fakeSocket() {
  const sent: unknown[] = [];
  let message: (data: string | Uint8Array) => void = () => {};
  let closed: (code: number, reason: string) => void = () => {};
  const socket: ServerSocket = {
    bufferedAmount: 0,
    send: (data) => sent.push(JSON.parse(data as string)),
    close: (code = 1000, reason = '') => closed(code, reason),
    onMessage: (listener) => {
      message = listener;
    },
    onClose: (listener) => {
      closed = listener;
    },
  };
  return { socket, sent, say: (data: string | Uint8Array) => message(data) };
}

const flags = JSON.stringify({ type: 'feature_flags', data: { supports_preview_metadata: true } });

describe('/ws', () => {
  it('greets with the status and the client id', () => {
    const { socket, sent } = fakeSocket();
    new SocketHub().session('me').start(socket);
    expect(sent).toEqual([
      { type: 'status', data: { status: { exec_info: { queue_remaining: 0 } }, sid: 'me' } },
    ]);
  });

  it.each([null, ''])('makes up 32 hex digits for client id %j', (clientId) => {
    const { socket, sent } = fakeSocket();
    new SocketHub().session(clientId).start(socket);
    expect((sent[0] as { data: { sid: string } }).data.sid).toMatch(/^[0-9a-f]{32}$/);
  });

  it('answers feature flags in the first parsed message only', () => {
    const { socket, sent, say } = fakeSocket();
    new SocketHub().session('a').start(socket);
    say('not json');
    say('[1]');
    say(new Uint8Array([1]));
    say(flags);
    say(flags);
    expect(sent.slice(1)).toEqual([
      { type: 'feature_flags', data: { supports_preview_metadata: true, max_upload_size: 104857600 } },
    ]);
  });

  it('ignores feature flags that come after another message', () => {
    const { socket, sent, say } = fakeSocket();
    new SocketHub().session('a').start(socket);
    say('{"type":"hello"}');
    say(flags);
    expect(sent).toHaveLength(1);
  });

  it('keeps both sockets of one id, and the second when the first closes', () => {
    const hub = new SocketHub();
    const [first, second] = [fakeSocket(), fakeSocket()];
    hub.session('same').start(first.socket);
    hub.session('same').start(second.socket);
    hub.setQueueRemaining(1);
    expect([first.sent.length, second.sent.length]).toEqual([2, 2]);
    first.socket.close();
    hub.setQueueRemaining(0);
    expect([first.sent.length, second.sent.length]).toEqual([2, 3]);
    expect(second.sent.at(-1)).toEqual({
      type: 'status',
      data: { status: { exec_info: { queue_remaining: 0 } } },
    });
  });
});

describe('messages', () => {
  const preview = { type: 'image/png', bytes: Uint8Array.of(7) } as const;

  it('go to the sockets of a client, or to all', () => {
    const hub = new SocketHub();
    const [mine, other] = [listenToMessages(hub, 'me'), listenToMessages(hub, 'other')];
    hub.send('me', 'a', { x: 1 });
    hub.send(undefined, 'nobody', {});
    hub.send('none', 'nobody', {});
    hub.sendOrBroadcast('me', 'b', {});
    hub.sendOrBroadcast(undefined, 'c', {});
    expect([mine.types(), other.types()]).toEqual([['a', 'b', 'c'], ['c']]);
    expect(mine.messages[0]).toEqual({ type: 'a', data: { x: 1 } });
    expect([hub.hasListener('me'), hub.hasListener('none'), hub.hasListener(undefined)]).toEqual([
      true,
      false,
      true,
    ]);
    expect(new SocketHub().hasListener(undefined)).toBe(false);
  });

  it('contain previews in the form that the client announced', () => {
    const hub = new SocketHub();
    const plain = listenToMessages(hub, 'me');
    const modern = listenToMessages(hub, 'me', { supports_preview_metadata: true });
    const odd = listenToMessages(hub, 'me', { supports_preview_metadata: 1 });
    hub.sendPreview('me', preview, { node_id: '1' }, 'plain');
    hub.sendPreview('me', preview, { node_id: '1' }, 'with metadata');
    hub.sendPreview('none', preview, {}, 'plain');
    expect(plain.binary).toEqual([Uint8Array.of(0, 0, 0, 1, 0, 0, 0, 2, 7)]);
    expect(odd.binary).toEqual(plain.binary);
    const json = '{"node_id": "1", "image_type": "image/png"}';
    expect(modern.binary).toEqual([Uint8Array.of(0, 0, 0, 4, 0, 0, 0, json.length, ...Buffer.from(json), 7)]);
  });

  it('contain texts with the id of their node', () => {
    const hub = new SocketHub();
    const mine = listenToMessages(hub, 'me');
    hub.sendText('me', 'é', 'hi');
    expect([...mine.binary[0]!]).toEqual([0, 0, 0, 3, 0, 0, 0, 2, 0xc3, 0xa9, 0x68, 0x69]);
  });

  it('leave out previews for a socket with a backlog, and close one with a large backlog', () => {
    const hub = new SocketHub();
    const mine = listenToMessages(hub, 'me');
    const backlog = (bytes: number) => Object.assign(mine.socket, { bufferedAmount: bytes });
    const closed: unknown[] = [];
    mine.socket.close = (code, reason) => void closed.push([code, reason]);
    backlog(16 * 2 ** 20);
    hub.sendPreview('me', preview, {}, 'plain');
    hub.send('me', 'a', {});
    expect([mine.binary, mine.types()]).toEqual([[], ['a']]);
    backlog(128 * 2 ** 20);
    hub.send('me', 'b', {});
    expect([mine.types(), closed]).toEqual([['a', 'b'], []]);
    backlog(128 * 2 ** 20 + 1);
    hub.send('me', 'c', {});
    expect([mine.types(), closed]).toEqual([['a', 'b'], [[1013, 'this client takes no messages']]]);
    expect(hub.hasListener('me')).toBe(false);
  });

  it('end when the server closes', () => {
    const hub = new SocketHub();
    const mine = listenToMessages(hub, 'me');
    const closed: unknown[] = [];
    mine.socket.close = (code, reason) => void closed.push([code, reason]);
    hub.close();
    hub.sendOrBroadcast(undefined, 'a', {});
    expect([closed, mine.messages]).toEqual([[[1001, 'server is shutting down']], []]);
  });
});
