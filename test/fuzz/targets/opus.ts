/** Opus in Ogg files. */
import { AudioUnreadable } from '#core/audio/audio-unreadable.ts';
import { decodeAudio } from '#core/audio/decode.ts';
import { encodeOpus } from '#core/audio/opus/encode.ts';
import { neverAborted } from '#test/support/host/never-aborted.ts';
import { check, fuzzTarget } from '../target.ts';

export default fuzzTarget({
  invariant: 'all channels are equally long',
  seeds: async () => {
    const wave = Float32Array.from({ length: 2000 }, (_, i) => Math.sin(i / 7));
    return [
      await encodeOpus([wave], 48000, { bitrate: 16000, texts: {} }, neverAborted),
      await encodeOpus([wave, wave], 24000, { bitrate: 24000, texts: { a: 'b' } }, neverAborted),
    ];
  },
  words: ['OggS', 'OpusHead', 'OpusTags'],
  refusals: [AudioUnreadable],
  measured: ['mediabunny'],
  async run(input) {
    const { channels } = await decodeAudio(input, neverAborted);
    check(
      channels.every(({ length }) => length === channels[0]!.length),
      'the channels are equally long',
    );
  },
});
