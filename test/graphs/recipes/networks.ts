/** Networks of the families with few blocks, and most of them narrow. The names are official ones. */
import { unetShapes } from '#test/support/model-files/unet-weights.ts';
import { GLYPH_WIDTH, LANGUAGE_WIDTH, OVIS_WIDTH, SIGLIP_WIDTH, SPEECH_WIDTH } from './encoders.ts';
import {
  exported,
  firstLayers,
  narrowed,
  partOf,
  prefixed,
  published,
  renamed,
  type Shapes,
  selected,
  uniformUnet,
  withSide,
  withSides,
} from './shapes.ts';

const NETWORK = 'model.diffusion_model.';

/** The names of networks in files of their own. */
const network = (manifest: string): Shapes => {
  const all = published(manifest);
  const inside = partOf(all, NETWORK);
  return Object.keys(inside).length > 0 ? inside : all;
};

/** All transformers become so wide. */
const WIDTH = 256;

const flux = (): Shapes => narrowed(network('flux_dev'), 3072, WIDTH);
const withoutGuidance = (shapes: Shapes): Shapes =>
  selected(shapes, (name) => !name.startsWith('guidance_in.'));

const blocks = (shapes: Shapes, count = 1): Shapes =>
  firstLayers(shapes, count, /\b(?:double_|single_|transformer_|joint_)?(?:blocks|layers)/);

/** @param inputs channels that it takes @param outputs channels of its latents */
function wan(inputs: number, outputs: number, seesImages: boolean): Shapes {
  const all = narrowed(network(seesImages ? 'wan21_i2v' : 'wan21_t2v'), 1536, WIDTH);
  const small = withSides(blocks(all), { 8960: 2 * WIDTH });
  const head = 4 * outputs;
  return withSide(
    withSide(withSide(small, 'patch_embedding.weight', 1, inputs), 'head.head.weight', 0, head),
    'head.head.bias',
    0,
    head,
  );
}

/** The network and its copy of the first block, which follows videos. */
function wanVace(): Shapes {
  const own = wan(16, 16, false);
  return {
    ...own,
    ...prefixed('vace_blocks.0.', partOf(own, 'blocks.0.')),
    'vace_blocks.0.before_proj.weight': [WIDTH, WIDTH],
    'vace_blocks.0.before_proj.bias': [WIDTH],
    'vace_blocks.0.after_proj.weight': [WIDTH, WIDTH],
    'vace_blocks.0.after_proj.bias': [WIDTH],
    'vace_patch_embedding.weight': [WIDTH, 96, 1, 2, 2],
    'vace_patch_embedding.bias': [WIDTH],
  };
}

/** The exported network with two heads, and the latents, prompts and audio of the published one. */
function wanS2v(): Shapes {
  const wide = withSides(exported('videos/wan_s2v'), { 32: 64, 64: 128, 128: WIDTH, 256: 512, 768: 1536 });
  const inputs: [tensor: string, axis: number, side: number][] = [
    ...[
      'patch_embedding',
      'cond_encoder',
      'frame_packer.proj',
      'frame_packer.proj_2x',
      'frame_packer.proj_4x',
    ].map((name): [string, number, number] => [`${name}.weight`, 1, 16]),
    ...['conv1_local', 'conv1_global'].map((name): [string, number, number] => [
      `casual_audio_encoder.encoder.${name}.conv.weight`,
      1,
      SPEECH_WIDTH,
    ]),
    ['text_embedding.0.weight', 1, 4096],
    ['head.head.weight', 0, 64],
    ['head.head.bias', 0, 64],
  ];
  return inputs.reduce((shapes, [tensor, axis, side]) => withSide(shapes, tensor, axis, side), wide);
}

/** The layers for the rays of a camera. */
const withCamera = (shapes: Shapes): Shapes => ({
  ...shapes,
  'control_adapter.conv.weight': [WIDTH, 1536, 2, 2],
  'control_adapter.conv.bias': [WIDTH],
  ...Object.fromEntries(
    ['conv1', 'conv2'].flatMap((name) => [
      [`control_adapter.residual_blocks.0.${name}.weight`, [WIDTH, WIDTH, 3, 3]],
      [`control_adapter.residual_blocks.0.${name}.bias`, [WIDTH]],
    ]),
  ),
});

/** A block of both kinds. Each takes a layer of Llama, and the last projection is that of T5. */
function hidream(): Shapes {
  const all = narrowed(network('layout_only/hidream_full_network'), 2560, WIDTH);
  const small = withSides(firstLayers(all, 1, /\w+_stream_blocks/), { 3584: 512, 6912: 512 });
  const others = selected(small, (name) => !name.startsWith('caption_projection.'));
  return {
    ...others,
    'caption_projection.0.linear.weight': [WIDTH, LANGUAGE_WIDTH],
    'caption_projection.1.linear.weight': [WIDTH, LANGUAGE_WIDTH],
    'caption_projection.2.linear.weight': [WIDTH, 4096],
  };
}

/** @param channels of its latents and of the marks of frames, with one for cells around the video */
function cosmosPredict2(channels: number): Shapes {
  const all = partOf(published('layout_only/cosmos_predict2_2b_full_network'), 'net.');
  return withSide(blocks(narrowed(all, 2048, WIDTH)), 'x_embedder.proj.1.weight', 1, 4 * channels);
}

/** Heads of 120 numbers, of which three share keys and values. */
function omnigen2(): Shapes {
  const all = firstLayers(network('layout_only/omnigen2_full_network'), 1, /layers|\w+_refiner/);
  const small = withSides(all, {
    2048: LANGUAGE_WIDTH,
    2520: 360,
    840: 120,
    1024: 256,
    10240: 512,
    10080: 1440,
  });
  return {
    ...small,
    'time_caption_embed.caption_embedder.1.weight': [360, LANGUAGE_WIDTH],
    'time_caption_embed.timestep_embedder.linear_1.weight': [256, 256],
  };
}

/** Latents of 16 channels, in squares of 2 x 2 cells. */
const zImage = (): Shapes => {
  const wide = withSides(exported('z_image'), { 20: LANGUAGE_WIDTH });
  return {
    ...wide,
    'x_embedder.weight': [32, 64],
    'final_layer.linear.weight': [64, 32],
    'final_layer.linear.bias': [64],
  };
};

/** Three layers of a language model form the prompt. A token of the image has 128 numbers. */
const flux2Klein = (): Shapes => ({
  ...exported('flux2_klein'),
  'img_in.weight': [64, 128],
  'txt_in.weight': [64, 3 * LANGUAGE_WIDTH],
  'final_layer.linear.weight': [128, 64],
});

/** A text is a language model's last layer. */
const fluxVariant = (name: string, textWidth: number): Shapes =>
  withSides(exported(`variants/${name}`), { 16: 64, 24: textWidth });

const hunyuanVideo = (): Shapes =>
  withSides(blocks(narrowed(network('layout_only/hunyuan_video_full_network'), 3072, WIDTH)), {
    4096: LANGUAGE_WIDTH,
  });

/** The exported network has few features of texts, letters and images. @param inputs channels */
const hunyuanVideo15 = (inputs: number): Shapes =>
  withSide(
    withSides(exported('hunyuan/hunyuan_video_15'), { 6: LANGUAGE_WIDTH, 5: GLYPH_WIDTH, 7: SIGLIP_WIDTH }),
    'img_in.proj.weight',
    1,
    inputs,
  );

const hunyuanImage = (name: 'hunyuan_image' | 'hunyuan_image_refiner'): Shapes =>
  withSides(exported(`hunyuan/${name}`), { 6: LANGUAGE_WIDTH, 5: GLYPH_WIDTH });

/** A control video comes with an image of reference, which has an embedding of its own. */
const withReference = (shapes: Shapes, channels: number): Shapes => ({
  ...shapes,
  'ref_conv.weight': [WIDTH, channels, 2, 2],
  'ref_conv.bias': [WIDTH],
});

const qwenImage = (): Shapes =>
  withSides(narrowed(network('qwen_image'), 3072, WIDTH), { 3584: LANGUAGE_WIDTH });

/** A control net of InstantX. */
const qwenControl = (inputs: number): Shapes => ({
  ...selected(qwenImage(), (name) => !/^(norm_out|proj_out)\./.test(name)),
  'controlnet_x_embedder.weight': [WIDTH, inputs],
  'controlnet_x_embedder.bias': [WIDTH],
  'controlnet_blocks.0.weight': [WIDTH, WIDTH],
  'controlnet_blocks.0.bias': [WIDTH],
});

/** The last block has no text to pass on. */
function sd3(): Shapes {
  const all = narrowed(network('layout_only/sd35_large_full_network'), 2432, 128);
  const ends = selected(all, (name) => !/^joint_blocks\.(?!0\.|37\.)/.test(name));
  return renamed(ends, (name) => name.replace('joint_blocks.37.', 'joint_blocks.1.'));
}

/** A control net of Stability AI: its blocks see the image alone. */
function sd35Control(width = 128): Shapes {
  const layer = (name: string, ...shape: number[]): Shapes => ({
    [`${name}.weight`]: shape,
    [`${name}.bias`]: [shape[0]!],
  });
  const block = 'transformer_blocks.0';
  return {
    ...layer('pos_embed.proj', width, 16, 2, 2),
    ...layer('pos_embed_input.proj', width, 16, 2, 2),
    ...layer('time_text_embed.timestep_embedder.linear_1', width, 256),
    ...layer('time_text_embed.timestep_embedder.linear_2', width, width),
    ...layer('time_text_embed.text_embedder.linear_1', width, width),
    ...layer('time_text_embed.text_embedder.linear_2', width, width),
    ...layer(`${block}.adaLN_modulation.1`, 6 * width, width),
    ...layer(`${block}.attn.qkv`, 3 * width, width),
    ...layer(`${block}.attn.proj`, width, width),
    ...layer(`${block}.mlp.fc1`, 4 * width, width),
    ...layer(`${block}.mlp.fc2`, width, 4 * width),
    ...layer('controlnet_blocks.0', width, width),
  };
}

const levels = { width: 320, layers: 2, factors: [1, 1, 1, 1] };
export const SD1 = { ...levels, context: 768, depths: [1, 1, 1, 0], middle: 1 };
const sd2 = { ...SD1, context: 1024, isLinear: true };
const sdxl = {
  ...{ ...levels, factors: [1, 1, 1], context: 2048, depths: [0, 1, 1], middle: 1 },
  ...{ isLinear: true, labels: 2816 },
};

/** Names of networks by what they are for. */
export const NETWORKS = {
  sd1: () => unetShapes(SD1),
  'sd1-inpainting': () => unetShapes({ ...SD1, inputs: 9 }),
  'sd1-views': () => unetShapes({ ...SD1, inputs: 8 }),
  sd2: () => unetShapes(sd2),
  'sd2-inpainting': () => unetShapes({ ...sd2, inputs: 9 }),
  sdxl: () => unetShapes(sdxl),
  'sdxl-instruct': () => unetShapes({ ...sdxl, inputs: 8 }),
  'sdxl-refiner': () => unetShapes({ ...sd2, width: 384, context: 1280, labels: 2560, depths: [0, 1, 1, 0] }),
  'unclip-h': () => unetShapes({ ...sd2, labels: 2048 }),
  lotus: () => unetShapes({ ...sd2, labels: 4 }),
  svd: () => uniformUnet(network('svd')),
  'flux-dev': flux,
  'flux-schnell': () => withoutGuidance(flux()),
  'flux-fill': () => withSide(flux(), 'img_in.weight', 1, 384),
  'flux-control': () => withSide(flux(), 'img_in.weight', 1, 128),
  chroma: () => blocks(narrowed(network('layout_only/chroma_full_network'), 3072, WIDTH)),
  sd3: sd3,
  'sd3-control': () => sd35Control(),
  auraflow: () => narrowed(blocks(partOf(published('auraflow'), 'model.')), 3072, 512),
  lumina2: () => withSides(network('lumina2'), { 2304: 2304 }),
  pixart: () => network('pixart_alpha'),
  'hunyuan-dit': () => partOf(published('hunyuan_dit12'), 'model.'),
  'hunyuan-video': hunyuanVideo,
  'hunyuan-video-15': () => hunyuanVideo15(65),
  'hunyuan-video-15-sr': () => hunyuanVideo15(98),
  'hunyuan-image': () => hunyuanImage('hunyuan_image'),
  'hunyuan-image-refiner': () => hunyuanImage('hunyuan_image_refiner'),
  'hunyuan-video-i2v': () => withSide(hunyuanVideo(), 'img_in.proj.weight', 1, 33),
  hidream,
  omnigen2,
  'z-image': zImage,
  'flux2-klein': flux2Klein,
  'ovis-image': () => fluxVariant('ovis_image', OVIS_WIDTH),
  'longcat-image': () => fluxVariant('longcat_image', LANGUAGE_WIDTH),
  'cosmos-predict2': () => cosmosPredict2(17),
  'cosmos-predict2-video': () => cosmosPredict2(18),
  ltxv: () => blocks(network('ltxv')),
  'wan-t2v': () => wan(16, 16, false),
  'wan-i2v': () => wan(36, 16, true),
  'wan-control': () => wan(48, 16, true),
  'wan-vace': wanVace,
  'wan-s2v': wanS2v,
  'wan-camera': () => withCamera(wan(32, 16, true)),
  'wan22-camera': () => withCamera(wan(36, 16, false)),
  'wan22-i2v': () => wan(36, 16, false),
  'wan22-control': () => withReference(wan(52, 16, false), 16),
  'wan22-small': () => wan(48, 48, false),
  'wan22-small-inpainting': () => wan(100, 48, false),
  'wan22-small-control': () => withReference(wan(148, 48, false), 48),
  'qwen-image': qwenImage,
  'qwen-image-layered': () => ({
    ...qwenImage(),
    'time_text_embed.addition_t_embedding.weight': [2, WIDTH],
  }),
  'qwen-control': () => qwenControl(64),
  'qwen-control-inpainting': () => qwenControl(68),
} as const satisfies Record<string, () => Shapes>;
