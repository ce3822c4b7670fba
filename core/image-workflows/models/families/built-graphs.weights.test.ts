/**
 * Networks whose graphs are built here, compared with those that diffusers and transformers compute with the same
 * weights (test/diffusers). The weights are those of the exported graphs, read where they lie.
 */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { StoredTensor } from '#core/tensors';
import { onnxHost } from '#test/support/host/onnx-host.ts';
import type { TestHost } from '#test/support/host/test-host.ts';
import { writeExported } from '#test/support/model-files/exported-model.ts';
import { expectNear, type Numbers, tensor } from '#test/support/model-files/exported-numbers.ts';
import type { ModelGraph } from '../../values/model-graph.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { graphsOf } from '../graphs/graph-registry.ts';
import { networkParameters } from '../graphs/network-parameters.ts';
import { onnxNetwork } from '../networks/onnx-network.ts';
import { unetLayout } from '../networks/unet-layout.ts';
import { vaeModel } from '../vae/vae-model.ts';
import type { WeightTable } from '../weight-files/weight-table.ts';
import { decoderGraph, encoderGraph } from './autoencoder-graph.ts';
import { clipTextGraph } from './clip-text-graph.ts';
import { unetGraph } from './unet-graph.ts';

const SLOW = { timeout: 120_000 };
const never = new AbortController().signal;
let host: TestHost;
let remove: () => Promise<void>;
let expected: {
  unet: { x: Numbers; text: Numbers; timestep: number; plain: Numbers };
  clip: { tokens: number[]; last: Numbers; pooled: Numbers; second: Numbers };
  vae: { pixels: Numbers; mean: Numbers; latent: Numbers; decoded: Numbers };
};

beforeAll(async () => {
  ({ host, remove } = await onnxHost());
  for (const name of ['unet', 'text_encoder', 'vae/vae_encoder', 'vae/vae_decoder'])
    await writeExported(host.files, name, `m/${name}`);
  const path = new URL('../../../../test/diffusers/expected.json', import.meta.url);
  expected = JSON.parse(await readFile(path, 'utf8'));
});
afterAll(async () => {
  await graphsOf(host).unload();
  await remove();
});

/** The parameters of an exported graph, in its file. */
async function exportedWeights(folder: string, prefix = ''): Promise<WeightTable> {
  const outline = await graphsOf(host).at(folder).source.outline();
  const weights = new Map<string, StoredTensor>();
  for (const [name, { initializer, isTransposed }] of networkParameters(outline)) {
    const { location, type, shape } = initializer;
    const { start, end } = location!;
    weights.set(prefix + name, {
      file: 'model.onnx',
      type,
      // Exporters store the parameters of group norms as [channels, 1, 1].
      shape: /norm/.test(name) ? shape.filter((side) => side > 1) : shape,
      start,
      end,
      ...(isTransposed && { isTransposed }),
    });
  }
  return weights;
}

/** A graph over the data of an exported one. */
function built(folder: string, build: () => Uint8Array<ArrayBuffer>): ModelGraph {
  return graphsOf(host).built(`${folder}/model.onnx/built`, async () => {
    const bytes = build();
    const path = `${folder}/model.onnx`;
    const { size } = (await host.files.stat(path))!;
    return [
      { role: 'weights', name: 'built.onnx', size: bytes.length, bytes },
      { role: 'part', name: 'model.onnx', size, path, used: size },
    ];
  });
}

test('a UNet', SLOW, async () => {
  const weights = await exportedWeights('m/unet');
  const graph = built('m/unet', () => unetGraph(weights, { heads: 2, normGroups: 2 }));
  const network = onnxNetwork(
    graph,
    unetLayout(() => []),
  );
  const { x, text, timestep, plain } = expected.unet;
  const prompt = { tensor: tensor(text), options: {} };
  const other = {
    tensor: { ...prompt.tensor, data: prompt.tensor.data.map((value) => -value) },
    options: {},
  };
  const [first, second] = await network.predict(tensor(x), timestep, [prompt, other], never);
  expectNear(first, plain);
  expect(second!.data).not.toEqual(first!.data);
});

test('an autoencoder', SLOW, async () => {
  const [encoding, decoding] = [
    await exportedWeights('m/vae/vae_encoder'),
    await exportedWeights('m/vae/vae_decoder'),
  ];
  const vae = vaeModel({
    encoder: built('m/vae/vae_encoder', () => encoderGraph(encoding, 2)),
    decoder: built('m/vae/vae_decoder', () => decoderGraph(decoding, 2)),
    latentChannels: 4,
    scale: 2,
    config: {},
  });
  expectNear(await vae.encode(tensor(expected.vae.pixels), never), expected.vae.mean);
  expectNear(await vae.decode(tensor(expected.vae.latent), never), expected.vae.decoded);
});

test('a text encoder', SLOW, async () => {
  const weights = await exportedWeights('m/text_encoder', 'text_model.');
  const graph = built('m/text_encoder', () =>
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
