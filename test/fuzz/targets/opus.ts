/** Opus in Ogg files. */
import { AudioUnreadable } from '#core/image-workflows/audio/audio.ts';
import { decodeAudio } from '#core/image-workflows/audio/decode.ts';
import { encodeOpus } from '#core/image-workflows/audio/opus/encode.ts';
import { neverAborted } from '#test/support/host/never-aborted.ts';
import { check, fuzzTarget } from '../target.ts';

export default fuzzTarget({
  invariant: 'the samples fill the stated shape',
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
    const { waveform } = await decodeAudio(input, neverAborted);
    const [batch, channels, samples] = waveform.shape;
    check(waveform.data.length === batch! * channels! * samples!, 'the samples fill the shape');
  },
});
