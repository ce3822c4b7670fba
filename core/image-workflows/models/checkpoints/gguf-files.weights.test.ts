/** GGUF files of networks and encoders, compared with files of 32-bit floats that hold the same numbers. */
import { beforeAll, describe, expect, test } from 'vitest';
import { imageServer } from '#test/support/image-workflows/image-server.ts';
import { use } from '#test/support/image-workflows/saving-server.ts';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { expectNear } from '#test/support/model-files/exported-numbers.ts';
import { BLOCK_TYPES, ggufWith } from '#test/support/model-files/gguf-weights.ts';
import { tinySentencePieces } from '#test/support/model-files/tiny-parts.ts';
import {
  renameWeights,
  type Shapes,
  t5Shapes,
  weightsFor,
  writeWeights,
} from '#test/support/model-files/weight-files.ts';
import { encodeSafetensors } from '../../nodes/latent/safetensors.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import { type FloatTensor, full } from '../../values/tensor.ts';
import { applyAdapter } from '../adapters/apply-adapter.ts';
import { readAdapter } from '../adapters/read-adapter.ts';
import { withModelLocations } from '../model-files/located-models.ts';
import { readWeightFile } from '../weight-files/read-weight-file.ts';
import { loadEncoders } from './load-encoders.ts';
import { loadNetwork } from './standalone-parts.ts';

const SLOW = { timeout: 240_000 };
const WIDTH = 256;
const never = new AbortController().signal;
const host = await weightsHost('here');
let flux: Record<string, FloatTensor>;

const layer = (name: string, ...shape: number[]): Shapes => ({
  [`${name}.weight`]: shape,
  [`${name}.bias`]: [shape[0]!],
});
/** Flux with two blocks of one kind, one of the other, and two heads. */
const fluxShapes: Shapes = {
  ...layer('img_in', WIDTH, 64),
  ...layer('txt_in', WIDTH, WIDTH),
  ...layer('time_in.in_layer', WIDTH, 256),
  ...layer('time_in.out_layer', WIDTH, WIDTH),
  ...layer('vector_in.in_layer', WIDTH, WIDTH),
  ...layer('vector_in.out_layer', WIDTH, WIDTH),
  ...Object.assign(
    {},
    ...['0', '1'].flatMap((block) =>
      ['img', 'txt'].map((part) => ({
        ...layer(`double_blocks.${block}.${part}_mod.lin`, 6 * WIDTH, WIDTH),
        ...layer(`double_blocks.${block}.${part}_attn.qkv`, 3 * WIDTH, WIDTH),
        [`double_blocks.${block}.${part}_attn.norm.query_norm.scale`]: [128],
        [`double_blocks.${block}.${part}_attn.norm.key_norm.scale`]: [128],
        ...layer(`double_blocks.${block}.${part}_attn.proj`, WIDTH, WIDTH),
        ...layer(`double_blocks.${block}.${part}_mlp.0`, 4 * WIDTH, WIDTH),
        ...layer(`double_blocks.${block}.${part}_mlp.2`, WIDTH, 4 * WIDTH),
      })),
    ),
  ),
  ...layer('single_blocks.0.modulation.lin', 3 * WIDTH, WIDTH),
  ...layer('single_blocks.0.linear1', 7 * WIDTH, WIDTH),
  ...layer('single_blocks.0.linear2', WIDTH, 5 * WIDTH),
  'single_blocks.0.norm.query_norm.scale': [128],
  'single_blocks.0.norm.key_norm.scale': [128],
  ...layer('final_layer.adaLN_modulation.1', 2 * WIDTH, WIDTH),
  ...layer('final_layer.linear', 64, WIDTH),
};
const named = (architecture: string) => ({
  'general.architecture': { type: 'string' as const, value: architecture },
});

beforeAll(async () => {
  let next = 0;
  const types = (_: string, shape: readonly number[]) =>
    shape.length === 2 && shape[1]! % 256 === 0 ? BLOCK_TYPES[next++ % BLOCK_TYPES.length] : undefined;
  const file = ggufWith(weightsFor(fluxShapes), types, named('flux'));
  flux = file.weights;
  expect(next).toBeGreaterThan(BLOCK_TYPES.length);
  await host.files.write('models/diffusion_models/flux.gguf', file.bytes);
  await writeWeights(host.files, 'models/diffusion_models/flux.safetensors', flux);
});

/** As the comparison takes them. */
const numbers = ({ shape, data }: FloatTensor) => ({ shape: [...shape], data: [...data] });

async function predicted({ network }: Pick<DiffusionModel, 'network'>): Promise<FloatTensor> {
  const prompt = { tensor: full([1, 3, WIDTH], 0.3), options: { pooled: full([1, WIDTH], 0.2) } };
  const x = { shape: [1, 16, 4, 4], data: Float32Array.from({ length: 256 }, (_, at) => Math.sin(at)) };
  return (await network.predict(x, 0.5, [prompt], never))[0]!;
}

test('a network whose weights have all kinds of blocks', SLOW, async () => {
  const expected = await predicted(await loadNetwork(host, 'flux.safetensors'));
  expectNear(await predicted(await loadNetwork(host, 'flux.gguf')), numbers(expected), 1e-4);
});

test('an adapter changes blocks as it changes floats, and the result is saved', SLOW, async () => {
  const factors = {
    'diffusion_model.double_blocks.0.img_attn.qkv.lora_A.weight': full([2, WIDTH], 0.05),
    'diffusion_model.double_blocks.0.img_attn.qkv.lora_B.weight': full([3 * WIDTH, 2], 0.1),
  };
  await host.files.write('models/loras/flux.safetensors', encodeSafetensors(factors, {}));
  const adapter = await readAdapter(host, 'flux.safetensors');
  const adapted = async (name: string) => {
    const { network } = await loadNetwork(host, name);
    const graph = await applyAdapter(network.graph!, adapter, 'network', 0.7);
    return predicted({ network: network.withGraph!(graph) });
  };
  const expected = await adapted('flux.safetensors');
  const plain = await predicted(await loadNetwork(host, 'flux.gguf'));
  expect(plain.data).not.toEqual(expected.data);
  expectNear(await adapted('flux.gguf'), numbers(expected), 1e-4);
  const server = imageServer({ host });
  const { entry } = await server.run({
    model: use('UnetLoaderGGUF', { unet_name: 'flux.gguf' }),
    lora: use('LoraLoaderModelOnly', {
      ...{ model: ['model', 0], lora_name: 'flux.safetensors', strength_model: 0.7 },
    }),
    save: use('ModelSave', { model: ['lora', 0], filename_prefix: 'diffusion_models/plain' }),
  });
  expect(entry.status.messages.at(-1)).toMatchObject(['execution_success', {}]);
  const path = 'output/diffusion_models/plain_00001_.safetensors';
  const { table } = await readWeightFile(host.files, path);
  expect([...table.keys()].sort()).toEqual(
    Object.keys(fluxShapes)
      .map((name) => `model.diffusion_model.${name}`)
      .sort(),
  );
  expect(table.get('model.diffusion_model.single_blocks.0.linear1.weight')).toMatchObject({
    type: 'F16',
    shape: [7 * WIDTH, WIDTH],
  });
  const saved = await predicted(await loadNetwork(withModelLocations(host), 'plain_00001_.safetensors'));
  // Saved weights are rounded to 16 bits.
  expectNear(saved, numbers(expected), 2e-2);
  await server.close();
});

describe('a text encoder in the names of llama.cpp', () => {
  const shapes = t5Shapes({ layers: 2, width: 32, isGated: true });
  const RENAMINGS: readonly (readonly [RegExp, string])[] = [
    [/^shared\./, 'token_embd.'],
    [/^encoder\.final_layer_norm\./, 'enc.output_norm.'],
    [/^encoder\.block\.(\d+)\.layer\.0\.SelfAttention\.([qkvo])\./, 'enc.blk.$1.attn_$2.'],
    [/^encoder\.block\.(\d+)\.layer\.0\.SelfAttention\.relative_attention_bias\./, 'enc.blk.$1.attn_rel_b.'],
    [/^encoder\.block\.(\d+)\.layer\.0\.layer_norm\./, 'enc.blk.$1.attn_norm.'],
    [/^encoder\.block\.(\d+)\.layer\.1\.layer_norm\./, 'enc.blk.$1.ffn_norm.'],
    [/^encoder\.block\.(\d+)\.layer\.1\.DenseReluDense\.wi_0\./, 'enc.blk.$1.ffn_gate.'],
    [/^encoder\.block\.(\d+)\.layer\.1\.DenseReluDense\.wi_1\./, 'enc.blk.$1.ffn_up.'],
    [/^encoder\.block\.(\d+)\.layer\.1\.DenseReluDense\.wo\./, 'enc.blk.$1.ffn_down.'],
  ];
  const nameInGguf = (name: string) =>
    RENAMINGS.reduce((changed, [from, to]) => changed.replace(from, to), name);

  test('encodes prompts', SLOW, async () => {
    const table = new TextEncoder().encode(JSON.stringify(tinySentencePieces));
    await host.files.write('models/tokenizers/t5/tokenizer.json', table);
    const kinds = ['Q8_0', 'Q5_1', 'Q4_0'];
    let next = 0;
    const types = (name: string, shape: readonly number[]) =>
      shape.length === 2 && !name.includes('rel_b') && shape[1]! % 32 === 0
        ? kinds[next++ % kinds.length]
        : undefined;
    const file = ggufWith(renameWeights(weightsFor(shapes), nameInGguf), types, named('t5encoder'));
    await host.files.write('models/text_encoders/t5.gguf', file.bytes);
    const back = new Map(Object.keys(shapes).map((name) => [nameInGguf(name), name]));
    const weights = renameWeights(file.weights, (name) => back.get(name)!);
    await writeWeights(host.files, 'models/text_encoders/t5.safetensors', weights);
    const encode = async (name: string) =>
      (await (await loadEncoders(host, [name], 'stable_audio')).encode('a cat', never)).tensor;
    expectNear(await encode('t5.gguf'), numbers(await encode('t5.safetensors')), 1e-4);
  });
});

describe('GGUF files are refused', () => {
  const write = async (name: string, type: string, metadata = {}) => {
    const { tinyGguf } = await import('#test/support/model-files/tiny-gguf.ts');
    const tensors = [{ name: 'img_in.weight', shape: [256, 2], type }];
    const bytes = tinyGguf({ tensors, metadata: { ...named('flux'), ...metadata } });
    await host.files.write(`models/diffusion_models/${name}`, bytes);
    return bytes;
  };
  const shape = (...value: number[]) => ({
    'comfy.gguf.orig_shape.img_in.weight': { type: 'array', of: 'int32', value },
  });

  test('because of a type without a formula here', async () => {
    await write('old.gguf', 'Q8_1');
    await expect(loadNetwork(host, 'old.gguf')).rejects.toThrow(
      'old.gguf cannot be read: its tensor img_in.weight is stored as Q8_1, which cannot be read here: use a file of the types Q8_0',
    );
  });

  test('because of a shape that does not fit, or a damaged header', async () => {
    for (const sides of [
      [3, 3],
      [-2, -256],
      [0, 512],
    ]) {
      await write('shape.gguf', 'Q8_0', shape(...sides));
      await expect(loadNetwork(host, 'shape.gguf')).rejects.toThrow(
        'shape.gguf cannot be read: the shape of its tensor img_in.weight does not fit its numbers',
      );
    }
    const bytes = await write('cut.gguf', 'Q8_0');
    await host.files.write('models/diffusion_models/cut.gguf', bytes.slice(0, 200));
    await expect(loadNetwork(host, 'cut.gguf')).rejects.toThrow('cut.gguf cannot be read: the GGUF file');
    await write('other.gguf', 'Q8_0', shape(2, 16, 16));
    const { table } = await readWeightFile(host.files, 'models/diffusion_models/other.gguf');
    expect(table.get('img_in.weight')).toMatchObject({ type: 'Q8_0', shape: [2, 16, 16] });
    await expect(loadNetwork(host, 'other.gguf')).rejects.toThrow('holds no diffusion network');
  });
});
