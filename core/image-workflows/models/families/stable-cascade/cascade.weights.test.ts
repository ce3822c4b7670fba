/** The networks of Stable Cascade compared with diffusers and torch (test/diffusers/scripts/cascade_files.py). */
import { expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { type AnsweredWeights, answeredWeights } from '#test/support/model-files/answered-weights.ts';
import { expectNear } from '#test/support/model-files/exported-numbers.ts';
import { writeWeights } from '#test/support/model-files/weight-files.ts';
import { imageRaster, planesToRaster, rasterToImage, rasterToPlanes } from '../../../images/rasters.ts';
import { map } from '../../../sampling/tensor-math.ts';
import { scaleLatent } from '../../../values/latent-scaling.ts';
import { full } from '../../../values/tensor.ts';
import { loadNetwork, loadVae } from '../../checkpoints/standalone-parts.ts';

const SLOW = { timeout: 120_000 };
const never = new AbortController().signal;
const host = await weightsHost();

async function open(name: string) {
  const answered = await answeredWeights(`cascade/${name}`);
  await writeWeights(host.files, `models/diffusion_models/${name}.safetensors`, answered.weights);
  return { ...answered, model: await loadNetwork(host, `${name}.safetensors`) };
}

test('stage C, for prompts with and without images', SLOW, async () => {
  const { inputs, answers, model } = await open('stage_c');
  expect([model.latent.channels, model.sampling.sigmaMax]).toEqual([16, expect.closeTo(99.995, 2)]);
  const prompt = { tensor: inputs.text!, options: { pooled: inputs.pooled! } };
  const { shape, data } = inputs.image!;
  const hints = [0, 1].map((row) => ({
    visionOutput: {
      imageEmbeds: {
        shape: [1, 768],
        data: data.slice(row * 768, row * 768 + 768).map((value) => value * 2),
      },
      lastHiddenState: full([1, 1], 0),
      penultimateHiddenState: undefined,
    },
    strength: 0.5,
    noiseAugmentation: 0,
  }));
  const images = model.imageInputs!({ unclip: hints }, { shape, seed: 0n });
  const [varied] = await model.network.predict(inputs.x!, 0.7, [{ ...prompt, ...images }], never);
  expectNear(varied, answers.varied!, 1e-4);
  const [, plain] = await model.network.predict(inputs.x!, 0.7, [prompt, prompt], never);
  expectNear(plain, answers.plain!, 1e-4);
  const wide = { ...hints[0]!, visionOutput: { ...hints[0]!.visionOutput, imageEmbeds: full([1, 1024], 0) } };
  expect(() => model.imageInputs!({ unclip: [wide] }, { shape, seed: 0n })).toThrow('768 numbers');
});

test('stage B enlarges the latent of stage C', SLOW, async () => {
  const { inputs, answers, model } = await open('stage_b');
  expect(scaleLatent(full([1, 4, 1, 1], 0.43), model.latent).data[0]).toBeCloseTo(1, 6);
  const images = model.imageInputs!({ prior: inputs.prior! }, { shape: inputs.x!.shape, seed: 0n });
  const prompt = { tensor: full([1, 1, 1], 0), options: { pooled: inputs.pooled! }, ...images };
  const [plain] = await model.network.predict(inputs.x!, 0.7, [prompt], never);
  expectNear(plain, answers.plain!, 1e-4);
  const options = { pooled: full([1, 16], 0) };
  const [empty] = await model.network.predict(inputs.x!, 0.7, [{ ...prompt, options }], never);
  expect(empty!.data).not.toEqual(plain!.data);
  await expect(model.network.predict(inputs.x!, 0.7, [{ ...prompt, options: {} }], never)).rejects.toThrow(
    'pooled embedding',
  );
});

/** Variances are positive. */
function withVariances({ weights }: AnsweredWeights): AnsweredWeights['weights'] {
  return Object.fromEntries(
    Object.entries(weights).map(([name, tensor]) => [
      name,
      name.endsWith('running_var') ? map((value) => Math.abs(value) + 0.5, tensor) : tensor,
    ]),
  );
}

test.each([
  ['stage_a', 4, 4],
  ['stage_c_coder', 16, 32],
])('the autoencoder %s', SLOW, async (name, channels, scale) => {
  const answered = await answeredWeights(`cascade/${name}`);
  await writeWeights(host.files, `models/vae/${name}.safetensors`, withVariances(answered));
  const vae = await loadVae(host, `${name}.safetensors`);
  expect([vae.latentChannels, vae.scale]).toEqual([channels, scale]);
  const { inputs, answers } = answered;
  const image = rasterToImage(planesToRaster(map((value) => value / 2 + 0.5, inputs.image!)));
  expectNear(await vae.encode(image, never), answers.encoded!, 2e-5);
  const decoded = await vae.decode(inputs.latent!, never, { isWhole: false });
  expectNear(
    map((value) => value * 2 - 1, rasterToPlanes(imageRaster(decoded))),
    answers.decoded!,
    2e-5,
  );
});
