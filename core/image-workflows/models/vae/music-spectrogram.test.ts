import { expect, test } from 'vitest';
import { answeredWeights } from '#test/support/model-files/answered-weights.ts';
import { expectNear } from '#test/support/model-files/exported-numbers.ts';
import { zeros } from '../../values/tensor.ts';
import { musicSpectrogram } from './music-spectrogram.ts';

const never = new AbortController().signal;

test('the loudness of bands is that of torch and transformers', async () => {
  const { inputs, answers } = await answeredWeights('audio/ace_autoencoder');
  const { shape, data } = await musicSpectrogram(inputs.audio!, never);
  const [, channels = 0, bands = 0, steps = 0] = shape;
  expect([channels, bands, steps]).toEqual([2, 128, 16]);
  const rows = Array.from({ length: (channels * bands) / 8 }, (_, row) => [
    ...data.subarray(row * 8 * steps, (row * 8 + 1) * steps),
  ]);
  expectNear(
    { shape: [channels, bands / 8, steps], data: Float32Array.from(rows.flat()) },
    answers.loudness!,
    2e-5,
  );
});

test('audio that is shorter than its mirrored ends is refused', async () => {
  await expect(musicSpectrogram(zeros([1, 1, 768]), never)).rejects.toThrow(
    '768 samples of audio are too few',
  );
});
