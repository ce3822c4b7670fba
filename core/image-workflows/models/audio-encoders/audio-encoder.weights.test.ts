/** Encoders of speech compared with those of transformers (test/diffusers/scripts/speech_files.py). */
import { expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { answeredWeights } from '#test/support/model-files/answered-weights.ts';
import { expectNear } from '#test/support/model-files/exported-numbers.ts';
import { renameWeights, writeWeights } from '#test/support/model-files/weight-files.ts';
import { type FloatTensor, full, zeros } from '../../values/tensor.ts';
import { loadAudioEncoder } from './audio-encoder.ts';

const SLOW = { timeout: 120_000 };
const never = new AbortController().signal;
const host = await weightsHost();

const speech = (waveform: FloatTensor) => ({ waveform, sample_rate: 16_000 });

test.each(['wav2vec2_large', 'wav2vec2_base'])('%s', SLOW, async (name) => {
  const { weights, inputs, answers } = await answeredWeights(`audio/${name}`);
  await writeWeights(host.files, `models/audio_encoders/${name}.safetensors`, weights);
  const encoder = await loadAudioEncoder(host, `${name}.safetensors`);
  const { layers, samples } = await encoder.encode(speech(inputs.audio!), never);
  expect(samples).toBe(2000);
  expectNear(layers, answers.layers!, 1e-4);
  await expect(encoder.encode(speech(full([1, 1, 399], 0)), never)).rejects.toThrow('400 or more');
});

test('a file with the newer names of lengths and directions', SLOW, async () => {
  const { weights, inputs, answers } = await answeredWeights('audio/wav2vec2_base');
  const renamed = renameWeights(weights, (name) =>
    name
      .replace('weight_g', 'parametrizations.weight.original0')
      .replace('weight_v', 'parametrizations.weight.original1'),
  );
  await writeWeights(host.files, 'models/audio_encoders/newer.safetensors', renamed);
  const { layers } = await (await loadAudioEncoder(host, 'newer.safetensors')).encode(
    speech(inputs.audio!),
    never,
  );
  expectNear(layers, answers.layers!, 1e-4);
});

test('Whisper hears 30 seconds', SLOW, async () => {
  const { weights, inputs, answers } = await answeredWeights('audio/whisper');
  await writeWeights(host.files, 'models/audio_encoders/whisper.safetensors', weights);
  const encoder = await loadAudioEncoder(host, 'whisper.safetensors');
  const { layers, samples } = await encoder.encode(speech(inputs.audio!), never);
  expect(samples).toBe(8000);
  const [count = 0, batch = 0, steps = 0, width = 0] = layers.shape;
  expect([count, batch, steps, width]).toEqual([3, 1, 1500, 128]);
  const some = Array.from({ length: count }, (_, layer) =>
    [0, 20, 1499].flatMap((step) => {
      const at = (layer * steps + step) * width;
      return [...layers.data.subarray(at, at + width)];
    }),
  );
  expectNear({ shape: [count, 1, 3, width], data: Float32Array.from(some.flat()) }, answers.steps!, 1e-4);
});

test('other files are refused', async () => {
  await writeWeights(host.files, 'models/audio_encoders/other.safetensors', { 'a.weight': zeros([1]) });
  await expect(loadAudioEncoder(host, 'other.safetensors')).rejects.toThrow('wav2vec 2.0 or Whisper');
});
