import { expect, test, vi } from 'vitest';
import { PeerLost } from '../errors.ts';
import type { Frame } from '../grammar.ts';
import { type PortLike, portChannel } from './port-channel.ts';

const frame: Frame = { type: 'cancel', id: 7 };

/** A port whose events the test fires. */
class FakePort extends EventTarget implements PortLike {
  readonly posted: unknown[][] = [];
  isStarted = false;
  isClosed = false;

  postMessage(...args: unknown[]): void {
    this.posted.push(args);
  }
  start(): void {
    this.isStarted = true;
  }
  close(): void {
    this.isClosed = true;
  }
  deliver(data: unknown): void {
    this.dispatchEvent(new MessageEvent('message', { data }));
  }
}

function open(options?: { transfers: boolean }) {
  const port = new FakePort();
  const channel = portChannel(port, options);
  const frames: Frame[] = [];
  const causes: Error[] = [];
  channel.onFrame((received) => frames.push(received));
  channel.onClose((cause) => causes.push(cause));
  return { port, channel, frames, causes };
}

test('delivers frames, and ignores other messages on a shared port', () => {
  const { port, channel, frames } = open();
  expect(channel.carriesBlobs).toBe(true);
  expect(port.isStarted).toBe(true);
  for (const data of ['hello', null, { type: 'unknown' }, frame]) port.deliver(data);
  expect(frames).toEqual([frame]);
});

test('works over a port without `start`, such as a worker', () => {
  const port = Object.assign(new FakePort(), { start: undefined }) as unknown as FakePort;
  const listener = vi.fn();
  portChannel(port).onFrame(listener);
  port.deliver(frame);
  expect(listener).toHaveBeenCalledExactlyOnceWith(frame);
});

test('moves buffers, if there are any and the port can', () => {
  const buffer = new ArrayBuffer(1);
  const moving = open();
  moving.channel.send(frame, [buffer]);
  moving.channel.send(frame, []);
  moving.channel.send(frame);
  expect(moving.port.posted).toEqual([[frame, [buffer]], [frame], [frame]]);
  const copying = open({ transfers: false });
  copying.channel.send(frame, [buffer]);
  expect(copying.port.posted).toEqual([[frame]]);
});

test.each([
  ['close', 'the other side closed its port'],
  ['messageerror', 'a message could not be read'],
])('the event %s ends the channel, once', (type, message) => {
  const { port, channel, frames, causes } = open();
  port.dispatchEvent(new Event(type));
  expect(causes).toEqual([new PeerLost(message)]);
  expect(causes[0]).toBeInstanceOf(PeerLost);
  expect(port.isClosed).toBe(true);
  // Nothing is heard or sent afterwards.
  port.dispatchEvent(new Event('close'));
  port.dispatchEvent(new Event('messageerror'));
  port.deliver(frame);
  channel.send(frame);
  expect(causes).toHaveLength(1);
  expect(frames).toEqual([]);
  expect(port.posted).toEqual([]);
  // A listener that comes late learns the cause at once.
  const late = vi.fn();
  channel.onClose(late);
  expect(late).toHaveBeenCalledExactlyOnceWith(causes[0]);
});

test('a failure without a listener for the end is kept for it', () => {
  const port = new FakePort();
  const channel = portChannel(port);
  channel.onFrame(() => {});
  port.dispatchEvent(new Event('close'));
  const listener = vi.fn();
  channel.onClose(listener);
  expect(listener).toHaveBeenCalledTimes(1);
});

test('closing on this side closes the port and stops both directions, without a report', () => {
  const { port, channel, frames, causes } = open();
  const close = vi.spyOn(port, 'close');
  channel.close();
  channel.close();
  port.deliver(frame);
  port.dispatchEvent(new Event('close'));
  channel.send(frame);
  expect(close).toHaveBeenCalledTimes(1);
  expect(causes).toEqual([]);
  expect(frames).toEqual([]);
  expect(port.posted).toEqual([]);
  const late = vi.fn();
  channel.onClose(late);
  expect(late).toHaveBeenCalledExactlyOnceWith(new PeerLost('the port was closed on this side'));
});
