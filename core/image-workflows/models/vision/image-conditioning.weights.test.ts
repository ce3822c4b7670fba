/** Image and GLIGEN box conditioning, compared with diffusers' results (test/diffusers/scripts/vision.py). */
import { readFile } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { writeExported } from '#test/support/model-files/exported-model.ts';
import { expectNear, type Numbers, readNumbers, tensor } from '#test/support/model-files/exported-numbers.ts';
import { StoredFiles } from '../../files/stored-files.ts';
import { nodeTypes } from '../../nodes/index.ts';
import type { NodeContext } from '../../nodes/kernel/node-context.ts';
import { cfgGuider } from '../../sampling/guidance/guiders.ts';
import { toRegions } from '../../sampling/guidance/regions.ts';
import { combine } from '../../sampling/tensor-math.ts';
import type { Conditioning } from '../../values/conditioning.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import { type FloatTensor, full, zeros } from '../../values/tensor.ts';
import type { ClipVisionOutput } from '../../values/vision.ts';
import { listedModels } from '../checkpoints/listed-models.ts';
import { loadNetwork } from '../checkpoints/standalone-parts.ts';
import { loadGligenModel } from '../networks/gligen-model.ts';

/** A network's inputs and outputs with and without the image conditioning. The field names are those of the file. */
interface NetworkCase {
  x: Numbers;
  text: Numbers;
  pooled: Numbers;
  timestep: number;
  told: Numbers;
  plain: Numbers;
}
interface Expected {
  unclip: NetworkCase & { seed: number; embeds: Numbers; one: Numbers; merged: Numbers };
  upscaler: NetworkCase & { seed: number; amount: number; picture: Numbers; noised: Numbers };
  kontext: NetworkCase & { reference: Numbers };
  gligen: NetworkCase & { summaries: Numbers; none: Numbers };
}

const FOLDER = new URL('../../../../test/diffusers/', import.meta.url);
const SLOW = { timeout: 120_000 };
const never = new AbortController().signal;
const context = { signal: never } as unknown as NodeContext;
const host = await weightsHost('here');
let expected: Expected;

beforeAll(async () => {
  for (const name of ['unclip', 'upscaler', 'kontext', 'gligen'])
    await writeExported(host.files, name, `models/diffusion_models/${name}`);
  await writeExported(host.files, 'unclip_normalizer', 'models/diffusion_models/unclip/image_normalizer');
  await writeExported(host.files, 'gligen', 'models/gligen/gligen');
  expected = await readNumbers('vision.json');
});

const run = async <T>(name: string, values: Record<string, unknown>): Promise<T[]> =>
  (await nodeTypes.find((node) => node.name === name)!.run(values, context)) as T[];
/** The network's inputs for the first entry of a conditioning list, in a run with this seed. */
function promptFor(model: DiffusionModel, [entry]: Conditioning, shape: readonly number[], seed: number) {
  const runStart = { latent: zeros(shape), mask: undefined, seed: BigInt(seed) };
  const [region] = toRegions([entry!], shape, model, runStart);
  return { ...region!.entry, ...region!.imageInputs, ...(region!.concat && { concat: region!.concat }) };
}
/** The rows from `from` to `to` of [images, width]. */
const embedding = ({ shape, data }: Numbers, from: number, to: number): ClipVisionOutput => {
  const width = shape[1]!;
  const imageEmbeds = {
    shape: [to - from, width],
    data: Float32Array.from(data.slice(from * width, to * width)),
  };
  return { imageEmbeds, lastHiddenState: imageEmbeds, penultimateHiddenState: undefined };
};

test('unCLIP models take one image embedding, several and none', SLOW, async () => {
  const { unclip } = expected;
  const model = await loadNetwork(host, 'unclip');
  const x = tensor(unclip.x);
  const plain = [{ tensor: tensor(unclip.text), options: {} }];
  const withImage = async (
    conditioning: Conditioning,
    output: ClipVisionOutput,
    strength: number,
    noise: number,
  ) =>
    (
      await run<Conditioning>('unCLIPConditioning', {
        conditioning,
        clip_vision_output: output,
        strength,
        noise_augmentation: noise,
      })
    )[0]!;
  const first = embedding(unclip.embeds, 0, 1);
  const single = promptFor(model, await withImage(plain, first, 1, 0.3), x.shape, unclip.seed);
  expectNear(single.classLabels, unclip.one);
  const several = await withImage(
    await withImage(plain, first, 0.7, 0.3),
    embedding(unclip.embeds, 1, 3),
    -0.4,
    0.1,
  );
  expectNear(promptFor(model, several, x.shape, unclip.seed).classLabels, unclip.merged);
  const none = promptFor(model, plain, x.shape, unclip.seed);
  const outputs = await model.network.predict(x, unclip.timestep, [single, plain[0]!, none], never);
  expectNear(outputs[0], unclip.told);
  expectNear(outputs[1], unclip.plain);
  expectNear(outputs[2], unclip.plain);
  expect(await withImage(plain, first, 0, 0.3)).toBe(plain);
  const wide = await withImage(plain, embedding({ shape: [1, 20], data: new Array(20).fill(1) }, 0, 1), 1, 0);
  expect(() => promptFor(model, wide, x.shape, 1)).toThrow('CLIP_VISION of the same checkpoint');
  const withoutEmbeds = await withImage(plain, { ...first, imageEmbeds: undefined }, 1, 0);
  expect(() => promptFor(model, withoutEmbeds, x.shape, 1)).toThrow('CLIPVisionModelWithProjection');
});

test('the x4 upscaler takes the low-resolution image with and without noise', SLOW, async () => {
  const { upscaler } = expected;
  const model = await loadNetwork(host, 'upscaler');
  const { text, x, seed, amount, timestep } = upscaler;
  for (const noise of [amount, 0]) {
    const values = { images: tensor(upscaler.picture), scale_ratio: 4, noise_augmentation: noise };
    const conditioning = [{ tensor: tensor(text), options: {} }];
    const [positive, , latent] = (await run('SD_4XUpscale_Conditioning', {
      ...values,
      positive: conditioning,
      negative: conditioning,
    })) as [Conditioning, Conditioning, { samples: FloatTensor }];
    expect(latent.samples.shape).toEqual(x.shape);
    const prompt = promptFor(model, positive, x.shape, seed);
    if (noise > 0) expectNear(prompt.concat, upscaler.noised);
    const outputs = await model.network.predict(tensor(x), timestep, [prompt], never);
    expectNear(outputs[0], noise > 0 ? upscaler.told : upscaler.plain);
  }
});

test('Flux Kontext takes a reference latent', SLOW, async () => {
  const { kontext } = expected;
  await host.files.write(
    'models/diffusion_models/kontext/vae/config.json',
    new TextEncoder().encode('{"latent_channels": 16, "scaling_factor": 0.5, "shift_factor": 0.25}'),
  );
  const model = await loadNetwork(host, 'kontext');
  const { shape, data } = tensor(kontext.reference);
  const latent = { samples: { shape, data: data.map((value) => value / 0.5 + 0.25) } };
  const plain = [{ tensor: tensor(kontext.text), options: { pooled: tensor(kontext.pooled) } }];
  const [conditioning] = await run<Conditioning>('ReferenceLatent', { conditioning: plain, latent });
  const [placed] = await run<Conditioning>('FluxKontextMultiReferenceLatentMethod', {
    conditioning: conditioning!,
    reference_latents_method: 'index',
  });
  const x = tensor(kontext.x);
  // A single reference latent has the same position with both methods.
  for (const withReference of [conditioning!, placed!]) {
    const prompt = promptFor(model, withReference, x.shape, 0);
    const [first, second] = await model.network.predict(x, kontext.timestep, [prompt, prompt], never);
    expectNear(first, kontext.told);
    expectNear(second, kontext.told);
  }
  expect((await run('ReferenceLatent', { conditioning: plain }))[0]).toBe(plain);
  const small = await run<Conditioning>('ReferenceLatent', {
    conditioning: plain,
    latent: { samples: zeros([1, 4, 2, 2]) },
  });
  expect(() => promptFor(model, small[0]!, x.shape, 0)).toThrow("model's own VAE");
});

test('a GLIGEN network takes boxes and the weights of another UNet', SLOW, async () => {
  const { gligen } = expected;
  const boxes = await loadGligenModel(host, 'gligen');
  const [first, second] = [0, 6].map((at) => ({
    shape: [1, 6],
    data: Float32Array.from(gligen.summaries.data.slice(at, at + 6)),
  }));
  const withBox = async (conditioning: Conditioning, pooled: FloatTensor | undefined, place: object) =>
    (
      await run<Conditioning>('GLIGENTextBoxApply', {
        conditioning_to: conditioning,
        clip: { encode: async () => ({ pooled }) },
        gligen_textbox_model: boxes,
        text: 'a cat',
        ...place,
      })
    )[0]!;
  const plain: Conditioning = [{ tensor: tensor(gligen.text), options: {} }];
  const withFirst = await withBox(plain, first, { x: 8, y: 0, width: 16, height: 16 });
  const conditioning = await withBox(withFirst, second, { x: 0, y: 8, width: 48, height: 24 });
  const x = tensor(gligen.x);
  const ownNetwork = (await loadNetwork(host, 'gligen')).network;
  expectNear((await ownNetwork.predict(x, gligen.timestep, conditioning, never))[0], gligen.plain);
  const model = await loadNetwork(host, 'unclip');
  const network = await boxes.networkFor(model.network, never);
  const outputs = await network.predict(x, gligen.timestep, [conditioning[0]!, plain[0]!], never);
  expectNear(outputs[0], gligen.told);
  expectNear(outputs[1], gligen.none);
  // Guided models pass the boxes of the positive prompt to the negative one.
  const negative = [{ tensor: full([1, 3, 6], 0.5), options: {} }];
  const sigma = model.sampling.sigmaOf(gligen.timestep);
  const guided = cfgGuider(model, conditioning, negative, 3).open(x.shape, never);
  const both = [conditioning[0]!, { ...negative[0]!, options: conditioning[0]!.options }];
  const guidedOutputs = await network.predict(model.sampling.input(sigma, x), gligen.timestep, both, never);
  const [cond, uncond] = guidedOutputs.map((output) => model.sampling.denoised(sigma, output, x));
  const { shape, data } = combine([3, cond!], [-2, uncond!]);
  expectNear(await guided.denoise(x, sigma), { shape: [...shape], data: [...data] }, 1e-4);
  await expect(withBox(plain, undefined, { x: 0, y: 0, width: 8, height: 8 })).rejects.toThrow(
    'pooler_output',
  );
  const wide = await withBox(plain, zeros([1, 7]), { x: 0, y: 0, width: 8, height: 8 });
  await expect(network.predict(x, 1, wide, never)).rejects.toThrow('CLIP of Stable Diffusion 1');
  let many = plain;
  for (let i = 0; i < 31; i++) many = await withBox(many, first, { x: 0, y: 0, width: 8, height: 8 });
  await expect(network.predict(x, 1, many, never)).rejects.toThrow('30 boxes at most');
  const other = (await loadNetwork(host, 'kontext')).network;
  await expect(boxes.networkFor(other, never)).rejects.toThrow('no weights in common');
});

test('rejects files that are not GLIGEN models', SLOW, async () => {
  await host.files.write('models/gligen/unet.onnx', await readFile(new URL('unclip/model.onnx', FOLDER)));
  await host.files.write('models/gligen/sd14.safetensors', new Uint8Array(8));
  await expect(loadGligenModel(host, 'unet.onnx')).rejects.toThrow('takes no boxes');
  await expect(loadGligenModel(host, 'sd14.safetensors')).rejects.toThrow('too short for a safetensors file');
  expect(await listedModels(new StoredFiles(host), 'gligen')).toEqual([
    'gligen',
    'sd14.safetensors',
    'unet.onnx',
  ]);
});
