/** Vision encoders, and style models that turn their output into prompt tokens. */
import { clipVisionNames, loadClipVision } from '../../models/vision/clip-vision.ts';
import { loadStyleModel, styleModelNames } from '../../models/vision/style-model.ts';
import { map } from '../../sampling/tensor-math.ts';
import { concatChannels, toBatch } from '../../values/batches.ts';
import { choice, float, link } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

const clipVisionLoader = node({
  name: 'CLIPVisionLoader',
  displayName: 'Load CLIP Vision',
  category: 'loaders',
  module: 'nodes',
  description: 'Loads a vision encoder (CLIP or SigLIP) of the folder clip_vision.',
  inputs: { clip_name: choice(clipVisionNames) },
  outputs: [output('CLIP_VISION')],
  async run({ clip_name }, { host, signal }) {
    const model = await loadClipVision(host, clip_name);
    model.prepare?.(signal);
    return [model];
  },
});

const clipVisionEncode = node({
  name: 'CLIPVisionEncode',
  displayName: 'CLIP Vision Encode',
  category: 'conditioning',
  module: 'nodes',
  description:
    'Encodes images with a vision encoder: their center, or the full image squeezed into a square.',
  inputs: {
    clip_vision: link('CLIP_VISION', undefined),
    image: link('IMAGE', undefined),
    crop: choice(['center', 'none']),
  },
  outputs: [output('CLIP_VISION_OUTPUT')],
  run: async ({ clip_vision, image, crop }, { signal }) => [await clip_vision.encode(image, crop, signal)],
});

const styleModelLoader = node({
  name: 'StyleModelLoader',
  displayName: 'Load Style Model',
  category: 'loaders',
  module: 'nodes',
  description:
    'Loads a model of the folder style_models, which turns encoded images into prompt tokens, such as Flux Redux.',
  inputs: { style_model_name: choice(styleModelNames) },
  outputs: [output('STYLE_MODEL')],
  run: async ({ style_model_name }, { host }) => [await loadStyleModel(host, style_model_name)],
});

const styleModelApply = node({
  name: 'StyleModelApply',
  displayName: 'Apply Style Model',
  category: 'conditioning/style_model',
  module: 'nodes',
  description: 'Appends the tokens that a style model makes of images to a prompt.',
  inputs: {
    conditioning: link('CONDITIONING', undefined),
    style_model: link('STYLE_MODEL', undefined),
    clip_vision_output: link('CLIP_VISION_OUTPUT', undefined),
    strength: float({ default: 1.0, min: 0.0, max: 10.0, step: 0.001 }),
    strength_type: choice(['multiply', 'attn_bias']),
  },
  outputs: [output('CONDITIONING')],
  async run({ conditioning, style_model, clip_vision_output, strength, strength_type }, { signal }) {
    if (strength_type === 'attn_bias' && strength === 0) return [conditioning];
    if (strength_type === 'attn_bias' && strength !== 1)
      throw new Error(
        'attn_bias needs a mask inside of the network, for which an exported graph has no input: use multiply, or a strength of 1 or 0',
      );
    const { shape, data } = await style_model.tokens(clip_vision_output, signal);
    const [images = 1, tokensPerImage = 0, width = 0] = shape;
    // The tokens of all images go into one prompt, one image after another.
    const joined = { shape: [1, images * tokensPerImage, width], data };
    const tokens = strength === 1 ? joined : map((value) => value * strength, joined);
    return [
      conditioning.map(({ tensor, options }) => {
        const [batch = 1, , promptWidth] = tensor.shape;
        if (promptWidth !== width)
          throw new TypeError(
            `the style model makes tokens of ${width} numbers, and the prompt's have ${promptWidth}: it is for another kind of model`,
          );
        return { tensor: concatChannels(tensor, toBatch([tokens], batch)), options };
      }),
    ];
  },
});

export const clipVisionNodes: AnyNode[] = [
  clipVisionLoader,
  clipVisionEncode,
  styleModelLoader,
  styleModelApply,
];
