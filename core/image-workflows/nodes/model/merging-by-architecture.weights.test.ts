import { expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { answeredWeights } from '#test/support/model-files/answered-weights.ts';
import { writeWeights } from '#test/support/model-files/weight-files.ts';
import { loadNetwork } from '../../models/checkpoints/standalone-parts.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import { architectureMergingNodes } from './merging-by-architecture.ts';

const { signal } = new AbortController();
const host = await weightsHost();

/** Merges the weights with their doubles: 1 at these blocks, 0 elsewhere. */
async function merge(name: string, answered: string, ones: readonly string[]): Promise<DiffusionModel> {
  const { weights } = await answeredWeights(answered);
  const doubled = Object.entries(weights).map(
    ([key, { shape, data }]) => [key, { shape, data: data.map((value) => 2 * value) }] as const,
  );
  await writeWeights(host.files, 'models/diffusion_models/one.safetensors', weights);
  await writeWeights(host.files, 'models/diffusion_models/two.safetensors', Object.fromEntries(doubled));
  const node = architectureMergingNodes.find((each) => each.name === name)!;
  const ratios = Object.keys(node.inputs).filter((input) => !input.startsWith('model'));
  const values = {
    model1: await loadNetwork(host, 'one.safetensors'),
    model2: await loadNetwork(host, 'two.safetensors'),
    ...Object.fromEntries(ratios.map((ratio) => [ratio, ones.includes(ratio) ? 1 : 0])),
  };
  const [model] = (await node.run(values as never, { signal } as never)) as readonly unknown[];
  return model as DiffusionModel;
}

test('blocks of Cosmos 1 by the names of its files', async () => {
  const { weights } = await answeredWeights('videos/cosmos1');
  const { network } = await merge('ModelMergeCosmos7B', 'videos/cosmos1', [
    'blocks.block1.',
    'affline_norm.',
  ]);
  const factor = async (name: string, original: string) =>
    (await network.graph!.numbers(name, signal))[3]! / weights[original]!.data[3]!;
  const query = 'blocks.0.block.attn.to_q.0.weight';
  expect(await factor('blocks.0.self_attn.q_proj.weight', `blocks.block0.${query}`)).toBeCloseTo(2);
  expect(await factor('blocks.1.self_attn.q_proj.weight', `blocks.block1.${query}`)).toBeCloseTo(1);
  expect(await factor('t_embedding_norm.weight', 'affline_norm.weight')).toBeCloseTo(1);
});

test('blocks of Mochi', async () => {
  const { weights } = await answeredWeights('videos/mochi');
  const { network } = await merge('ModelMergeMochiPreview', 'videos/mochi', ['blocks.1.', 't5_yproj.']);
  const factor = async (name: string) =>
    (await network.graph!.numbers(name, signal))[3]! / weights[name]!.data[3]!;
  expect(await factor('blocks.0.attn.qkv_x.weight')).toBeCloseTo(2);
  expect(await factor('blocks.1.attn.qkv_x.weight')).toBeCloseTo(1);
  expect(await factor('t5_yproj.weight')).toBeCloseTo(1);
});
