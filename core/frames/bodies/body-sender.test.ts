import { expect, test, vi } from 'vitest';
import type { FrameChannel } from '../channels/frame-channel.ts';
import type { Frame } from '../grammar.ts';
import { BodySender, Stalled, withOwnBuffer } from './body-sender.ts';

const MB = 1024 * 1024;

function setUp({
  credit = 100 * MB,
  carriesBlobs = false,
  stallTimeout = undefined as number | undefined,
} = {}) {
  const frames: Frame[] = [];
  const transfers: (ArrayBuffer[] | undefined)[] = [];
  const channel = {
    carriesBlobs,
    send(frame: Frame, transfer?: ArrayBuffer[]) {
      frames.push(frame);
      transfers.push(transfer);
    },
  } as unknown as FrameChannel;
  return { frames, transfers, sender: new BodySender(channel, 7, credit, stallTimeout) };
}
const lengths = (frames: Frame[]) =>
  frames.map((frame) => (frame.type === 'chunk' ? frame.bytes.length : frame.type));
const settle = () => new Promise((resolve) => setTimeout(resolve, 5));

test.each([
  ['an array', Uint8Array.of(1, 2, 3)],
  ['a buffer', Uint8Array.of(1, 2, 3).buffer],
  ['a Blob, on a channel that carries none', new Blob([Uint8Array.of(1, 2, 3)])],
  ['a stream', new Blob([Uint8Array.of(1, 2, 3)]).stream()],
])('sends %s as chunks and an end', async (_, source) => {
  const { frames, sender } = setUp();
  await sender.send(source);
  expect(frames).toEqual([
    { type: 'chunk', id: 7, bytes: Uint8Array.of(1, 2, 3) },
    { type: 'end', id: 7 },
  ]);
});

test('an empty body is an end alone', async () => {
  const { frames, sender } = setUp();
  await sender.send(new Uint8Array(0));
  expect(frames).toEqual([{ type: 'end', id: 7 }]);
});

test('a Blob is one frame on a channel that carries Blobs, and none after a stop', async () => {
  const blob = new Blob(['x']);
  const { frames, sender } = setUp({ carriesBlobs: true });
  await sender.send(blob);
  expect(frames).toEqual([{ type: 'blob', id: 7, blob }]);
  const stopped = setUp({ carriesBlobs: true });
  stopped.sender.stop('enough');
  await stopped.sender.send(blob);
  expect(stopped.frames).toEqual([]);
});

test('splits large chunks, and transfers the buffers of those from 64 KiB', async () => {
  const { frames, transfers, sender } = setUp();
  await sender.send(new Uint8Array(2 * MB + 64 * 1024 - 1));
  expect(lengths(frames)).toEqual([MB, MB, 64 * 1024 - 1, 'end']);
  expect(transfers.map((transfer) => transfer?.length)).toEqual([1, 1, 0, undefined]);
  const exact = setUp();
  await exact.sender.send(new Uint8Array(64 * 1024));
  expect(exact.transfers[0]).toHaveLength(1);
});

test('waits for credit, and sends a chunk as soon as any is left', async () => {
  const { frames, sender } = setUp({ credit: 1 });
  const sent = sender.send(new Uint8Array(3 * MB));
  await settle();
  expect(lengths(frames)).toEqual([MB]);
  sender.grant(MB - 1);
  await settle();
  expect(lengths(frames)).toEqual([MB]);
  sender.grant(1);
  await settle();
  expect(lengths(frames)).toEqual([MB, MB]);
  sender.grant(10 * MB);
  await sent;
  expect(lengths(frames)).toEqual([MB, MB, MB, 'end']);
});

test('an error of the source becomes an error frame with the prefix', async () => {
  const source = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.error(new Error('disk gone')),
  });
  const { frames, sender } = setUp();
  await sender.send(source, 'reading failed: ');
  expect(frames).toEqual([{ type: 'error', id: 7, message: 'reading failed: disk gone' }]);
});

test('a stop cancels the source with its reason and sends no further frame', async () => {
  const cancel = vi.fn();
  const source = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(MB)),
    cancel,
  });
  const { frames, sender } = setUp({ credit: 1 });
  const sent = sender.send(source);
  await settle();
  sender.stop('enough');
  sender.stop('again');
  await sent;
  expect(lengths(frames)).toEqual([MB]);
  expect(cancel.mock.calls).toEqual([['enough']]);
});

test('a stop before the start cancels the source as well', async () => {
  const cancel = vi.fn();
  const { frames, sender } = setUp();
  sender.stop('enough');
  await sender.send(new ReadableStream<Uint8Array>({ cancel }));
  expect(frames).toEqual([]);
  expect(cancel.mock.calls).toEqual([['enough']]);
});

test('a receiver that grants nothing for too long is an error, and the source is cancelled', async () => {
  const cancel = vi.fn();
  const source = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(10)),
    cancel,
  });
  const { frames, sender } = setUp({ credit: 10, stallTimeout: 10 });
  await expect(sender.send(source)).rejects.toBeInstanceOf(Stalled);
  expect(frames.at(-1)).toEqual({ type: 'error', id: 7, message: 'nothing was read for 10 ms' });
  expect(cancel).toHaveBeenCalledOnce();
});

test('credit in time prevents the stall', async () => {
  const { frames, sender } = setUp({ credit: 1, stallTimeout: 40 });
  const sent = sender.send(new Uint8Array(2 * MB));
  await settle();
  sender.grant(2 * MB);
  await sent;
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(lengths(frames)).toEqual([MB, MB, 'end']);
});

test('withOwnBuffer copies views of larger or shared buffers alone', () => {
  const complete = Uint8Array.of(1, 2);
  expect(withOwnBuffer(complete)).toBe(complete);
  const view = withOwnBuffer(Uint8Array.of(1, 2, 3).subarray(1));
  expect([view, view.buffer.byteLength]).toEqual([Uint8Array.of(2, 3), 2]);
  const shared = withOwnBuffer(new Uint8Array(new SharedArrayBuffer(2)));
  expect(shared.buffer).toBeInstanceOf(ArrayBuffer);
});
