import { beforeAll, describe, expect, test } from 'vitest';
import { decodeImage } from '#core/image-codecs/decode.ts';
import { imageServer } from '#test/support/image-workflows/image-server.ts';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { writeTinyDiffusion } from '#test/support/model-files/tiny-diffusion.ts';
import {
  writeControlNet,
  writeFluxTransformer,
  writeSd3Transformer,
  writeT5,
  writeTextEncoder,
  writeUnet,
} from '#test/support/model-files/tiny-parts.ts';
import { dictionary, tensor, torchArchive } from '#test/support/model-files/torch-files.ts';
import { StoredFiles } from '../../files/stored-files.ts';
import { controlNetNodes } from '../../nodes/control/control-net.ts';
import { encodeSafetensors } from '../../nodes/latent/safetensors.ts';
import { cfgGuider } from '../../sampling/guidance/guiders.ts';
import type { Conditioning } from '../../values/conditioning.ts';
import { type FloatTensor, full, tensorOf, zeros } from '../../values/tensor.ts';
import { readAdapter } from '../adapters/read-adapter.ts';
import { loadControlNet } from '../control/control-net.ts';
import { encoderNames, loadEncoders } from './load-encoders.ts';
import { loadNetwork, networkNames } from './standalone-parts.ts';

const host = await weightsHost('here');
const never = new AbortController().signal;

/** Real graphs in onnxruntime. */
beforeAll(async () => {
  const { files } = host;
  await writeTextEncoder(files, 'models/text_encoders/small');
  await writeUnet(files, 'models/diffusion_models/small');
  await writeUnet(files, 'models/diffusion_models/inpaint', 9);
  await writeControlNet(files, 'models/controlnet/colors');
  await writeSd3Transformer(files, 'models/diffusion_models/sd3');
  await writeFluxTransformer(files, 'models/diffusion_models/flux');
});

const lora = (name: string, tensors: Record<string, FloatTensor>) =>
  host.files.write(`models/loras/${name}`, encodeSafetensors(tensors, {}));
/** The embedding of one token. */
const at = ({ shape, data }: FloatTensor, token: number) =>
  [...data.subarray(token * shape[2]!, (token + 1) * shape[2]!)].map((value) => Number(value.toFixed(4)));

test('lists models by the names of their folders', async () => {
  const files = new StoredFiles(host);
  expect(await encoderNames(files)).toEqual(['small']);
  expect(await networkNames(files)).toEqual(['flux', 'inpaint', 'sd3', 'small']);
});

describe('a standalone text encoder', () => {
  // The embedding of token 2, "cat", is 2, 4, 6, 8. Two layers turn it into 8, 16, 24, 32. The last norm scales and adds 1.
  test('is read at its last layer, or at an earlier one with the last norm applied', {
    timeout: 120_000,
  }, async () => {
    const clip = await loadEncoders(host, ['small'], 'stable_diffusion');
    const last = await clip.encode('cat', never);
    expect(at(last.tensor, 1)).toEqual([9, 33, 73, 129]);
    const before = await clip.withLastLayer(-2).encode('cat', never);
    // The layer's output is 4, 8, 12, 16, with mean 10 and variance 20.
    const normed = [-6, -2, 2, 6].map((value, index) =>
      Number(((value / Math.sqrt(20 + 1e-5)) * (index + 1) + 1).toFixed(4)),
    );
    expect(at(before.tensor, 1)).toEqual(normed);
    await expect(clip.withLastLayer(-5).encode('cat', never)).rejects.toThrow('2 layers');
  });

  test('takes learned embeddings by the name of their file', { timeout: 120_000 }, async () => {
    const clip = await loadEncoders(host, ['small'], 'stable_diffusion');
    const write = (name: string, tensors: Record<string, FloatTensor>) =>
      host.files.write(`models/embeddings/${name}`, encodeSafetensors(tensors, {}));
    await write('style.safetensors', {
      emb_params: tensorOf([2, 4], Float32Array.of(1, 0, 0, 0, 0, 1, 0, 0)),
    });
    await write('wide.safetensors', { emb_params: full([1, 8], 1) });
    const { tensor: encoded } = await clip.encode('a embedding:style cat', never);
    expect([1, 2, 3, 4].map((token) => at(encoded, token))).toEqual([
      [5, 17, 37, 65],
      [5, 1, 1, 1],
      [1, 9, 1, 1],
      [9, 33, 73, 129],
    ]);
    // Embeddings of another width and missing ones are left out.
    for (const name of ['wide', 'none', '../../loras/x'])
      expect(at((await clip.encode(`embedding:${name} cat`, never)).tensor, 1)).toEqual([9, 33, 73, 129]);
    const row = tensor({ count: 8, offset: 4, shape: [1, 4] });
    const inversion = dictionary({ string_to_token: '}', string_to_param: dictionary({ '*': row }) });
    const numbers = new Uint8Array(Float32Array.of(0, 0, 0, 0, 1, 0, 0, 0).buffer);
    await host.files.write('models/embeddings/old.pt', torchArchive(inversion, { 'data/0': numbers }));
    expect(at((await clip.encode('embedding:old', never)).tensor, 1)).toEqual([5, 1, 1, 1]);
    await host.files.write('models/embeddings/bad.pt', new Uint8Array(4));
    await expect(clip.encode('embedding:bad', never)).rejects.toThrow('bad.pt cannot be read');
  });

  test('is combined with others as Stable Diffusion 3 and Flux require', { timeout: 120_000 }, async () => {
    await writeT5(host.files, 'models/text_encoders/t5', 12);
    const three = await loadEncoders(host, ['t5', 'small', 'small'], 'sd3');
    const encoding = await three.encode({ l: 'cat', g: 'a', t5xxl: 'a cat' }, never);
    // Both CLIP encodings, 2 x 4 wide, are padded to T5's width of 12. T5's 77 tokens follow.
    expect([encoding.tensor.shape, encoding.pooled!.shape]).toEqual([
      [1, 154, 12],
      [1, 8],
    ]);
    const once = [4, 8, 12, 16];
    // The last layer but one, without a norm, doubles the embeddings of the tokens 2 and 1.
    expect(at(encoding.tensor, 1)).toEqual([...once, ...once.map((value) => value / 2), 0, 0, 0, 0]);
    // T5 has no start token: a, cat, end, then padding.
    const first = [0, 1, 2, 3].map((token) => at(encoding.tensor, 77 + token)[0]);
    expect(first).toEqual([4, 5, 1, 0].map((token) => token * 4 + 1));
    const silent = await three.encode({ l: 'cat', g: '', t5xxl: '' }, never, ['g', 't5xxl']);
    expect(silent.tensor.shape).toEqual([1, 77, 12]);
    expect(at(silent.tensor, 1)).toEqual([...once, 0, 0, 0, 0, 0, 0, 0, 0]);
    const flux = await (await loadEncoders(host, ['small', 't5'], 'flux')).encode('(cat:2)', never);
    expect([flux.tensor.shape, flux.pooled!.shape]).toEqual([
      [1, 256, 12],
      [1, 4],
    ]);
    // With weight 2, the token is twice as far from the empty prompt's first token, which is the end token.
    expect(at(flux.tensor, 0)[0]).toBe((5 + (5 - 1)) * 4 + 1);
  });

  test('rejects unsupported families', async () => {
    await expect(loadEncoders(host, ['small'], 'unheard')).rejects.toThrow(
      'text encoders of the kind unheard are not supported',
    );
  });
});

const prompt = (value: number, options = {}): Conditioning => [{ tensor: full([1, 77, 4], value), options }];

describe('adapters', () => {
  test('change attention and convolution weights of a network, and a text encoder', {
    timeout: 120_000,
  }, async () => {
    // Rank 1: up x down is all ones, and alpha 2 doubles it. The convolution gets ten times the identity.
    const ones = (shape: number[]) => full(shape, 1);
    const module = 'lora_unet_down_blocks_0_attentions_0_transformer_blocks_0_attn2_to_k';
    await lora('both.safetensors', {
      [`${module}.lora_up.weight`]: ones([4, 1]),
      [`${module}.lora_down.weight`]: ones([1, 4]),
      [`${module}.alpha`]: tensorOf([], Float32Array.of(2)),
      'lora_te_text_model_encoder_layers_1_self_attn_q_proj.lora_up.weight': ones([4, 1]),
      'lora_te_text_model_encoder_layers_1_self_attn_q_proj.lora_down.weight': ones([1, 4]),
    });
    const eye = tensorOf(
      [4, 4],
      Float32Array.from({ length: 16 }, (_, i) => (i % 5 === 0 ? 1 : 0)),
    );
    await lora('conv.safetensors', {
      'unet.conv_in.lora_A.weight': tensorOf([4, 4, 1, 1], eye.data),
      'unet.conv_in.lora_B.weight': tensorOf(
        [4, 4, 1, 1],
        eye.data.map((value) => value * 10),
      ),
    });
    const { network } = await loadNetwork(host, 'small');
    const x = full([1, 4, 2, 2], 1);
    const predicted = async (adapted: typeof network) =>
      (await adapted.predict(x, 5, prompt(3), never))[0]!.data[0];
    expect(await predicted(network)).toBe(4);
    const half = await network.withAdapter!(await readAdapter(host, 'both.safetensors'), 0.5);
    // The mean of the projected prompt is 3 (1 + 0.5 x 2 x 4 columns of ones) instead of 3.
    expect(await predicted(half)).toBe(16);
    const twice = await half.withAdapter!(await readAdapter(host, 'conv.safetensors'), 1);
    expect(await predicted(twice)).toBe(26);
    expect(await predicted(network)).toBe(4);
    const clip = await loadEncoders(host, ['small'], 'stable_diffusion');
    const changed = await clip.withAdapter(await readAdapter(host, 'both.safetensors'), 1);
    // The second layer adds the sum of 4, 8, 12, 16 to each element.
    expect(at((await changed.encode('cat', never)).tensor, 1)).toEqual([49, 113, 193, 289]);
  });

  test('that do not fit are rejected with the reason', async () => {
    const { network } = await loadNetwork(host, 'small');
    const factor = full([1, 1], 1);
    const number = tensor({ shape: [1, 1] });
    const smallLora = dictionary({
      'unet.conv_in.lora_A.weight': number,
      'unet.conv_in.lora_B.weight': number,
    });
    await lora('other.safetensors', {
      'unet.mid.to_q.lora_A.weight': factor,
      'unet.mid.to_q.lora_B.weight': factor,
    });
    await lora('small.safetensors', {
      'unet.conv_in.lora_A.weight': factor,
      'unet.conv_in.lora_B.weight': factor,
    });
    await lora('half.safetensors', { 'lora_unet_conv_in.hada_w1_a': factor });
    await lora('oft.safetensors', { 'lora_unet_conv_in.oft_blocks': factor });
    await host.files.write('models/loras/bad.pt', new Uint8Array(9));
    await host.files.write('models/loras/small.pt', torchArchive(smallLora));
    const use = async (name: string) => network.withAdapter!(await readAdapter(host, name), 1);
    await expect(use('other.safetensors')).rejects.toThrow('mid_to_q');
    await expect(use('small.safetensors')).rejects.toThrow('does not fit');
    await expect(use('half.safetensors')).rejects.toThrow('only a part');
    await expect(use('oft.safetensors')).rejects.toThrow('oft_blocks');
    await expect(use('bad.pt')).rejects.toThrow('bad.pt cannot be read');
    await expect(use('small.pt')).rejects.toThrow('does not fit');
    await expect(use('none.safetensors')).rejects.toThrow('none.safetensors');
  });
});

describe('control nets', () => {
  const apply = controlNetNodes.find(({ name }) => name === 'ControlNetApplyAdvanced')!;
  test('add residuals to a UNet with their strength, during their part of the sampling', {
    timeout: 120_000,
  }, async () => {
    const model = await loadNetwork(host, 'small');
    const control_net = await loadControlNet(host, 'colors');
    const image = full([1, 16, 16, 3], 0.25);
    const common = { control_net, image, strength: 2, start_percent: 0, end_percent: 0.5 };
    const [positive, negative] = (await apply.run(
      { positive: prompt(3), negative: prompt(1), ...common },
      {} as never,
    )) as Conditioning[];
    const noise = async (list: Conditioning, sigma: number) => {
      const x = full([1, 4, 2, 2], 1);
      const guided = cfgGuider(model, list, negative!, 1).open(x.shape, never);
      // D = x - sigma noise
      return (1 - (await guided.denoise(x, sigma)).data[0]!) / sigma;
    };
    const late = model.sampling.sigmaAt(0.9);
    const early = model.sampling.sigmaAt(0.1);
    const input = (sigma: number) => 1 / Math.sqrt(sigma * sigma + 1);
    expect(await noise(positive!, early)).toBeCloseTo(input(early) + 3 + 2 * 3 * 0.25, 4);
    expect(await noise(positive!, late)).toBeCloseTo(input(late) + 3, 4);
    expect(await noise(prompt(3), early)).toBeCloseTo(input(early) + 3, 4);
  });
  test('rejects graphs of other kinds', async () => {
    await writeSd3Transformer(host.files, 'models/controlnet/other');
    await expect(loadControlNet(host, 'other')).rejects.toThrow('out_hidden_states');
    const { network } = await loadNetwork(host, 'sd3');
    const control = [zeros([1, 4, 1, 1])];
    const entry = { tensor: zeros([1, 2, 4]), options: { pooled: zeros([1, 4]) }, control };
    await expect(network.predict(zeros([1, 16, 2, 2]), 1, [entry], never)).rejects.toThrow(
      'controlnet_block_samples_0',
    );
  });
});

test('an inpainting model takes the mask and the image', { timeout: 120_000 }, async () => {
  const model = await loadNetwork(host, 'inpaint');
  expect(model.concat).toBe('mask and image');
  const concatLatent = full([1, 4, 2, 2], 10);
  const list = prompt(3, { inpainting: { latent: concatLatent, mask: full([1, 16, 16], 0.9) } });
  const x = full([1, 4, 2, 2], 1);
  const sigma = model.sampling.sigmaAt(0.5);
  const guided = cfgGuider(model, list, list, 1).open(x.shape, never);
  const noise = (1 - (await guided.denoise(x, sigma)).data[0]!) / sigma;
  expect(noise).toBeCloseTo(1 / Math.sqrt(sigma * sigma + 1) + 3, 4);
});

test('a graph with standalone parts saves an image', { timeout: 120_000 }, async () => {
  await writeTinyDiffusion(host.files, 'models/checkpoints/tiny');
  for (const file of ['vae_decoder/model.onnx', 'vae_decoder/config.json', 'vae_encoder/model.onnx'])
    await host.files.write(
      `models/vae/tiny/${file}`,
      await host.files.read(`models/checkpoints/tiny/${file}`),
    );
  const server = imageServer({ host });
  const node = (class_type: string, inputs: Record<string, unknown>) => ({ class_type, inputs });
  const { entry } = await server.run({
    unet: node('UNETLoader', { unet_name: 'small', weight_dtype: 'default' }),
    clip: node('CLIPLoader', { clip_name: 'small', type: 'stable_diffusion' }),
    vae: node('VAELoader', { vae_name: 'tiny' }),
    lora: node('LoraLoader', {
      model: ['unet', 0],
      clip: ['clip', 0],
      lora_name: 'both.safetensors',
      strength_model: 0.5,
      strength_clip: 0.25,
    }),
    skip: node('CLIPSetLastLayer', { clip: ['lora', 1], stop_at_clip_layer: -2 }),
    text: node('CLIPTextEncode', { text: 'a (cat:1.2) embedding:style', clip: ['skip', 0] }),
    none: node('ConditioningZeroOut', { conditioning: ['text', 0] }),
    image: node('EmptyImage', { width: 100, height: 68, batch_size: 1, color: 0x80ff20 }),
    mask: node('SolidMask', { value: 1, width: 100, height: 68 }),
    net: node('ControlNetLoader', { control_net_name: 'colors' }),
    kind: node('SetUnionControlNetType', { control_net: ['net', 0], type: 'depth' }),
    control: node('ControlNetApplyAdvanced', {
      positive: ['text', 0],
      negative: ['none', 0],
      control_net: ['kind', 0],
      image: ['image', 0],
      strength: 0.5,
      start_percent: 0,
      end_percent: 0.8,
    }),
    latent: node('VAEEncodeForInpaint', {
      pixels: ['image', 0],
      vae: ['vae', 0],
      mask: ['mask', 0],
      grow_mask_by: 6,
    }),
    sampler: node('KSampler', {
      model: ['lora', 0],
      seed: 1,
      steps: 2,
      cfg: 2,
      sampler_name: 'euler',
      scheduler: 'normal',
      positive: ['control', 0],
      negative: ['control', 1],
      latent_image: ['latent', 0],
      denoise: 1,
    }),
    decoded: node('VAEDecodeTiled', {
      samples: ['sampler', 0],
      vae: ['vae', 0],
      tile_size: 64,
      overlap: 32,
      temporal_size: 64,
      temporal_overlap: 8,
    }),
    save: node('SaveImage', { images: ['decoded', 0], filename_prefix: 'parts' }),
  });
  expect(entry.status.messages.at(-1)).toMatchObject(['execution_success', {}]);
  const { frames } = await decodeImage(await host.files.read('output/parts_00001_.png'), undefined);
  expect([frames[0]!.width, frames[0]!.height]).toEqual([96, 64]);
  await server.close();
});
