/** Ovis-Image and LongCat-Image compared with diffusers (test/diffusers/scripts/flux_files.py). */
import { expect, test } from 'vitest';
import { encodeSafetensors } from '#core/image-workflows/nodes/latent/safetensors.ts';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { answeredWeights } from '#test/support/model-files/answered-weights.ts';
import { expectNear, largestDifference } from '#test/support/model-files/exported-numbers.ts';
import { writeWeights } from '#test/support/model-files/weight-files.ts';
import type { FloatTensor } from '../../../values/tensor.ts';
import { readAdapter } from '../../adapters/read-adapter.ts';
import { loadNetwork } from '../../checkpoints/standalone-parts.ts';
import { diffusersModules, type OriginalLayout } from '../../graphs/original-transformer-names.ts';

type Weights = Record<string, FloatTensor>;

const SLOW = { timeout: 120_000 };
/** Sinusoids of timesteps near 1000 differ in their last digits. */
const TIME_ROUNDING = 1e-4;
const never = new AbortController().signal;
const host = await weightsHost();

/** A network with the larger gates of the script. */
async function answered(name: string) {
  const found = await answeredWeights(`variants/${name}`);
  const weights: Weights = Object.fromEntries(
    Object.entries(found.weights).map(([key, { shape, data }]) => [
      key,
      { shape, data: key.includes('mod') ? data.map((value) => value * 20) : data },
    ]),
  );
  return { ...found, weights };
}

async function open(weights: Weights) {
  await writeWeights(host.files, 'models/diffusion_models/net.safetensors', weights);
  return loadNetwork(host, 'net.safetensors');
}

const rows = (
  { shape: [total = 1, ...rest], data }: FloatTensor,
  start: number,
  end: number,
): FloatTensor => ({
  shape: [end - start, ...rest],
  data: data.slice((start / total) * data.length, (end / total) * data.length),
});

const joined = (first: FloatTensor, second: FloatTensor): FloatTensor => ({
  shape: [first.shape[0]! + second.shape[0]!, ...first.shape.slice(1)],
  data: Float32Array.from([...first.data, ...second.data]),
});

/** The weights under the names that diffusers has for them. */
function inDiffusers(layout: OriginalLayout, weights: Weights, time: string): Weights {
  const found: Weights = {};
  for (const [name, tensor] of Object.entries(weights)) {
    const dot = name.lastIndexOf('.');
    const kind = name.slice(dot + 1).replace('scale', 'weight');
    const [count = 1] = tensor.shape;
    for (const { module, start, end, total } of diffusersModules(layout, name.slice(0, dot))!) {
      const part = rows(tensor, (count * start) / total, (count * end) / total);
      const own = module.replace('time_text_embed.timestep_embedder', time).replace('down_proj', 'net.2');
      found[`${own}.${kind}`] =
        own === 'norm_out.linear' ? joined(rows(part, count / 2, count), rows(part, 0, count / 2)) : part;
    }
  }
  for (const [name, up] of Object.entries(found))
    if (name.includes('up_proj')) {
      const gate = name.replace('up_proj', 'gate_proj');
      found[name.replace('up_proj', 'net.0.proj')] = joined(up, found[gate]!);
      delete found[name];
      delete found[gate];
    }
  return found;
}

const KINDS = [
  ['ovis_image', 'ovis', 'timestep_embedder'],
  ['longcat_image', 'flux', 'time_embed.timestep_embedder'],
] as const;

test.each(KINDS)('%s in the original names and in those of diffusers', SLOW, async (name, layout, time) => {
  const { weights, inputs, answers } = await answered(name);
  const prompt = { tensor: inputs.text!, options: { guidance: 4 } };
  for (const named of [weights, inDiffusers(layout, weights, time)]) {
    const { network } = await open(named);
    const [plain] = await network.predict(inputs.x!, 0.75, [prompt], never);
    expectNear(plain, answers.plain!, TIME_ROUNDING);
  }
});

test('the references of LongCat-Image follow the image in layers of their own', SLOW, async () => {
  const { weights, inputs, answers } = await answered('longcat_image');
  const { network } = await open(weights);
  const references = { latents: [inputs.reference!], placement: 'index' as const };
  const prompt = { tensor: inputs.text!, options: {}, references };
  const [edited] = await network.predict(inputs.x!, 0.75, [prompt], never);
  expectNear(edited, answers.edited!, TIME_ROUNDING);
});

test(
  'the noise levels of Ovis-Image are even, and those of LongCat-Image shifted as in Flux',
  SLOW,
  async () => {
    const ovis = await open((await answered('ovis_image')).weights);
    expect(ovis.latent).toMatchObject({ scaleFactor: 0.3611, shiftFactor: 0.1159 });
    expect(ovis.sampling.sigmaOf(0.5)).toBeCloseTo(0.5);
    const longcat = await open((await answered('longcat_image')).weights);
    expect(longcat.latent).toMatchObject({ scaleFactor: 0.3611, shiftFactor: 0.1159 });
    expect(longcat.sampling.sigmaOf(0.5)).toBeCloseTo(Math.exp(1.15) / (Math.exp(1.15) + 1));
  },
);

/** Modules in adapters, the weights that each changes, and the first and last row. */
const ADAPTED: readonly [name: string, module: string, changed: string[]][] = [
  ['ovis_image', 'diffusion_model.single_blocks.0.linear1', ['single_blocks.0.linear1']],
  ['ovis_image', 'diffusion_model.double_blocks.0.img_mlp.gate_proj', ['double_blocks.0.img_mlp.gate_proj']],
  [
    'ovis_image',
    'transformer.transformer_blocks.0.ff_context.net.0.proj',
    ['double_blocks.0.txt_mlp.up_proj', 'double_blocks.0.txt_mlp.gate_proj'],
  ],
  ['longcat_image', 'diffusion_model.single_blocks.0.linear1', ['single_blocks.0.linear1']],
  ['longcat_image', 'transformer.time_embed.timestep_embedder.linear_2', ['time_in.out_layer']],
];

test.each(ADAPTED)('an adapter of %s for %s', SLOW, async (name, module, changed) => {
  const { weights, inputs, answers } = await answered(name);
  const merged = { ...weights };
  const columns = weights[`${changed[0]}.weight`]!.shape[1]!;
  const outputs = changed.reduce((sum, each) => sum + weights[`${each}.weight`]!.shape[0]!, 0);
  const up = { shape: [outputs, 1], data: Float32Array.from({ length: outputs }, (_, row) => Math.sin(row)) };
  const down = { shape: [1, columns], data: Float32Array.from({ length: columns }, (_, at) => Math.cos(at)) };
  let row = 0;
  for (const each of changed) {
    const { shape, data } = weights[`${each}.weight`]!;
    const first = row;
    row += shape[0]!;
    merged[`${each}.weight`] = {
      shape,
      data: data.map(
        (value, at) => value + 0.1 * up.data[first + Math.floor(at / columns)]! * down.data[at % columns]!,
      ),
    };
  }
  const factors = { [`${module}.lora_A.weight`]: down, [`${module}.lora_B.weight`]: up };
  await host.files.write('models/loras/change.safetensors', encodeSafetensors(factors, {}));
  const adapter = await readAdapter(host, 'change.safetensors');
  const prompts = [{ tensor: inputs.text!, options: {} }];
  const adapted = await (await open(weights)).network.withAdapter!(adapter, 0.1);
  const [output] = await adapted.predict(inputs.x!, 0.75, prompts, never);
  const [expected] = await (await open(merged)).network.predict(inputs.x!, 0.75, prompts, never);
  expectNear(output, { shape: [...expected!.shape], data: [...expected!.data] }, TIME_ROUNDING);
  expect(largestDifference(output!, answers.plain!)).toBeGreaterThan(1e-3);
});
