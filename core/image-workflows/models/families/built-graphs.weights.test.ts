/**
 * Networks whose graphs are built here, compared with those that diffusers and transformers compute with the same
 * weights (test/diffusers). The weights are those of the exported graphs, read where they lie.
 */
import { readFile } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { writeExported } from '#test/support/model-files/exported-model.ts';
import { expectNear, type Numbers, tensor } from '#test/support/model-files/exported-numbers.ts';
import { builtOver, exportedWeights } from '#test/support/model-files/exported-weights.ts';
import { imageRaster, rasterToPlanes } from '../../images/rasters.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { toFloatTensor } from '../graphs/session-tensors.ts';
import { onnxNetwork } from '../networks/onnx-network.ts';
import { unetFeeds, unetLayout } from '../networks/unet-layout.ts';
import { vaeModel } from '../vae/vae-model.ts';
import { decoderGraph, encoderGraph } from './autoencoders/autoencoder-graph.ts';
import { controlNetGraph } from './control-nets/control-net-graph.ts';
import { clipTextGraph } from './text-encoders/clip-text-graph.ts';
import { unetGraph } from './unet/unet-graph.ts';

const SLOW = { timeout: 120_000 };
const never = new AbortController().signal;
const host = await weightsHost();
let expected: {
  unet: { x: Numbers; text: Numbers; timestep: number; plain: Numbers; image: Numbers; controlled: Numbers };
  clip: { tokens: number[]; last: Numbers; pooled: Numbers; second: Numbers };
  vae: { pixels: Numbers; mean: Numbers; latent: Numbers; decoded: Numbers };
};

beforeAll(async () => {
  for (const name of ['unet', 'controlnet', 'text_encoder', 'vae/vae_encoder', 'vae/vae_decoder'])
    await writeExported(host.files, name, `m/${name}`);
  const path = new URL('../../../../test/diffusers/expected.json', import.meta.url);
  expected = JSON.parse(await readFile(path, 'utf8'));
});

test('a UNet, alone and with a control net', SLOW, async () => {
  const weights = await exportedWeights(host, 'm/unet');
  const graph = builtOver(host, 'm/unet', () => unetGraph(weights, { heads: 2, normGroups: 2 }));
  const network = onnxNetwork(
    graph,
    unetLayout(() => []),
  );
  const { x, text, timestep, plain, image, controlled } = expected.unet;
  const prompt = { tensor: tensor(text), options: {} };
  const other = {
    tensor: { ...prompt.tensor, data: prompt.tensor.data.map((value) => -value) },
    options: {},
  };
  const [first, second] = await network.predict(tensor(x), timestep, [prompt, other], never);
  expectNear(first, plain);
  expect(second!.data).not.toEqual(first!.data);

  const controlWeights = await exportedWeights(host, 'm/controlnet');
  const session = await builtOver(host, 'm/controlnet', () =>
    controlNetGraph(controlWeights, { heads: 2, normGroups: 2 }),
  ).session(never);
  const hint = rasterToPlanes(imageRaster(tensor(image)));
  const residuals = await session.run(
    {
      ...unetFeeds(session, tensor(x), timestep, [prompt], 1),
      controlnet_cond: { type: 'float32', ...hint },
    },
    never,
  );
  const control = session.outputs.map(({ name }) => {
    const { shape, data } = toFloatTensor(residuals[name]!);
    return { shape, data: data.map((value) => value * 0.7) };
  });
  const [changed] = await network.predict(tensor(x), timestep, [{ ...prompt, control }], never);
  expectNear(changed, controlled);
});

test('an autoencoder', SLOW, async () => {
  const [encoding, decoding] = [
    await exportedWeights(host, 'm/vae/vae_encoder'),
    await exportedWeights(host, 'm/vae/vae_decoder'),
  ];
  const vae = vaeModel({
    encoder: builtOver(host, 'm/vae/vae_encoder', () => encoderGraph(encoding, 2)),
    decoder: builtOver(host, 'm/vae/vae_decoder', () => decoderGraph(decoding, 2)),
    latentChannels: 4,
    scale: 2,
    config: {},
  });
  expectNear(await vae.encode(tensor(expected.vae.pixels), never), expected.vae.mean);
  expectNear(await vae.decode(tensor(expected.vae.latent), never), expected.vae.decoded);
});

test('a text encoder', SLOW, async () => {
  const weights = await exportedWeights(host, 'm/text_encoder', 'text_model.');
  const graph = builtOver(host, 'm/text_encoder', () =>
    clipTextGraph(weights, { headWidth: 4, activation: 'quick_gelu' }),
  );
  const session = await graph.session(never);
  const { tokens, last, pooled } = expected.clip;
  const ids = BigInt64Array.from(tokens.flat(), BigInt);
  const outputs = await session.run(
    { input_ids: { type: 'int64', shape: [1, ids.length], data: ids } },
    never,
    ['last_hidden_state', 'pooler_output'],
  );
  expectNear(outputs.last_hidden_state as FloatTensor, last);
  expectNear(outputs.pooler_output as FloatTensor, pooled);
});
