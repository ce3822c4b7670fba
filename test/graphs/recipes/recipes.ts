/** The shapes of small files by names, as `published-files.json` has them. */
import {
  ace15CodeWriter,
  ace15Network,
  ace15TextEncoder,
} from '#test/support/model-files/ace-step-15-shapes.ts';
import { aceStepShapes } from '#test/support/model-files/ace-step-shapes.ts';
import { controlNetShapes } from '#test/support/model-files/unet-weights.ts';
import { AUTOENCODERS } from './autoencoders.ts';
import {
  byt5,
  clipG,
  clipH,
  clipL,
  clipVision,
  gemma2,
  LANGUAGE_WIDTH,
  llama3,
  oldT5xxl,
  openClipText,
  openClipVision,
  pileT5,
  qwen3,
  qwen3Ovis,
  qwen25,
  SIGLIP_TOKENS,
  SIGLIP_WIDTH,
  siglip,
  t5base,
  t5xxl,
  umt5xxl,
} from './encoders.ts';
import { NETWORKS, SD1 } from './networks.ts';
import { exported, partOf, prefixed, published, type Shapes, selected, withSides } from './shapes.ts';

const network = (name: keyof typeof NETWORKS): Shapes => prefixed('model.diffusion_model.', NETWORKS[name]());
const firstStage = (name: keyof typeof AUTOENCODERS): Shapes =>
  prefixed('first_stage_model.', AUTOENCODERS[name]());
const vae = (name: keyof typeof AUTOENCODERS): Shapes => prefixed('vae.', AUTOENCODERS[name]());

const sd1 = (name: 'sd1' | 'sd1-inpainting' = 'sd1'): Shapes => ({
  ...network(name),
  ...prefixed('cond_stage_model.transformer.', clipL()),
  ...firstStage('vae-sd'),
});

const sd2 = (name: 'sd2' | 'sd2-inpainting' | 'unclip-h'): Shapes => ({
  ...network(name),
  ...prefixed('cond_stage_model.model.', openClipText(clipH())),
  ...firstStage('vae-sd'),
});

const sdxl = (name: 'sdxl' | 'sdxl-instruct' = 'sdxl'): Shapes => ({
  ...network(name),
  ...prefixed('conditioner.embedders.0.transformer.', clipL()),
  ...prefixed('conditioner.embedders.1.model.', openClipText(clipG())),
  ...firstStage('vae-sd'),
});

const flux = (name: 'flux-dev' | 'flux-schnell'): Shapes => ({
  ...network(name),
  ...prefixed('text_encoders.clip_l.transformer.', clipL()),
  ...prefixed('text_encoders.t5xxl.transformer.', t5xxl()),
  ...vae('vae-flux'),
});

/** The layers for the times of audio and the network are complete. */
function stableAudio(): Shapes {
  const all = published('stable_audio');
  const rest = selected(all, (name) => !/^(pretransform|conditioner\.conditioners\.prompt)\./.test(name));
  const blocks = selected(rest, (name) => !/transformer\.layers\.(?!0\.)/.test(name));
  return {
    ...blocks,
    ...prefixed('conditioner.conditioners.prompt.model.', {}),
    ...prefixed('text_encoders.t5base.transformer.', t5base()),
    ...selected(all, (name) => name.startsWith('pretransform.')),
  };
}

/** All tokens of the published table that `recipes/tokenizers.ts` has. */
const aceText = (): Shapes => ace15TextEncoder(151_669);
const ace15 = (): Shapes => ace15Network(exported('audio/ace_step_15'));
const aceVae = (): Shapes => exported('audio/ace_vae_15');

/** Latents of 64 channels, and images of 37 x 37 squares of 14 pixels. Turbo is distilled. */
function hunyuan3d(isTurbo: boolean): Shapes {
  const channels = withSides(exported('shapes/hunyuan3d'), { 4: 64, 6: 64 });
  return {
    ...prefixed(
      'model.',
      selected(channels, (name) => isTurbo || !name.startsWith('guidance_in.')),
    ),
    ...prefixed('vae.', { ...exported('shapes/shape_vae'), 'post_kl.weight': [128, 64] }),
    ...prefixed('conditioner.main_image_encoder.model.', {
      ...exported('shapes/dino_gated'),
      'embeddings.position_embeddings': [1, 1370, 64],
      'embeddings.patch_embeddings.projection.weight': [64, 3, 14, 14],
    }),
  };
}

/** The exported network has latents of four channels. */
const latentUpscaler = (): Shapes => ({
  ...withSides(exported('hunyuan/hunyuan_upscaler_1080'), { 8: 64 }),
  'conv_in.conv.weight': [64, 32, 3, 3, 3],
  'conv_out.conv.weight': [32, 6, 3, 3, 3],
  'conv_out.conv.bias': [32],
});

/** An adapter of one layer. Other layers of the model stay as they are. */
const lora = (layer: string, outputs: number, inputs: number): Shapes => ({
  [`${layer}.lora_down.weight`]: [4, inputs],
  [`${layer}.lora_up.weight`]: [outputs, 4],
});

const redux = (): Shapes => ({
  'redux_up.weight': [12_288, SIGLIP_WIDTH],
  'redux_up.bias': [12_288],
  'redux_down.weight': [4096, 12_288],
  'redux_down.bias': [4096],
});

/** Layers of a vision encoder as tokens of Flux. */
const styleProjector = (): Shapes => ({
  ...Object.assign(
    {},
    ...['high', 'mid', 'low'].map((name) => ({
      [`feature_embedder.${name}_embedding_linear.0.weight`]: [64, SIGLIP_TOKENS],
      [`feature_embedder.${name}_embedding_linear.0.bias`]: [64],
      [`feature_embedder.${name}_layer_norm.weight`]: [SIGLIP_WIDTH],
      [`feature_embedder.${name}_layer_norm.bias`]: [SIGLIP_WIDTH],
      [`feature_embedder.${name}_projection.weight`]: [256, SIGLIP_WIDTH],
      [`feature_embedder.${name}_projection.bias`]: [256],
    })),
  ),
});

export const RECIPES: Readonly<Record<string, () => Shapes>> = {
  ...NETWORKS,
  ...AUTOENCODERS,
  'clip-l': clipL,
  'clip-g': clipG,
  'clip-h': clipH,
  t5xxl,
  'old-t5xxl': oldT5xxl,
  umt5xxl,
  't5-base': t5base,
  'pile-t5': pileT5,
  'qwen2.5-7b': () => qwen25(4),
  'qwen2.5-3b': () => qwen25(2),
  qwen3,
  'qwen3-ovis': qwen3Ovis,
  gemma2,
  llama3,
  byt5,
  'vision-llava': () => withSides(exported('llava_vision'), { 24: LANGUAGE_WIDTH }),
  'vision-g': () => clipVision(1664, 1280),
  'vision-h': () => clipVision(1280, 1024),
  'vision-l': () => clipVision(1024, 768),
  siglip,
  redux,
  'style-projector': styleProjector,
  'checkpoint-sd1': () => sd1(),
  'checkpoint-sd1-inpainting': () => sd1('sd1-inpainting'),
  'checkpoint-sd2': () => sd2('sd2'),
  'checkpoint-sd2-inpainting': () => sd2('sd2-inpainting'),
  'checkpoint-unclip': () => ({
    ...sd2('unclip-h'),
    ...prefixed('embedder.model.visual.', openClipVision(clipVision(1280, 1024))),
    'noise_augmentor.data_mean': [1, 1024],
    'noise_augmentor.data_std': [1, 1024],
  }),
  'checkpoint-sdxl': () => sdxl(),
  'checkpoint-sdxl-instruct': () => sdxl('sdxl-instruct'),
  'checkpoint-sdxl-refiner': () => ({
    ...network('sdxl-refiner'),
    ...prefixed('conditioner.embedders.0.model.', openClipText(clipG())),
    ...firstStage('vae-sd'),
  }),
  'checkpoint-svd': () => ({
    ...network('svd'),
    ...prefixed('conditioner.embedders.0.open_clip.model.visual.', openClipVision(clipVision(1280, 1024))),
    ...firstStage('vae-svd'),
  }),
  'checkpoint-zero123': () => ({
    ...network('sd1-views'),
    ...prefixed('cond_stage_model.model.visual.', openClipVision(clipVision(1024, 768))),
    'cc_projection.weight': [768, 772],
    'cc_projection.bias': [768],
    ...firstStage('vae-sd'),
  }),
  'checkpoint-flux-dev': () => flux('flux-dev'),
  'checkpoint-flux-schnell': () => flux('flux-schnell'),
  'checkpoint-sd3': () => ({
    ...network('sd3'),
    ...prefixed('text_encoders.clip_l.transformer.', clipL()),
    ...prefixed('text_encoders.clip_g.transformer.', clipG()),
    ...prefixed('text_encoders.t5xxl.transformer.', t5xxl()),
    ...firstStage('vae-flux'),
  }),
  'checkpoint-ltxv': () => ({ ...network('ltxv'), ...vae('vae-ltxv') }),
  'checkpoint-auraflow': () => ({
    ...prefixed('model.', NETWORKS.auraflow()),
    ...prefixed('text_encoders.pile_t5xl.transformer.', pileT5()),
    ...vae('vae-sd'),
  }),
  'checkpoint-stable-audio': stableAudio,
  wav2vec2: () => exported('audio/wav2vec2_large'),
  'checkpoint-ace-step': () =>
    aceStepShapes(exported('audio/ace_transformer'), exported('audio/ace_autoencoder')),
  'ace-step-15': ace15,
  'vae-ace-step-15': aceVae,
  'qwen3-0.6b': aceText,
  'qwen3-codes': ace15CodeWriter,
  'checkpoint-ace-step-15': () => ({
    ...prefixed('model.diffusion_model.', ace15()),
    ...prefixed('text_encoders.qwen3_06b.transformer.', aceText()),
    ...prefixed('text_encoders.qwen3_2b.transformer.', ace15CodeWriter()),
    ...prefixed('vae.', aceVae()),
  }),
  'checkpoint-hunyuan3d': () => hunyuan3d(false),
  'checkpoint-hunyuan3d-turbo': () => hunyuan3d(true),
  'control-sd1': () => prefixed('control_model.', controlNetShapes(SD1)),
  't2i-sd1': () => t2i(),
  gligen: () => gligen(),
  'latent-upscaler': latentUpscaler,
  esrgan: () => published('esrgan_x4_new_keys'),
  embedding: () => ({ emb_params: [2, 768] }),
  'lora-sd1': () => lora('lora_unet_middle_block_1_proj_in', 320, 320),
  'lora-flux': () => lora('diffusion_model.double_blocks.0.img_attn.proj', 256, 256),
  'lora-wan': () => lora('diffusion_model.blocks.0.self_attn.q', 256, 256),
  'lora-z-image': () => lora('diffusion_model.layers.0.attention.out', 32, 32),
  'lora-qwen-image': () => lora('transformer_blocks.0.attn.to_q', 256, 256),
};

/** An adapter of four levels for images in blocks of eight pixels. */
function t2i(): Shapes {
  const found: Record<string, readonly number[]> = {
    'conv_in.weight': [320, 192, 3, 3],
    'conv_in.bias': [320],
  };
  for (let at = 0; at < 8; at++) {
    found[`body.${at}.block1.weight`] = [320, 320, 3, 3];
    found[`body.${at}.block1.bias`] = [320];
    found[`body.${at}.block2.weight`] = [320, 320, 1, 1];
    found[`body.${at}.block2.bias`] = [320];
  }
  return found;
}

/** The layers of boxes for Stable Diffusion 1. */
const gligen = (): Shapes =>
  withSides(partOf(exported('gligen'), 'gligen.'), { 8: 768, 32: 320, 72: 832, 128: 1280, 256: 2560 });
