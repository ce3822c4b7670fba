/** WAV files. */
import { AudioUnreadable } from '#core/audio/audio-unreadable.ts';
import { decodeWav } from '#core/audio/wav.ts';
import { neverAborted } from '#test/support/host/never-aborted.ts';
import { check, fuzzTarget } from '../target.ts';

export default fuzzTarget({
  invariant: 'all channels are equally long',
  seeds: () => [wav(1, 16, 2), wav(3, 32, 1), wav(1, 24, 2), wav(1, 8, 1), wav(3, 64, 1)],
  words: ['RIFF', 'WAVE', 'fmt ', 'data', 'LIST'],
  refusals: [AudioUnreadable],
  async run(input) {
    const { channels, sampleRate } = await decodeWav(input, neverAborted);
    check(
      channels.every(({ length }) => length === channels[0]!.length),
      'the channels are equally long',
    );
    check(sampleRate > 0, 'the rate is positive');
  },
});

function wav(kind: number, bits: number, channels: number): Uint8Array {
  const view = new DataView(new ArrayBuffer(44 + 48));
  const text = (at: number, letters: string) => {
    for (const [index, letter] of [...letters].entries()) view.setUint8(at + index, letter.charCodeAt(0));
  };
  text(0, 'RIFF');
  text(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, kind, true);
  view.setUint16(22, channels, true);
  view.setUint32(24, 8000, true);
  view.setUint16(34, bits, true);
  text(36, 'data');
  view.setUint32(40, 48, true);
  return new Uint8Array(view.buffer);
}
