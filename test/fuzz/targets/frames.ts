/** Frames of the relay as binary messages. */
import { FrameError } from '#core/frames';
import { decodeFrame, encodeFrame } from '#core/frames/channels/encoding.ts';
import type { Frame } from '#core/frames/grammar.ts';
import { fuzzTarget, requireEqual } from '../target.ts';

const FRAMES: Frame[] = [
  { type: 'hello', version: 1, oldest: 1 } as Frame,
  { type: 'chunk', id: 1, bytes: Uint8Array.of(1, 2, 3) },
  { type: 'message', id: 2, data: 'text' },
  { type: 'message', id: 2, data: Uint8Array.of(9) },
  { type: 'open', id: 3, method: 'GET', url: '/x', headers: [['a', 'b']], body: false, credit: 9 } as Frame,
  { type: 'error', id: 4, message: 'no' },
];

export default fuzzTarget({
  invariant: 'an accepted frame survives writing and reading',
  seeds: () => FRAMES.map(encodeFrame),
  words: ['"binary":"bytes"', '"binary":"data"', '"type":"chunk"', '"__proto__":{"id":1}'],
  refusals: [FrameError],
  run(input) {
    const frame = decodeFrame(input);
    requireEqual('round trip', decodeFrame(encodeFrame(frame)), frame);
  },
});
