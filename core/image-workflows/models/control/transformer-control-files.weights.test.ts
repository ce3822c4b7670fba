/** Control nets of transformers in files of weights, compared with diffusers (test/diffusers/scripts/weight_files.py). */
import { expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { type AnsweredWeights, answeredWeights } from '#test/support/model-files/answered-weights.ts';
import { expectNear, readNumbers } from '#test/support/model-files/exported-numbers.ts';
import { type Shapes, weightsFor, writeWeights } from '#test/support/model-files/weight-files.ts';
import { controlResiduals } from '../../sampling/guidance/control-nets.ts';
import type { ControlNet } from '../../values/control-net.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { VaeModel } from '../../values/image-models.ts';
import type { ControlResidual, NetworkPrompt } from '../../values/network.ts';
import { type FloatTensor, full, zeros } from '../../values/tensor.ts';
import { loadNetwork } from '../checkpoints/standalone-parts.ts';
import { loadControlNet } from './control-net.ts';

const SLOW = { timeout: 120_000 };
/** Sinusoids of timesteps near 1000 differ in their last digits. */
const TIME_ROUNDING = 1e-4;
const never = new AbortController().signal;
const host = await weightsHost('here');

async function open(name: string): Promise<AnsweredWeights & { net: ControlNet }> {
  const answered = await answeredWeights(name);
  await writeWeights(host.files, `models/controlnet/${name}.safetensors`, answered.weights);
  return { ...answered, net: await loadControlNet(host, `${name}.safetensors`) };
}

/** Encodes every image to this latent. @param shift of the latents' scale */
function latentInputs(hint: FloatTensor, shift: number, frames: readonly number[] = []) {
  const [batch = 1, channels = 1, ...sides] = hint.shape;
  const encoded = { shape: [batch, channels, ...frames, ...sides], data: hint.data };
  const vae: VaeModel = {
    scale: 8,
    latentChannels: channels,
    decode: async () => zeros([1, 8, 8, 3]),
    encode: async () => encoded,
  };
  return { vae, latent: { channels, scaleFactor: 1, shiftFactor: shift } };
}

/** [1, 3, height, width] from -1 to 1 as an image. */
function asImage({ shape: [, , height = 1, width = 1], data }: FloatTensor): FloatTensor {
  const image = zeros([1, height, width, 3]);
  for (let at = 0; at < image.data.length; at++)
    image.data[at] = (data[(at % 3) * height * width + Math.floor(at / 3)]! + 1) / 2;
  return image;
}

const anyImage = full([1, 16, 16, 3], 0.5);

test('Flux, a union with and without the kind of the image', SLOW, async () => {
  const { net, inputs, answers } = await open('flux_control');
  const prompt = { tensor: inputs.text!, options: { pooled: inputs.pooled!, guidance: 2 } };
  const hint = latentInputs(inputs.hint!, 0);
  const ask = async (type: number | undefined) =>
    (await net.ofType(type).residuals(inputs.x!, 0.5, [prompt], anyImage, never, hint))[0]!;
  const [plain, kind] = [await ask(undefined), await ask(2)];
  for (const index of [0, 1, 2]) {
    expectNear(plain[index], answers[`plain ${index}`]!, TIME_ROUNDING);
    expectNear(kind[index], answers[`kind ${index}`]!, TIME_ROUNDING);
  }
  expect(plain.map(({ isSingle, count }) => [isSingle, count])).toEqual([
    [undefined, 2],
    [undefined, 2],
    [true, 1],
  ]);
});

test('Flux by XLabs takes the image itself', SLOW, async () => {
  const { net, inputs, answers } = await open('xlabs_control');
  const prompt = { tensor: inputs.text!, options: { pooled: inputs.pooled! } };
  const [residuals] = await net.residuals(inputs.x!, 0.5, [prompt], asImage(inputs.image!), never);
  expect(residuals!.map(({ repeats }) => repeats)).toEqual([true, true]);
  for (const [index, residual] of residuals!.entries()) expectNear(residual, answers[index]!, TIME_ROUNDING);
});

test('Stable Diffusion 3, whose hint is not shifted', SLOW, async () => {
  const { net, inputs, answers } = await open('sd3_control');
  const prompt = { tensor: inputs.text!, options: { pooled: inputs.pooled! } };
  const hint = latentInputs(inputs.hint!, 0.25);
  const [residuals] = await net.residuals(inputs.x!, 500, [prompt], anyImage, never, hint);
  for (const [index, residual] of residuals!.entries()) expectNear(residual, answers[index]!, TIME_ROUNDING);
});

test('Stable Diffusion 3.5, with the pooled text as its model embeds it', SLOW, async () => {
  const { net, inputs, answers, weights } = await open('sd35_control');
  const part = (name: string) => inputs[`model.${name}`]!;
  const { sd3 } = await readNumbers<{ sd3: { shapes: Shapes } }>('original_transformers.json');
  const model = weightsFor(sd3.shapes);
  for (const layer of [0, 2])
    for (const kind of ['weight', 'bias'])
      model[`y_embedder.mlp.${layer}.${kind}`] = part(`linear_${layer / 2 + 1}.${kind}`);
  await writeWeights(host.files, 'models/diffusion_models/sd35.safetensors', model);
  const { network } = await loadNetwork(host, 'sd35.safetensors');
  const prompt = { tensor: zeros([1, 3, 16]), options: { pooled: inputs.pooled! } };
  const hint = latentInputs(inputs.hint!, 0);
  const ask = async (each: ControlNet) =>
    (await each.forNetwork!(network).residuals(inputs.x!, 500, [prompt], anyImage, never, hint))[0]!;
  for (const [index, residual] of (await ask(net)).entries())
    expectNear(residual, answers[index]!, TIME_ROUNDING);
  await expect(net.residuals(inputs.x!, 500, [prompt], anyImage, never, hint)).rejects.toThrow(
    'sd35_control.safetensors is a control net of Stable Diffusion 3.5, which needs its model',
  );
  // Depth is encoded from near to far.
  const depth = { ...weights, control_type: { shape: [], data: Float32Array.of(2) } };
  await writeWeights(host.files, 'models/controlnet/depth.safetensors', depth);
  const seen: number[] = [];
  hint.vae.encode = async (image) => {
    seen.push(image.data[0]!);
    return inputs.hint!;
  };
  await (await loadControlNet(host, 'depth.safetensors')).forNetwork!(network).residuals(
    inputs.x!,
    500,
    [prompt],
    full([1, 16, 16, 3], 0.25),
    never,
    hint,
  );
  expect(seen).toEqual([0.75]);
});

test('Qwen-Image, whose autoencoder is one of videos', SLOW, async () => {
  const { net, inputs, answers } = await open('qwen_control');
  const hint = latentInputs(inputs.hint!, 0, [1]);
  const prompt = { tensor: inputs.text!, options: {} };
  const [residuals] = await net.residuals(inputs.x!, 0.75, [prompt], anyImage, never, hint);
  for (const [index, residual] of residuals!.entries()) expectNear(residual, answers[index]!, TIME_ROUNDING);
});

/** A prompt by two encoders, with masks as in the script. */
const bothTexts = (inputs: Record<string, FloatTensor>): NetworkPrompt => ({
  tensor: inputs.text!,
  options: {
    attentionMask: { shape: [1, 5], data: Float32Array.of(1, 1, 1, 0, 0) },
    secondText: {
      tensor: inputs.t5!,
      attentionMask: { shape: [1, 6], data: Float32Array.of(1, 1, 0, 0, 0, 0) },
    },
  },
});

test('HunyuanDiT, whose earlier residuals count with higher powers of the strength', SLOW, async () => {
  const { net, inputs, answers } = await open('hunyuan_control');
  const { vae, latent } = latentInputs(inputs.hint!, 0);
  const { tensor, options } = bothTexts(inputs);
  const hint = { net, image: anyImage, vae, strength: 0.5, startPercent: 0, endPercent: 1 };
  const region = { entry: { tensor, options: { ...options, control: { hint } } } } as never;
  const sampling = { input: (_: number, x: FloatTensor) => x, timestepOf: () => 100, sigmaAt: () => 1 };
  const model = { sampling, latent } as unknown as DiffusionModel;
  const sums = await controlResiduals([region], model, inputs.x!, 1, never);
  const [first, second] = sums.get(region)!;
  const weighted = (name: string, factor: number) => ({
    shape: answers[name]!.shape,
    data: answers[name]!.data.map((value) => value * factor),
  });
  expectNear(pick(first!), weighted('0', 0.25), TIME_ROUNDING);
  expectNear(pick(second!), weighted('1', 0.5), TIME_ROUNDING);
});

const pick = ({ shape, data }: ControlResidual): FloatTensor => ({ shape, data });

test.each(['qwen_image', 'hunyuan_dit'])('the blocks of %s take residuals', SLOW, async (name) => {
  const { weights, inputs, answers } = await answeredWeights(name);
  await writeWeights(host.files, `models/diffusion_models/${name}.safetensors`, weights);
  const { network } = await loadNetwork(host, `${name}.safetensors`);
  const prompt: NetworkPrompt =
    name === 'qwen_image'
      ? { tensor: inputs.text!, options: {} }
      : {
          ...bothTexts(inputs),
          options: {
            ...bothTexts(inputs).options,
            sizes: { height: 512, width: 256, targetHeight: 512, targetWidth: 256 },
          },
        };
  const timestep = name === 'qwen_image' ? 0.75 : 100;
  const once: ControlResidual = { ...inputs.residual!, count: 1 };
  const [controlled] = await network.predict(inputs.x!, timestep, [{ ...prompt, control: [once] }], never);
  expectNear(controlled, answers.controlled!, TIME_ROUNDING);
  // Two nets of different sizes, which add up.
  const half = { ...once, data: once.data.map((value) => value / 2) };
  const pair = [half, half].map((each) => ({ ...each, count: 2 }));
  const control = name === 'qwen_image' ? [half, ...pair] : [half, { ...pair[0]!, count: 2 }];
  const [summed] = await network.predict(inputs.x!, timestep, [{ ...prompt, control }], never);
  expectNear(summed, answers.controlled!, TIME_ROUNDING);
});
