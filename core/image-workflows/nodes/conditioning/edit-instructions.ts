/** Prompts for Qwen-Image-Edit and its kind: the text encoder and the network both see the images. */
import { imageRaster, rasterToImage, withChannels } from '../../images/rasters.ts';
import { resize } from '../../images/resize/resize.ts';
import { roundHalfEven } from '../../images/rounding.ts';
import { encodePrompts } from '../../models/encoders/encode-prompts.ts';
import type { ClipModel } from '../../values/clip-model.ts';
import { type Conditioning, withOptions } from '../../values/conditioning.ts';
import type { VaeModel } from '../../values/image-models.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { link, optional, string } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';
import prompts from './qwen-edit-prompts.json' with { type: 'json' };

/** Pixels of an image as the network sees it, and as the text encoder of several images sees it. */
const [NETWORK_PIXELS, SMALL_PIXELS] = [1024 ** 2, 384 ** 2];
/** Pixels of a latent cell along each side. */
const CELL = 8;

const shared = {
  category: 'advanced/conditioning',
  module: 'comfy_extras.nodes_qwen',
  modern: true,
  outputs: [output('CONDITIONING')],
} as const;
const text = () => string({ multiline: true, dynamicPrompts: true });

/** The image in its aspect ratio with about this many pixels. @param step both sides are multiples of it */
function withPixels(image: FloatTensor, pixels: number, step = 1): FloatTensor {
  const raster = withChannels(imageRaster(image), 3);
  const factor = Math.sqrt(pixels / (raster.width * raster.height));
  const side = (length: number) => Math.max(step, roundHalfEven((length * factor) / step) * step);
  return rasterToImage(resize(raster, side(raster.width), side(raster.height), 'area'));
}

interface Instruction {
  clip: ClipModel;
  prompt: string;
  /** As the text encoder sees them. */
  seen: readonly FloatTensor[];
  /** As the network sees them. */
  references: readonly FloatTensor[];
  vae: VaeModel | undefined;
}

async function encodeInstruction(
  { clip, prompt, seen, references, vae }: Instruction,
  signal: AbortSignal,
): Promise<Conditioning> {
  const latents: FloatTensor[] = [];
  if (vae) for (const image of references) latents.push(await vae.encode(image, signal));
  const encoded = await encodePrompts(clip, prompt, signal, [], seen);
  if (latents.length === 0) return encoded;
  return withOptions(encoded, ({ references: before }) => ({
    references: { latents: [...(before?.latents ?? []), ...latents] },
  }));
}

const inTemplate = (prompt: string): string => prompts.template.replace('{}', () => prompt);

const oneImage = node({
  ...shared,
  name: 'TextEncodeQwenImageEdit',
  description: 'Encodes an instruction to change an image, for Qwen-Image-Edit and LongCat-Image-Edit.',
  inputs: {
    clip: link('CLIP'),
    prompt: text(),
    vae: optional(link('VAE')),
    image: optional(link('IMAGE')),
  },
  async run({ clip, prompt, vae, image }, { signal }) {
    const sized = image ? [withPixels(image, NETWORK_PIXELS)] : [];
    return [await encodeInstruction({ clip, prompt, seen: sized, references: sized, vae }, signal)];
  },
});

const severalImages = node({
  ...shared,
  name: 'TextEncodeQwenImageEditPlus',
  description: 'Encodes an instruction to change up to three images, for later versions of Qwen-Image-Edit.',
  inputs: {
    clip: link('CLIP'),
    prompt: text(),
    vae: optional(link('VAE')),
    image1: optional(link('IMAGE')),
    image2: optional(link('IMAGE')),
    image3: optional(link('IMAGE')),
  },
  async run({ clip, prompt, vae, image1, image2, image3 }, { signal }) {
    const numbered = [image1, image2, image3].flatMap((image, at) => (image ? [{ image, at }] : []));
    const named = numbered.map(({ at }) => `Picture ${at + 1}: ${prompts.image}`).join('');
    return [
      await encodeInstruction(
        {
          clip,
          prompt: inTemplate(named + prompt),
          seen: numbered.map(({ image }) => withPixels(image, SMALL_PIXELS)),
          references: numbered.map(({ image }) => withPixels(image, NETWORK_PIXELS, CELL)),
          vae,
        },
        signal,
      ),
    ];
  },
});

export const editInstructionNodes: AnyNode[] = [oneImage, severalImages];
