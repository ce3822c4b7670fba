/** Autoencoders with narrow layers. */
import {
  exported,
  narrowed,
  partOf,
  prefixed,
  published,
  renamed,
  type Shapes,
  selected,
  withSide,
  withSides,
} from './shapes.ts';

const NARROW = { 128: 32, 256: 32, 512: 32 };

const kl = (manifest: string): Shapes => withSides(published(manifest), NARROW);

/** The exported shapes are those of another number of latent channels. */
const hunyuan = (): Shapes => {
  const latents = 16;
  return {
    ...exported('hunyuan_vae'),
    'encoder.conv_out.conv.weight': [2 * latents, 32, 3, 3, 3],
    'encoder.conv_out.conv.bias': [2 * latents],
    'decoder.conv_in.conv.weight': [32, latents, 3, 3, 3],
    'quant_conv.weight': [2 * latents, 2 * latents, 1, 1, 1],
    'quant_conv.bias': [2 * latents],
    'post_quant_conv.weight': [latents, latents, 1, 1, 1],
    'post_quant_conv.bias': [latents],
  };
};

/** The exported shapes have another number of latent channels, and one level less that halves sides and frames. */
function wan22(): Shapes {
  const shapes = renamed(exported('videos/wan22_vae'), (name) =>
    name
      .replace('encoder.downsamples.2.', 'encoder.downsamples.3.')
      .replace(/^decoder\.upsamples\.([12])/, (_, level) => `decoder.upsamples.${Number(level) + 1}`),
  );
  const down = partOf(shapes, 'encoder.downsamples.1.');
  return {
    ...shapes,
    ...prefixed('encoder.downsamples.2.', {
      ...selected(down, (name) => !name.includes('shortcut')),
      'downsamples.0.residual.0.gamma': [8, 1, 1, 1],
      'downsamples.0.residual.2.weight': [8, 8, 3, 3, 3],
    }),
    ...prefixed('decoder.upsamples.1.', partOf(shapes, 'decoder.upsamples.0.')),
    'encoder.head.2.weight': [96, 8, 3, 3, 3],
    'encoder.head.2.bias': [96],
    'conv1.weight': [96, 96, 1, 1, 1],
    'conv1.bias': [96],
    'conv2.weight': [48, 48, 1, 1, 1],
    'conv2.bias': [48],
    'decoder.conv1.weight': [16, 48, 3, 3, 3],
  };
}

/** The decoder is that of the images of the SVD recording. */
const svd = (): Shapes => ({
  ...Object.fromEntries(
    Object.entries(kl('vae_sd')).filter(([name]) => /^(encoder|quant_conv)\./.test(name)),
  ),
  ...exported('video_decoder'),
});

/** The exported shapes have four channels, and two levels instead of four. */
const wan = (): Shapes => narrowed(published('vae_wan21'), 96, 8);

/** Pixels have an opacity, too. */
const layers = (): Shapes => {
  const shapes = wan();
  return {
    ...withSide(shapes, 'encoder.conv1.weight', 1, 4),
    'decoder.head.2.weight': shapes['decoder.head.2.weight']!.with(0, 4),
    'decoder.head.2.bias': [4],
  };
};

const flux2 = (): Shapes => {
  const shapes = exported('flux2_vae');
  return {
    ...shapes,
    'encoder.conv_out.weight': [64, 64, 3, 3],
    'encoder.conv_out.bias': [64],
    'decoder.conv_in.weight': [64, 32, 3, 3],
    'quant_conv.weight': [64, 64, 1, 1],
    'quant_conv.bias': [64],
    'post_quant_conv.weight': [32, 32, 1, 1],
    'post_quant_conv.bias': [32],
    'bn.running_mean': [128],
    'bn.running_var': [128],
  };
};

export const AUTOENCODERS = {
  'vae-sd': () => kl('vae_sd'),
  'vae-flux': () => kl('vae_flux16'),
  'vae-flux2': flux2,
  'vae-svd': svd,
  'vae-wan': wan,
  'vae-layers': layers,
  'vae-wan22': wan22,
  'vae-hunyuan-video': hunyuan,
  'vae-hunyuan-video-15': () => exported('hunyuan/hunyuan_refiner_vae'),
  'vae-hunyuan-image': () => exported('hunyuan/hunyuan_image_vae'),
  'vae-ltxv': () => published('vae_ltxv_0.9'),
  'vae-stable-audio': () => partOf(published('stable_audio'), 'pretransform.model.'),
} as const satisfies Record<string, () => Shapes>;
