import { expect, it, test } from 'vitest';
import { answeredWeights } from '#test/support/model-files/answered-weights.ts';
import { expectNear } from '#test/support/model-files/exported-numbers.ts';
import { musicSpectrogram } from '../../models/vae/music-spectrogram.ts';
import { zeros } from '../../values/tensor.ts';
import { fourierTransform } from './fourier.ts';

const never = new AbortController().signal;

it.each([1, 2, 7, 12, 30, 64, 400])('transforms %i numbers as the definition says', (length) => {
  const random = (seed: number) => Float64Array.from({ length }, (_, at) => Math.sin(seed + 3.7 * at ** 2));
  const [real, imaginary] = [random(1), random(2)];
  const expected = Array.from({ length }, (_, row) => {
    let [x, y] = [0, 0];
    for (let at = 0; at < length; at++) {
      const angle = (-2 * Math.PI * row * at) / length;
      x += real[at]! * Math.cos(angle) - imaginary[at]! * Math.sin(angle);
      y += real[at]! * Math.sin(angle) + imaginary[at]! * Math.cos(angle);
    }
    return [x, y] as const;
  });
  fourierTransform(length)(real, imaginary);
  for (const [row, [x, y]] of expected.entries()) {
    expect(real[row]).toBeCloseTo(x, 9);
    expect(imaginary[row]).toBeCloseTo(y, 9);
  }
});

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
