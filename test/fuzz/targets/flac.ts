/** FLAC files, and the blocks in them without their checksums. */
import { AudioUnreadable } from '#core/audio/audio-unreadable.ts';
import { BitReader } from '#core/audio/flac/bit-reader.ts';
import { decodeFlac } from '#core/audio/flac/decode.ts';
import { encodeFlac } from '#core/audio/flac/encode.ts';
import { readSubframe } from '#core/audio/flac/read-subframe.ts';
import { neverAborted } from '#test/support/host/never-aborted.ts';
import { check, fuzzTarget } from '../target.ts';

const BLOCK = 64;

export default fuzzTarget({
  invariant: 'all channels are equally long',
  seeds: async () => {
    const wave = Float32Array.from({ length: 200 }, (_, i) => Math.sin(i / 7));
    const noise = Float32Array.from({ length: 200 }, (_, i) => ((i * 7919) % 201) / 100 - 1);
    return [
      await encodeFlac([wave], 8000, { a: 'b' }, neverAborted),
      await encodeFlac([wave, noise], 44100, {}, neverAborted),
      Uint8Array.of(0x00, 0x12, 0x34),
      Uint8Array.of(0x12, 0, 1, 0, 2, 0x04, 0x21, 0x33, 0x77, 0xff),
      Uint8Array.of(0x42, 0, 1, 0x04, 0x21, 0x33, 0x77, 0xff),
    ];
  },
  refusals: [AudioUnreadable],
  async run(input) {
    let failure: unknown;
    try {
      const block = readSubframe(new BitReader(input, 0), BLOCK, 16);
      check(block.length === BLOCK, 'a block has its length');
    } catch (error) {
      failure = error;
    }
    const { channels } = await decodeFlac(input, neverAborted);
    check(
      channels.every(({ length }) => length === channels[0]!.length),
      'the channels are equally long',
    );
    if (failure) throw failure;
  },
});
