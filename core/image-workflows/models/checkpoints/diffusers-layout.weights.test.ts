/** Exported graphs, compared with the results of diffusers and transformers (test/diffusers). */

import { readdir, readFile } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { expectNear, type Numbers, tensor } from '#test/support/model-files/exported-numbers.ts';
import { nodeTypes } from '../../nodes/index.ts';
import type { NodeContext } from '../../nodes/kernel/node-context.ts';
import { schedule } from '../../sampling/schedules/schedulers.ts';
import type { Latent } from '../../values/latent.ts';
import type { NetworkPrompt } from '../../values/network.ts';
import { zeros } from '../../values/tensor.ts';
import { applyAdapter } from '../adapters/apply-adapter.ts';
import { readAdapter } from '../adapters/read-adapter.ts';
import { loadControlNet } from '../control/control-net.ts';
import { embeddingFiles } from '../encoders/embedding-files.ts';
import { textGraph } from '../encoders/text-graph.ts';
import { graphsOf } from '../graphs/graph-registry.ts';
import { loadNetwork, loadVae } from './standalone-parts.ts';

interface NetworkAnswer {
  x: Numbers;
  text: Numbers;
  pooled?: Numbers;
  timestep: number;
  plain: Numbers;
}
interface Sampled {
  seed: number;
  steps: number;
  sigmas: Numbers;
  latents: Numbers;
}
interface Answers {
  strength: number;
  unet: NetworkAnswer & { image: Numbers; controlled: Numbers; adapted: Numbers };
  clip: {
    tokens: number[];
    last: Numbers;
    pooled: Numbers;
    second: Numbers;
    third: Numbers;
    learned: { last: Numbers; pooled: Numbers };
    adapted: Numbers;
  };
  sd3: NetworkAnswer & { adapted: Numbers };
  flux: NetworkAnswer;
  sdxl: NetworkAnswer;
  vae: { pixels: Numbers; mean: Numbers; latent: Numbers; decoded: Numbers };
}

const FOLDER = new URL('../../../../test/diffusers/', import.meta.url);
const SLOW = { timeout: 120_000 };
const never = new AbortController().signal;
const host = await weightsHost('here');
let answers: Answers;

beforeAll(async () => {
  const copy = async (from: string, to: string) =>
    host.files.write(`models/${to}`, await readFile(new URL(from, FOLDER)));
  const folders = {
    unet: 'diffusion_models',
    sdxl: 'diffusion_models',
    sd3: 'diffusion_models',
    flux: 'diffusion_models',
    controlnet: 'controlnet',
    text_encoder: 'text_encoders',
    'vae/vae_encoder': 'vae',
    'vae/vae_decoder': 'vae',
  };
  for (const [name, kind] of Object.entries(folders))
    for (const file of await readdir(new URL(`${name}/`, FOLDER)))
      await copy(`${name}/${file}`, `${kind}/${name}/${file}`);
  for (const name of ['unet', 'sd3', 'text_encoder'])
    await copy(`${name}.safetensors`, `loras/${name}.safetensors`);
  await copy('style.safetensors', 'embeddings/style.safetensors');
  answers = JSON.parse(await readFile(new URL('expected.json', FOLDER), 'utf8')) as Answers;
});

const promptOf = ({ text, pooled }: NetworkAnswer): NetworkPrompt => ({
  tensor: tensor(text),
  options: { guidance: 3.5, ...(pooled && { pooled: tensor(pooled) }) },
});

test('a UNet alone, with a control net, and with an adapter for all layers', SLOW, async () => {
  const { network } = await loadNetwork(host, 'unet');
  const { unet, strength } = answers;
  const [x, prompt] = [tensor(unet.x), promptOf(unet)];
  expectNear((await network.predict(x, unet.timestep, [prompt], never))[0], unet.plain);
  const net = await loadControlNet(host, 'controlnet');
  const [added] = await net.residuals(x, unet.timestep, [prompt], tensor(unet.image), never);
  const control = added!.map(({ shape, data }) => ({ shape, data: data.map((value) => value * 0.7) }));
  expectNear((await network.predict(x, unet.timestep, [{ ...prompt, control }], never))[0], unet.controlled);
  const adapted = await network.withAdapter!(await readAdapter(host, 'unet.safetensors'), strength);
  expectNear((await adapted.predict(x, unet.timestep, [prompt], never))[0], unet.adapted);
});

test('a text encoder at three layers, with learned embeddings, and with an adapter', SLOW, async () => {
  const { clip, strength } = answers;
  const graph = graphsOf(host).at('models/text_encoders/text_encoder');
  const at = (layer: number, encoder = graph) =>
    textGraph({
      name: 'l',
      graph: encoder,
      tokenizer: { tokens: () => [], start: 5, end: 6, pad: 6 },
      length: 12,
      isChunked: true,
      layer,
      rawLayers: false,
    });
  const last = await at(-1).encode(clip.tokens, never);
  expectNear(last.tensor, clip.last);
  expectNear(last.pooled, clip.pooled);
  expectNear((await at(-2).encode(clip.tokens, never)).tensor, clip.second);
  expectNear((await at(-3).encode(clip.tokens, never)).tensor, clip.third);
  const learned = (await embeddingFiles(host).vectors('style', 'l', async () => 8))!;
  const mixed = await at(-1).encode([5, 1, ...learned, 2, ...new Array(7).fill(6)], never);
  expectNear(mixed.tensor, clip.learned.last);
  expectNear(mixed.pooled, clip.learned.pooled);
  const adapted = await applyAdapter(graph, await readAdapter(host, 'text_encoder.safetensors'), 0, strength);
  expectNear((await at(-1, adapted).encode(clip.tokens, never)).tensor, clip.adapted);
});

test('the transformers of Stable Diffusion 3 and Flux, the former also with an adapter', SLOW, async () => {
  const { sd3, flux, strength } = answers;
  const { network } = await loadNetwork(host, 'sd3');
  const [x, prompt] = [tensor(sd3.x), promptOf(sd3)];
  expectNear((await network.predict(x, sd3.timestep, [prompt], never))[0], sd3.plain);
  const adapted = await network.withAdapter!(await readAdapter(host, 'sd3.safetensors'), strength);
  expectNear((await adapted.predict(x, sd3.timestep, [prompt], never))[0], sd3.adapted);
  const other = (await loadNetwork(host, 'flux')).network;
  const [output] = await other.predict(tensor(flux.x), flux.timestep, [promptOf(flux)], never);
  expectNear(output, flux.plain);
});

test.each([
  ['sd3', 'normal', {}],
  [
    'flux',
    'simple',
    { _class_name: 'FlowMatchEulerDiscreteScheduler', use_dynamic_shifting: true, max_shift: 1.15 },
  ],
] as const)('%s: sampling from a seed through all steps', SLOW, async (name, scheduler, config) => {
  const sampled = JSON.parse(await readFile(new URL('sampled.json', FOLDER), 'utf8')) as {
    sd3: Sampled & { cfg: number };
    flux: Sampled & { guidance: number };
  };
  if (name === 'flux')
    await host.files.write(
      'models/diffusion_models/flux/scheduler_config.json',
      new TextEncoder().encode(JSON.stringify(config)),
    );
  const { steps, seed, sigmas, latents } = sampled[name];
  const model = await loadNetwork(host, name);
  expectNear({ shape: [steps + 1], data: schedule(scheduler, model.sampling, steps) }, sigmas, 1e-4);
  const prompt = promptOf(answers[name]);
  const silent = { shape: prompt.tensor.shape, data: prompt.tensor.data.map(() => 0) };
  const pooled = tensor(answers[name].pooled!);
  const negative = { tensor: silent, options: { pooled: { ...pooled, data: pooled.data.map(() => 0) } } };
  const sampler = nodeTypes.find((node) => node.name === 'KSampler')!;
  const context = { signal: never, progress: async () => {} } as unknown as NodeContext;
  const values = {
    model,
    seed: BigInt(seed),
    steps,
    cfg: name === 'sd3' ? sampled.sd3.cfg : 1,
    sampler_name: 'euler',
    scheduler,
    positive: [prompt],
    negative: [negative],
    latent_image: { samples: zeros([1, 16, 4, 6]) },
    denoise: 1,
  };
  const [latent] = (await sampler.run(values, context)) as unknown as [Latent];
  expectNear(latent.samples, latents, 1e-4);
});

test('a UNet with the inputs for sizes, pooled embedding and guidance scale', SLOW, async () => {
  const { sdxl } = answers;
  const { network } = await loadNetwork(host, 'sdxl');
  const { tensor: text, options } = promptOf(sdxl);
  const sizes = { height: 32, width: 48, cropTop: 1, cropLeft: 2, targetHeight: 64, targetWidth: 96 };
  // The network's input is the scale minus 1, as in consistency models.
  const prompt = { tensor: text, options: { ...options, sizes, guidance: 7.5 } };
  expectNear((await network.predict(tensor(sdxl.x), sdxl.timestep, [prompt], never))[0], sdxl.plain);
});

test('an autoencoder', SLOW, async () => {
  const { vae } = answers;
  const model = await loadVae(host, 'vae');
  expect(model.scale).toBe(2);
  expectNear(await model.encode(tensor(vae.pixels), never), vae.mean);
  expectNear(await model.decode(tensor(vae.latent), never), vae.decoded);
});
