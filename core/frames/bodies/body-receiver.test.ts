import { expect, test, vi } from 'vitest';
import { BodyReceiver, WINDOW } from './body-receiver.ts';

function setUp() {
  const grant = vi.fn();
  const cancelled = vi.fn();
  const receiver = new BodyReceiver({ grant, cancelled });
  return { receiver, grant, cancelled, reader: receiver.stream.getReader() };
}
const bytes = (...values: number[]) => Uint8Array.from(values);

test('chunks arrive in order, and the end comes with the last one', async () => {
  const { receiver, reader } = setUp();
  receiver.push(bytes(1));
  receiver.push(bytes(2, 3));
  receiver.end();
  expect(await reader.read()).toEqual({ done: false, value: bytes(1) });
  expect(await reader.read()).toEqual({ done: false, value: bytes(2, 3) });
  // The stream is closed without a further pull.
  await reader.closed;
});

test('a waiting reader receives a chunk that arrives later', async () => {
  const { receiver, reader } = setUp();
  const first = reader.read();
  await Promise.resolve();
  receiver.push(bytes(7));
  expect(await first).toEqual({ done: false, value: bytes(7) });
  const last = reader.read();
  receiver.end();
  expect(await last).toEqual({ done: true, value: undefined });
});

test('empty chunks are ignored', async () => {
  const { receiver, reader } = setUp();
  receiver.push(bytes());
  receiver.push(bytes(1));
  receiver.end();
  expect((await reader.read()).value).toEqual(bytes(1));
});

test('an error comes after the chunks before it', async () => {
  const { receiver, reader } = setUp();
  receiver.push(bytes(1));
  receiver.fail(new Error('lost'));
  expect((await reader.read()).value).toEqual(bytes(1));
  await expect(reader.read()).rejects.toThrow('lost');
});

test('an immediate error drops the chunks before it', async () => {
  const { receiver, reader } = setUp();
  receiver.push(bytes(1));
  receiver.fail(new Error('aborted'), true);
  await expect(reader.read()).rejects.toThrow('aborted');
});

test('the first outcome counts, and later chunks are ignored', async () => {
  const { receiver, reader } = setUp();
  receiver.push(bytes(1));
  expect(receiver.ended).toBe(false);
  receiver.end();
  expect(receiver.ended).toBe(true);
  receiver.fail(new Error('too late'));
  receiver.push(bytes(2));
  expect((await reader.read()).value).toEqual(bytes(1));
  expect((await reader.read()).done).toBe(true);
});

test('credit is granted for a quarter of the window at once, and for bytes that were read alone', async () => {
  const { receiver, reader, grant } = setUp();
  const eighth = WINDOW / 8;
  for (let count = 0; count < 4; count++) receiver.push(new Uint8Array(eighth));
  await new Promise((resolve) => setTimeout(resolve));
  expect(grant).not.toHaveBeenCalled();
  await reader.read();
  expect(grant).not.toHaveBeenCalled();
  await reader.read();
  expect(grant.mock.calls).toEqual([[WINDOW / 4]]);
  await reader.read();
  await reader.read();
  expect(grant.mock.calls).toEqual([[WINDOW / 4], [WINDOW / 4]]);
});

test('a sender that has ended needs no credit', async () => {
  const { receiver, reader, grant } = setUp();
  receiver.push(new Uint8Array(WINDOW));
  receiver.end();
  await reader.read();
  expect(grant).not.toHaveBeenCalled();
});

test('a cancel reaches the sender with its reason, unless the body is complete', async () => {
  const early = setUp();
  await early.reader.cancel('enough');
  expect(early.cancelled.mock.calls).toEqual([['enough']]);
  expect(early.receiver.ended).toBe(true);
  early.receiver.push(bytes(1));
  early.receiver.end();

  const late = setUp();
  late.receiver.push(bytes(1));
  late.receiver.end();
  await late.reader.cancel('enough');
  expect(late.cancelled).not.toHaveBeenCalled();
});
