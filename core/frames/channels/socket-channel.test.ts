import { expect, test, vi } from 'vitest';
import { FrameError, PeerLost } from '../errors.ts';
import type { Frame } from '../grammar.ts';
import { decodeFrame, encodeFrame } from './encoding.ts';
import { type SocketLike, socketChannel } from './socket-channel.ts';

const frame: Frame = { type: 'cancel', id: 7 };
const other: Frame = { type: 'end', id: 8 };

/** A WebSocket whose events the test fires. */
class FakeSocket extends EventTarget implements SocketLike {
  binaryType = 'blob';
  /** 0: connecting, 1: open, 2: closing. */
  readyState = 1;
  readonly sent: Frame[] = [];
  readonly closed: unknown[][] = [];

  send(data: Uint8Array<ArrayBuffer>): void {
    this.sent.push(decodeFrame(data));
  }
  close(...args: unknown[]): void {
    this.closed.push(args);
  }
  deliver(data: unknown): void {
    this.dispatchEvent(new MessageEvent('message', { data }));
  }
  end(fields: { code?: number; reason?: string }): void {
    this.dispatchEvent(Object.assign(new Event('close'), fields));
  }
}

function open(readyState = 1) {
  const socket = Object.assign(new FakeSocket(), { readyState });
  const channel = socketChannel(socket);
  const causes: Error[] = [];
  channel.onClose((cause) => causes.push(cause));
  return { socket, channel, causes };
}

const bytesOf = (sent: Frame) => encodeFrame(sent).buffer;

test('asks for buffers, and sends Blobs as chunks', () => {
  const { socket, channel } = open();
  expect(socket.binaryType).toBe('arraybuffer');
  expect(channel.carriesBlobs).toBe(false);
});

test('frames wait for the socket to open, and are sent once', () => {
  const { socket, channel } = open(0);
  channel.send(frame);
  channel.send(other);
  expect(socket.sent).toEqual([]);
  socket.readyState = 1;
  socket.dispatchEvent(new Event('open'));
  socket.dispatchEvent(new Event('open'));
  expect(socket.sent).toEqual([frame, other]);
  channel.send(frame);
  expect(socket.sent).toEqual([frame, other, frame]);
});

test('a frame for a socket that is closing is dropped', () => {
  const { socket, channel } = open(2);
  channel.send(frame);
  socket.dispatchEvent(new Event('open'));
  expect(socket.sent).toEqual([]);
});

test('frames that arrive before the listener are kept for it, in order', () => {
  const { socket, channel } = open();
  socket.deliver(bytesOf(frame));
  socket.deliver(bytesOf(other));
  const frames: Frame[] = [];
  channel.onFrame((received) => frames.push(received));
  socket.deliver(bytesOf(frame));
  expect(frames).toEqual([frame, other, frame]);
  const second: Frame[] = [];
  channel.onFrame((received) => second.push(received));
  expect(second).toEqual([]);
});

test.each([
  ['a text', 'text', 'a message is no frame'],
  ['bytes that are no frame', new ArrayBuffer(2), 'a frame is shorter than its header says'],
])('%s ends the connection', (_, data, message) => {
  const { socket, channel, causes } = open();
  const listener = vi.fn();
  channel.onFrame(listener);
  socket.deliver(data);
  expect(causes).toEqual([new FrameError(message)]);
  expect(causes[0]).toBeInstanceOf(FrameError);
  expect(socket.closed).toEqual([[1002, 'unreadable frame']]);
  // Later frames are ignored, because one is missing.
  socket.deliver(bytesOf(frame));
  socket.deliver('text');
  socket.end({ code: 1002 });
  channel.send(frame);
  expect(listener).not.toHaveBeenCalled();
  expect(socket.sent).toEqual([]);
  expect(causes).toHaveLength(1);
  expect(socket.closed).toHaveLength(1);
});

test('an error of the connection is its end', () => {
  const { socket, causes } = open();
  socket.dispatchEvent(new Event('error'));
  socket.end({ code: 1006 });
  expect(causes).toEqual([new PeerLost('the connection broke')]);
  expect(causes[0]).toBeInstanceOf(PeerLost);
});

test.each([
  [{ code: 4000, reason: 'full' }, 'the connection was closed (4000: full)'],
  [{ code: 1001, reason: '' }, 'the connection was closed (1001)'],
  [{}, 'the connection was closed (1006)'],
])('the end %j is reported with code and reason', (fields, message) => {
  const { socket, channel, causes } = open();
  socket.end(fields);
  expect(causes).toEqual([new PeerLost(message)]);
  const late = vi.fn();
  channel.onClose(late);
  expect(late).toHaveBeenCalledExactlyOnceWith(causes[0]);
});

test('an end without a listener is kept for it', () => {
  const socket = new FakeSocket();
  const channel = socketChannel(socket);
  socket.end({ code: 1001 });
  const listener = vi.fn();
  channel.onClose(listener);
  expect(listener).toHaveBeenCalledTimes(1);
});

test('closing on this side closes the socket once, without a report', () => {
  const { socket, channel, causes } = open();
  channel.close();
  channel.close();
  socket.end({ code: 1000 });
  socket.deliver(bytesOf(frame));
  channel.send(frame);
  expect(socket.closed).toEqual([[1000]]);
  expect(socket.sent).toEqual([]);
  expect(causes).toEqual([]);
  const late = vi.fn();
  channel.onClose(late);
  expect(late).toHaveBeenCalledExactlyOnceWith(new PeerLost('the connection was closed on this side'));
});
