/** Prompts with images for Hunyuan Video. */
import { encodePrompts } from '../../models/encoders/encode-prompts.ts';
import { withOptions } from '../../values/conditioning.ts';
import { asFrames } from '../../values/single-frames.ts';
import { full, zeros } from '../../values/tensor.ts';
import { choice, float, int, link, optional, string } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';
import { encodeFrames, framesOf, videoInputs, withFirstFrames } from './given-frames.ts';
import templates from './hunyuan-templates.json' with { type: 'json' };

/** Frames of a video for each frame of a latent, but the first. */
const FRAMES = 4;
const [JOINED, REPLACED, CUSTOM] = ['v1 (concat)', 'v2 (replace)', 'custom'] as const;

const imageToVideo = node({
  name: 'HunyuanImageToVideo',
  displayName: 'HunyuanImageToVideo',
  category: 'conditioning/video_models',
  module: 'comfy_extras.nodes_hunyuan',
  description: 'Adds the first frames of a video to a prompt, and creates an empty latent.',
  inputs: {
    positive: link('CONDITIONING', undefined),
    vae: link('VAE', undefined),
    ...videoInputs(848, 480, 53, { side: 16, frames: FRAMES }),
    guidance_type: choice([JOINED, REPLACED, CUSTOM]),
    start_image: optional(link('IMAGE', undefined)),
  },
  outputs: [output('CONDITIONING', 'positive'), output('LATENT', 'latent')],
  async run({ positive, vae, batch_size, guidance_type, start_image, ...size }, { signal }) {
    const frames = Math.floor((size.length - 1) / FRAMES) + 1;
    const sides = [frames, Math.floor(size.height / 8), Math.floor(size.width / 8)] as const;
    const samples = zeros([batch_size, 16, ...sides]);
    if (!start_image) return [positive, { samples }];
    if (guidance_type === CUSTOM)
      throw new TypeError(
        `models of the kind ${guidance_type} do not run here yet: use ${JOINED} or ${REPLACED}`,
      );
    const first = framesOf(start_image, size);
    const latent = await encodeFrames(vae, first, signal);
    const mask = full([1, 1, ...sides], 1);
    mask.data.fill(0, 0, (Math.floor((first.batch - 1) / FRAMES) + 1) * sides[1] * sides[2]);
    if (guidance_type === JOINED)
      return [withOptions(positive, { inpainting: { latent, mask } }), { samples }];
    return [
      withOptions(positive, { isFirstFrameGiven: true }),
      { samples: withFirstFrames(samples, latent), noiseMask: mask },
    ];
  },
});

const encodeImagePrompt = node({
  name: 'TextEncodeHunyuanVideo_ImageToVideo',
  displayName: 'TextEncodeHunyuanVideo_ImageToVideo',
  category: 'advanced/conditioning',
  module: 'comfy_extras.nodes_hunyuan',
  description: 'Encodes a prompt for a video that begins with an image, which the text encoder sees as well.',
  inputs: {
    clip: link('CLIP', undefined),
    clip_vision_output: link('CLIP_VISION_OUTPUT', undefined),
    prompt: string({ multiline: true, dynamicPrompts: true }),
    image_interleave: int({ default: 2, min: 1, max: 512 }),
  },
  outputs: [output('CONDITIONING')],
  async run({ clip, clip_vision_output, prompt, image_interleave: interleave }, { signal }) {
    const shown = {
      template: templates.imageToVideo,
      tokens: clip_vision_output.languageTokens,
      interleave,
    };
    return [await encodePrompts(clip, prompt, signal, [], [], shown)];
  },
});

/** Channels of the refiner's latents. */
const REFINED_CHANNELS = 32;

const refinerLatent = node({
  name: 'HunyuanRefinerLatent',
  displayName: 'HunyuanRefinerLatent',
  category: 'sd',
  module: 'comfy_extras.nodes_hunyuan',
  description: 'Adds a latent that is refined to the prompts, and creates an empty latent for the refiner.',
  inputs: {
    positive: link('CONDITIONING', undefined),
    negative: link('CONDITIONING', undefined),
    latent: link('LATENT', undefined),
    noise_augmentation: float({ default: 0.1, min: 0.0, max: 1.0, step: 0.01 }),
  },
  outputs: [
    output('CONDITIONING', 'positive'),
    output('CONDITIONING', 'negative'),
    output('LATENT', 'latent'),
  ],
  run({ positive, negative, latent, noise_augmentation: noise }) {
    const { shape } = latent.samples.shape.length === 4 ? asFrames(latent.samples) : latent.samples;
    const inpainting = { latent: latent.samples, noise };
    const samples = zeros([shape[0]!, REFINED_CHANNELS, ...shape.slice(2)]);
    return [withOptions(positive, { inpainting }), withOptions(negative, { inpainting }), { samples }];
  },
});

/** The nodes in the order of `/object_info`. */
export const hunyuanVideoNodes: AnyNode[] = [encodeImagePrompt, imageToVideo, refinerLatent];
