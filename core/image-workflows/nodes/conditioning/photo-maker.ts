/** PhotoMaker: the person of an image, at the word "photomaker" of a prompt. */

import { imageRaster, rasterAt, rasterToImage } from '../../images/rasters.ts';
import { encodePrompts } from '../../models/encoders/encode-prompts.ts';
import { loadPhotoMaker, photoMakerNames } from '../../models/vision/photo-maker.ts';
import { choice, link, string } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

const MARKER = 'photomaker';

const photoMakerLoader = node({
  name: 'PhotoMakerLoader',
  category: '_for_testing/photomaker',
  module: 'comfy_extras.nodes_photomaker',
  modern: true,
  experimental: true,
  description:
    'Loads a model of the folder photomaker, which puts the person of an image into prompts of SDXL.',
  inputs: { photomaker_model_name: choice(photoMakerNames) },
  outputs: [output('PHOTOMAKER')],
  run: async ({ photomaker_model_name }, { host }) => [await loadPhotoMaker(host, photomaker_model_name)],
});

const photoMakerEncode = node({
  name: 'PhotoMakerEncode',
  category: '_for_testing/photomaker',
  module: 'comfy_extras.nodes_photomaker',
  modern: true,
  experimental: true,
  description:
    'Encodes a prompt. The word before "photomaker" gets the person of the first image; "photomaker" itself is left out.',
  inputs: {
    photomaker: link('PHOTOMAKER'),
    image: link('IMAGE'),
    clip: link('CLIP'),
    text: string({ default: 'photograph of photomaker', multiline: true, dynamicPrompts: true }),
  },
  outputs: [output('CONDITIONING')],
  async run({ photomaker, image, clip, text }, { signal }) {
    const words = text.split(' ').filter((word) => word !== '');
    const at = words.indexOf(MARKER);
    // A prompt without the word has no person.
    if (at < 0) return [await encodePrompts(clip, text, signal)];
    const prompts = await encodePrompts(clip, words.toSpliced(at, 1).join(' '), signal);
    const person = rasterToImage(rasterAt(imageRaster(image), 0));
    return [
      await Promise.all(
        prompts.map(async ({ tensor, options }) => {
          // Each word counts as one token, after the token of the start.
          const [, tokens = 1, width = 1] = tensor.shape;
          const start = Math.min(at, tokens - 1) * width;
          const token = { shape: [1, width], data: tensor.data.slice(start, start + width) };
          const fused = await photomaker.withPerson(person, token, signal);
          const data = tensor.data.slice();
          data.set(fused.data, start);
          return { tensor: { shape: tensor.shape, data }, options };
        }),
      ),
    ];
  },
});

export const photoMakerNodes: AnyNode[] = [photoMakerLoader, photoMakerEncode];
