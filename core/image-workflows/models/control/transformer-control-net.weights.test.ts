/**
 * Control nets of transformers, compared with the results of diffusers
 * (test/diffusers/scripts/transformer_control.py).
 */
import { beforeAll, expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { writeExported } from '#test/support/model-files/exported-model.ts';
import { type Numbers, readNumbers, tensor } from '#test/support/model-files/exported-numbers.ts';
import { nodeTypes } from '../../nodes/index.ts';
import type { NodeContext } from '../../nodes/kernel/node-context.ts';
import { basicGuider } from '../../sampling/guidance/guiders.ts';
import type { Conditioning } from '../../values/conditioning.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { VaeModel } from '../../values/image-models.ts';
import { type FloatTensor, full, zeros } from '../../values/tensor.ts';
import { loadNetwork } from '../checkpoints/standalone-parts.ts';
import { loadControlNet } from './control-net.ts';

/** Inputs and results in the file. `told`: the network's output with the control net. */
interface Answer {
  x: Numbers;
  text: Numbers;
  pooled: Numbers;
  seen: Numbers;
  plain: Numbers;
  told: Numbers;
}

const SLOW = { timeout: 120_000 };
/** The noise level of the recorded results. */
const SIGMA = 0.4;
const never = new AbortController().signal;
const host = await weightsHost('here');
let answers: { strength: number; sd3: Answer; flux: Answer };

beforeAll(async () => {
  for (const kind of ['sd3', 'flux']) {
    await writeExported(host.files, `${kind}_control`, `models/controlnet/${kind}`);
    await writeExported(host.files, `${kind}_controlled`, `models/diffusion_models/${kind}`);
  }
  await writeExported(host.files, 'sd3', 'models/diffusion_models/plain');
  answers = await readNumbers('transformer_control.json');
});

const promptOf = ({ text, pooled }: Answer): Conditioning => [
  { tensor: tensor(text), options: { pooled: tensor(pooled), guidance: 3.5 } },
];
/** Encodes every image to the latents `scaled`, and records the image in `pixels`. */
function autoencoder({ latent }: DiffusionModel, scaled: FloatTensor): VaeModel & { pixels?: FloatTensor } {
  return {
    scale: 8,
    latentChannels: 16,
    decode: async () => zeros([1, 8, 8, 3]),
    async encode(pixels) {
      this.pixels = pixels;
      return {
        shape: scaled.shape,
        data: scaled.data.map((value) => value / latent.scaleFactor + latent.shiftFactor),
      };
    },
  };
}
const apply = async (name: string, values: Record<string, unknown>): Promise<Conditioning> => {
  const node = nodeTypes.find((type) => type.name === name)!;
  const range = { start_percent: 0, end_percent: 1 };
  const [positive] = (await node.run({ ...range, ...values, negative: [] }, {} as NodeContext)) as [
    Conditioning,
  ];
  return positive;
};
const denoised = (model: DiffusionModel, conditioning: Conditioning, x: FloatTensor) =>
  basicGuider(model, conditioning).open(x.shape, never).denoise(x, SIGMA);
/** Compares the velocity that led to a clean latent with the expected one. */
function expectVelocity(actual: FloatTensor, x: FloatTensor, velocity: Numbers): void {
  const largestDifference = velocity.data.reduce(
    (max, value, i) => Math.max(max, Math.abs(x.data[i]! - SIGMA * value - actual.data[i]!)),
    0,
  );
  expect(largestDifference).toBeLessThan(1e-5);
}

test("Stable Diffusion 3's inpainting control net takes a mask", SLOW, async () => {
  const { sd3, strength } = answers;
  const model = await loadNetwork(host, 'sd3');
  const net = await loadControlNet(host, 'sd3');
  const [x, seen] = [tensor(sd3.x), tensor(sd3.seen)];
  const size = 4 * 6;
  const vae = autoencoder(model, { shape: [1, 16, 4, 6], data: seen.data.slice(0, 16 * size) });
  const mask = { shape: [1, 4, 6], data: seen.data.slice(16 * size).map((value) => 1 - value) };
  const values = {
    positive: promptOf(sd3),
    control_net: net,
    vae,
    image: full([1, 20, 30, 3], 1),
    strength,
  };
  expectVelocity(await denoised(model, promptOf(sd3), x), x, sd3.plain);
  const conditioning = await apply('ControlNetInpaintingAliMamaApply', { ...values, mask });
  expectVelocity(await denoised(model, conditioning, x), x, sd3.told);
  expect(vae.pixels!.shape).toEqual([1, 32, 48, 3]);
  // The masked half of the hint image is black.
  const half = zeros([1, 2, 2]);
  half.data[0] = half.data[2] = 1;
  await denoised(model, await apply('ControlNetInpaintingAliMamaApply', { ...values, mask: half }), x);
  const row = Array.from({ length: 48 }, (_, column) => vae.pixels!.data[column * 3]);
  expect(row).toEqual([...new Array(24).fill(0), ...new Array(24).fill(1)]);
  const unmasked = await apply('ControlNetApplyAdvanced', values);
  await expect(denoised(model, unmasked, x)).rejects.toThrow('ControlNetInpaintingAliMamaApply');
  expect(await apply('ControlNetInpaintingAliMamaApply', { ...values, mask, strength: 0 })).toBe(
    values.positive,
  );
});

test("Flux's control net has residuals for double-stream and single-stream blocks", SLOW, async () => {
  const { flux, strength } = answers;
  const model = await loadNetwork(host, 'flux');
  const [x, seen] = [tensor(flux.x), tensor(flux.seen)];
  const values = {
    positive: promptOf(flux),
    control_net: await loadControlNet(host, 'flux'),
    image: full([1, 32, 48, 3], 0.5),
    strength,
  };
  expectVelocity(await denoised(model, promptOf(flux), x), x, flux.plain);
  for (const name of ['ControlNetApplyAdvanced', 'ControlNetApplySD3']) {
    const conditioning = await apply(name, { ...values, vae: autoencoder(model, seen) });
    expectVelocity(await denoised(model, conditioning, x), x, flux.told);
  }
  const blind = await apply('ControlNetApplyAdvanced', values);
  await expect(denoised(model, blind, x)).rejects.toThrow('VAE');
  const four = autoencoder(model, zeros([1, 4, 4, 6]));
  const wrong = await apply('ControlNetApplyAdvanced', { ...values, vae: four });
  await expect(denoised(model, wrong, x)).rejects.toThrow('VAE of the model');
});

test('rejects control nets that do not fit the network', SLOW, async () => {
  const { sd3, flux } = answers;
  const x = tensor(sd3.x);
  const control = [zeros([1, 6, 8])];
  const ask = async (name: string, answer: Answer, residuals: FloatTensor[]) =>
    (await loadNetwork(host, name)).network.predict(
      x,
      400,
      [{ ...promptOf(answer)[0]!, control: residuals }],
      never,
    );
  await expect(ask('plain', sd3, control)).rejects.toThrow('controlnet_block_samples_0');
  await expect(ask('sd3', sd3, [...control, ...control])).rejects.toThrow('has 2 outputs');
  // Residuals for one of the two kinds of blocks suffice.
  expect((await ask('flux', flux, control))[0]!.shape).toEqual(x.shape);
});
