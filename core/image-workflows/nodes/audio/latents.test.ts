import { expect, it } from 'vitest';
import type { Audio } from '../../audio/audio.ts';
import type { Latent } from '../../values/latent.ts';
import { type FloatTensor, full, tensorOf } from '../../values/tensor.ts';
import type { NodeContext } from '../kernel/node-context.ts';
import { audioLatentNodes } from './latents.ts';

let encoded: FloatTensor;
const audio = {
  sampleRate: 8000,
  async encode(waveform: FloatTensor) {
    encoded = waveform;
    return full([1, 64, 2], 1);
  },
  decode: async (samples: FloatTensor) => samples,
};
const run = async (name: string, inputs: Record<string, unknown>) =>
  audioLatentNodes
    .find((each) => each.name === name)!
    .run({ vae: { audio }, ...inputs }, { signal: new AbortController().signal } as NodeContext);

it('mono becomes stereo, and the rate that of the model', async () => {
  const waveform = tensorOf([1, 1, 3], Float32Array.of(1, 2, 3));
  const [latent] = (await run('VAEEncodeAudio', { audio: { waveform, sample_rate: 8000 } })) as [Latent];
  expect(encoded).toEqual(tensorOf([1, 2, 3], Float32Array.of(1, 2, 3, 1, 2, 3)));
  expect(latent).toEqual({ samples: full([1, 64, 2], 1), type: 'audio' });
  await run('VAEEncodeAudio', { audio: { waveform: full([1, 3, 40], 1), sample_rate: 4000 } });
  expect(encoded.shape).toEqual([1, 2, 80]);
});

it('loud entries of a batch are made softer', async () => {
  const samples = tensorOf([2, 1, 2], Float32Array.of(0.1, -0.1, 3, 1));
  const [{ waveform, sample_rate }] = (await run('VAEDecodeAudio', { samples: { samples } })) as [Audio];
  const deviation = 5 * Math.SQRT2;
  const expected = [0.1, -0.1, 3 / deviation, 1 / deviation];
  expect([...waveform.data]).toEqual(expected.map((value) => expect.closeTo(value, 6)));
  expect(sample_rate).toBe(8000);
});

it('autoencoders of images are refused', async () => {
  await expect(run('VAEDecodeAudio', { samples: {}, vae: {} })).rejects.toThrow(
    'this VAE is one of images: link that of a checkpoint of audio',
  );
});
