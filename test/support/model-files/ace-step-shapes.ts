/** The shapes of a small ACE-Step with the parts of its published checkpoint. */
import { type Shapes, t5Shapes } from './weight-files.ts';

/** How many times longer each level of the vocoder makes its input: 512 samples for a step. */
const STRIDES = [4, 4, 2, 2, 2, 2, 2];
/** Channels before the first level. Each level halves them. */
const CHANNELS = 128;

const prefixed = (prefix: string, shapes: Shapes): Shapes =>
  Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [prefix + name, shape]));

const normed = (name: string, ...shape: number[]): Shapes => ({
  [`${name}.weight_g`]: [shape[0]!, 1, 1],
  [`${name}.weight_v`]: shape,
});

const withBias = (name: string, outputs: number, ...shape: number[]): Shapes => ({
  ...normed(name, ...shape),
  [`${name}.bias`]: [outputs],
});

/** The exported vocoder has two levels, and the published one has seven. */
function vocoderHead(features: number): Shapes {
  const name = 'vocoder.head';
  let shapes = withBias(`${name}.conv_pre`, CHANNELS, CHANNELS, features, 13);
  for (const [level, stride] of STRIDES.entries()) {
    const [from, to] = [CHANNELS >> level, CHANNELS >> (level + 1)];
    shapes = { ...shapes, ...withBias(`${name}.ups.${level}`, to, from, to, 2 * stride) };
    for (const convolutions of ['convs1', 'convs2'])
      for (let index = 0; index < 3; index++)
        shapes = {
          ...shapes,
          ...withBias(`${name}.resblocks.${level}.${convolutions}.${index}`, to, to, to, 3),
        };
  }
  return { ...shapes, ...withBias(`${name}.conv_post`, 1, 1, 1, 13) };
}

/**
 * By the names of the checkpoint.
 * @param transformer @param autoencoder the shapes in `test/diffusers/weight_files/audio`
 */
export function aceStepShapes(transformer: Shapes, autoencoder: Shapes): Shapes {
  const withoutHead = Object.entries(autoencoder).filter(([name]) => !name.startsWith('vocoder.head.'));
  return {
    ...prefixed('model.diffusion_model.', transformer),
    ...prefixed('vae.', { ...Object.fromEntries(withoutHead), ...vocoderHead(8) }),
    ...prefixed('text_encoders.umt5base.transformer.', t5Shapes({ width: 12, tokens: 256, isShared: false })),
  };
}
