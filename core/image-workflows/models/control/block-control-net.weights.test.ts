/** Control nets of DiffSynth in Qwen-Image, compared with diffusers (test/diffusers/scripts/block_control.py). */
import { beforeAll, expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { type AnsweredWeights, answeredWeights } from '#test/support/model-files/answered-weights.ts';
import { expectNear } from '#test/support/model-files/exported-numbers.ts';
import { ggufWith } from '#test/support/model-files/gguf-weights.ts';
import { writeWeights } from '#test/support/model-files/weight-files.ts';
import { encodeSafetensors } from '../../nodes/latent/safetensors.ts';
import type { BlockControlHint, BlockControlNet } from '../../values/block-control.ts';
import type { VaeModel } from '../../values/image-models.ts';
import type { DiffusionNetwork } from '../../values/network.ts';
import { type FloatTensor, full, zeros } from '../../values/tensor.ts';
import { readAdapter } from '../adapters/read-adapter.ts';
import { loadNetwork } from '../checkpoints/standalone-parts.ts';
import { openModelPatch } from './open-model-patch.ts';

const SLOW = { timeout: 120_000 };
/** Sinusoids of timesteps near 1000 differ in their last digits. */
const TIME_ROUNDING = 1e-4;
const never = new AbortController().signal;
const host = await weightsHost('here');
let answered: AnsweredWeights;
let base: Record<string, FloatTensor>;
let encodings = 0;

beforeAll(async () => {
  answered = await answeredWeights('block_control');
  const parts: Record<string, Record<string, FloatTensor>> = { edges: {}, repaint: {}, base: {} };
  for (const [name, tensor] of Object.entries(answered.weights)) {
    const [, part = 'base', rest = name] = /^(edges|repaint)\.(.+)$/.exec(name) ?? [];
    parts[part]![rest] = tensor;
  }
  base = parts.base!;
  await writeWeights(host.files, 'models/diffusion_models/qwen.safetensors', base);
  for (const part of ['edges', 'repaint'])
    await writeWeights(host.files, `models/model_patches/${part}.safetensors`, parts[part]!);
});

/** Its encoding is the hint of the answers, whatever the image. */
const vae = {
  scale: 8,
  async encode({ shape }: FloatTensor) {
    encodings++;
    expect(shape).toEqual([1, 32, 64, 3]);
    return answered.inputs.hint!;
  },
} as Partial<VaeModel> as VaeModel;

const open = async (): Promise<DiffusionNetwork> => (await loadNetwork(host, 'qwen.safetensors')).network;
async function followed(
  network: DiffusionNetwork,
  name: string,
  hint: Partial<BlockControlHint> = {},
): Promise<DiffusionNetwork> {
  const patch = (await openModelPatch(host, `${name}.safetensors`)) as BlockControlNet;
  return patch.control(network, { vae, image: zeros([1, 30, 60, 3]), strength: 1, ...hint }, never);
}
const predict = (network: DiffusionNetwork, ...latents: FloatTensor[]) =>
  network.predict(
    answered.inputs.x!,
    0.75,
    Array.from({ length: 2 }, () => ({
      tensor: answered.inputs.text!,
      options: {},
      ...(latents.length > 0 && { references: { latents, placement: 'index' as const } }),
    })),
    never,
  );
/** 1 in the right half. */
const rightHalf = (): FloatTensor => {
  const mask = zeros([1, 8, 16]);
  mask.data.forEach((_, at) => {
    mask.data[at] = +(at % 16 >= 8);
  });
  return mask;
};

test('an image to follow, with and without a mask', SLOW, async () => {
  const { answers } = answered;
  const network = await open();
  expectNear((await predict(network))[0]!, answers.plain!, TIME_ROUNDING);
  encodings = 0;
  const edges = await followed(network, 'edges', { strength: 0.5 });
  for (let run = 0; run < 2; run++)
    for (const result of await predict(edges)) expectNear(result, answers.edges!, TIME_ROUNDING);
  // The size of the latents stays.
  expect(encodings).toBe(1);
  const repaint = await followed(network, 'repaint', { mask: rightHalf() });
  expectNear((await predict(repaint))[0]!, answers.repainted!, TIME_ROUNDING);
  expectNear((await predict(await followed(network, 'repaint')))[0]!, answers['no mask']!, TIME_ROUNDING);
});

test('two nets, and a reference whose tokens follow', SLOW, async () => {
  const first = await followed(await open(), 'edges', { strength: 0.5 });
  const both = await followed(first, 'repaint', { mask: rightHalf() });
  const [result] = await predict(both, answered.inputs.reference!);
  expectNear(result!, answered.answers['both, with a reference']!, TIME_ROUNDING);
});

test('adapters count before and after the net', SLOW, async () => {
  const factors = {
    'transformer.transformer_blocks.0.attn.to_q.lora_A.weight': full([2, 64], 0.1),
    'transformer.transformer_blocks.0.attn.to_q.lora_B.weight': full([64, 2], 0.2),
  };
  await host.files.write('models/loras/small.safetensors', encodeSafetensors(factors, {}));
  const adapter = await readAdapter(host, 'small.safetensors');
  const before = await followed(await (await open()).withAdapter!(adapter, 1), 'edges');
  const after = await (await followed(await open(), 'edges')).withAdapter!(adapter, 1);
  const [[first], [second], [plain]] = [
    await predict(before),
    await predict(after),
    await predict(await followed(await open(), 'edges')),
  ];
  expectNear(second!, { shape: [...first!.shape], data: [...first!.data] }, 1e-5);
  expect(first!.data).not.toEqual(plain!.data);
});

test('a network whose weights are stored in blocks', SLOW, async () => {
  const types = (_: string, shape: readonly number[]) =>
    shape.length === 2 && shape[1]! % 32 === 0 ? 'Q8_0' : undefined;
  const architecture = { 'general.architecture': { type: 'string' as const, value: 'qwen_image' } };
  const file = ggufWith(base, types, architecture);
  await host.files.write('models/diffusion_models/blocks.gguf', file.bytes);
  await writeWeights(host.files, 'models/diffusion_models/floats.safetensors', file.weights);
  const [blocks, floats] = await Promise.all(
    ['blocks.gguf', 'floats.safetensors'].map(async (name) =>
      predict(await followed((await loadNetwork(host, name)).network, 'edges')),
    ),
  );
  expectNear(blocks![0]!, { shape: [1, 4, 4, 8], data: [...floats![0]!.data] }, 1e-5);
});

test('an autoencoder of more channels is refused', SLOW, async () => {
  const other = { scale: 8, encode: async () => zeros([1, 16, 4, 8]) } as Partial<VaeModel> as VaeModel;
  await expect(predict(await followed(await open(), 'edges', { vae: other }))).rejects.toThrow(
    'takes latents of 4 channels, and the autoencoder gives 16',
  );
});

test('other networks and other patches are refused', SLOW, async () => {
  const other = { 'img_in.weight': zeros([4, 4]) };
  await writeWeights(host.files, 'models/model_patches/other.safetensors', other);
  await expect(openModelPatch(host, 'other.safetensors')).rejects.toThrow(
    'other.safetensors is neither the style projector of USO nor a control net of DiffSynth',
  );
  const { weights } = await answeredWeights('z_image');
  await writeWeights(host.files, 'models/diffusion_models/z.safetensors', weights);
  const { network } = await loadNetwork(host, 'z.safetensors');
  await expect(followed(network, 'edges')).rejects.toThrow(
    'edges.safetensors is a control net of Qwen-Image, which needs a checkpoint as a file of weights: this model is another one',
  );
});
