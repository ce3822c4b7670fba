import { describe, expect, it } from 'vitest';
import type { ServerSocket } from '#core/http/routing/server.ts';
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
