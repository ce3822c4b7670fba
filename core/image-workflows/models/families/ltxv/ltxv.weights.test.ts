/** LTX Video compared with diffusers (test/diffusers/scripts/weight_files.py). */
import { expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { answeredWeights } from '#test/support/model-files/answered-weights.ts';
import { expectNear, largestDifference, tensor } from '#test/support/model-files/exported-numbers.ts';
import { writeWeights } from '#test/support/model-files/weight-files.ts';
import { type FloatTensor, tensorOf, zeros } from '../../../values/tensor.ts';
import { loadNetwork, loadVae } from '../../checkpoints/standalone-parts.ts';

const SLOW = { timeout: 120_000 };
/** Sinusoids of timesteps near 1000 differ in their last digits. */
const TIME_ROUNDING = 1e-4;
/** Rows and columns of the cells of a frame, in pixels. */
const CELLS = [0, 32].flatMap((row) => [0, 32, 64].map((column) => [row, column]));
const never = new AbortController().signal;
const host = await weightsHost();

test('videos of texts with a mask, and frames without noise at another rate', SLOW, async () => {
  const { weights, inputs, answers } = await answeredWeights('videos/ltxv');
  await writeWeights(host.files, 'models/diffusion_models/ltxv.safetensors', weights);
  const model = await loadNetwork(host, 'ltxv.safetensors');
  const attentionMask = { shape: [1, 5], data: Float32Array.of(1, 1, 1, 0, 0) };
  const prompt = { tensor: inputs.text!, options: { attentionMask } };
  const [plain] = await model.network.predict(inputs.x!, 0.75, [prompt], never);
  expectNear(plain, answers.plain!, TIME_ROUNDING);
  const mask = { shape: [1, 1, 2, 2, 3], data: new Float32Array(12).fill(1, 6) };
  const { noiseMask } = model.imageInputs!({}, { shape: [1, 4, 2, 2, 3], seed: 0n, mask });
  const timed = { tensor: inputs.text!, options: { attentionMask, timing: { frameRate: 30 } } };
  const [partial] = await model.network.predict(
    inputs.x!,
    0.75,
    [{ ...timed, noiseMask: noiseMask! }],
    never,
  );
  expectNear(partial, answers['first frame given']!, TIME_ROUNDING);
  const keyFrames = {
    frames: 1,
    places: tensorOf([6, 3], Float32Array.from(CELLS.flatMap((place) => [41, ...place]))),
  };
  const { videoInputs } = model.imageInputs!({ guides: { keyFrames } }, { shape: [1, 4, 2, 2, 3], seed: 0n });
  const guided = { ...prompt, noiseMask: noiseMask!, videoInputs: videoInputs! };
  const [elsewhere] = await model.network.predict(inputs.x!, 0.75, [guided], never);
  expectNear(elsewhere, answers['last frame elsewhere']!, TIME_ROUNDING);
  const long = { ...prompt, videoInputs: { places: zeros([12, 3]) } };
  await expect(model.network.predict(inputs.x!, 0.75, [long], never)).rejects.toThrow(
    'use the latent of LTXVAddGuide',
  );
});

/** [1, 3, frames, height, width] from -1 to 1 as images. */
function images({ shape: [, , frames = 1, height = 1, width = 1], data }: FloatTensor): FloatTensor {
  const size = frames * height * width;
  const colors = Float32Array.from(
    { length: data.length },
    (_, at) => (data[(at % 3) * size + Math.floor(at / 3)]! + 1) / 2,
  );
  return { shape: [frames, height, width, 3], data: colors };
}

test('the autoencoder scales its latents itself', SLOW, async () => {
  const { weights, inputs, answers } = await answeredWeights('videos/ltxv_vae');
  await writeWeights(host.files, 'models/vae/ltxv.safetensors', weights);
  const vae = await loadVae(host, 'ltxv.safetensors');
  expect([vae.latentChannels, vae.scale]).toEqual([4, 16]);
  const encoded = await vae.encode(images(inputs.video!), never);
  expectNear(encoded, answers['video encoded']!);
  const decoded = await vae.decode(inputs.latents!, never, { isWhole: false });
  const expected = images(tensor(answers['latents decoded']!));
  expect(decoded.shape).toEqual(expected.shape);
  expect(largestDifference(decoded, { ...expected, data: [...expected.data] })).toBeLessThan(1e-5);
});
