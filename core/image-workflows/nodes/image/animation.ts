/** Batches of images saved as animated files. */

import { type CompressionLevel, encodeAnimatedPng, encodeAnimatedWebp } from '#core/image-codecs';
import { toPixels } from '../../images/pixels.ts';
import { imageRaster, type Raster } from '../../images/rasters.ts';
import { yieldToEventLoop } from '../../yielding/steps.ts';
import { METADATA_INPUTS } from '../kernel/common-inputs.ts';
import { boolean, choice, float, int, link, string } from '../kernel/inputs.ts';
import { type AnyNode, node } from '../kernel/node-type.ts';
import { metadataTexts } from '../kernel/save-files.ts';

const module = 'comfy_extras.nodes_images';
const category = 'image/animation';
const images = link('IMAGE', undefined);
const filename_prefix = string({ default: 'ComfyUI' });
const fps = float({ default: 6.0, min: 0.01, max: 1000.0, step: 0.01 });

const frames = (raster: Raster) =>
  Array.from({ length: raster.batch }, (_, index) => toPixels(raster, index));
/** Milliseconds for each frame. */
const duration = (framesPerSecond: number): number => Math.trunc(1000 / framesPerSecond);

const saveAnimatedPng = node({
  name: 'SaveAnimatedPNG',
  displayName: 'SaveAnimatedPNG',
  category,
  module,
  description: 'Saves a batch of images as an animated PNG.',
  isOutput: true,
  inputs: { images, filename_prefix, fps, compress_level: int({ default: 4, min: 0, max: 9 }) },
  hidden: METADATA_INPUTS,
  outputs: [],
  async run({ images, filename_prefix, fps, compress_level }, context) {
    const raster = imageRaster(images);
    const target = await context.files.target(filename_prefix, 'output', raster);
    const bytes = encodeAnimatedPng(frames(raster), {
      milliseconds: duration(fps),
      level: compress_level as CompressionLevel,
      texts: metadataTexts(context),
    });
    const saved = await context.files.save(target, 'output', 0, 'png', bytes);
    return { ui: { images: [saved], animated: [true] } };
  },
});

const METHODS = { default: 4, fastest: 0, slowest: 6 } as const;
/** EXIF fields for metadata: the graph in Model, the texts of the client in Make and the fields below it. */
const MODEL = 0x0110;
const MAKE = 0x010f;

const saveAnimatedWebp = node({
  name: 'SaveAnimatedWEBP',
  displayName: 'SaveAnimatedWEBP',
  category,
  module,
  description: 'Saves a batch of images as an animated WebP.',
  isOutput: true,
  inputs: {
    images,
    filename_prefix,
    fps,
    lossless: boolean({ default: true }),
    quality: int({ default: 80, min: 0, max: 100 }),
    method: choice(['default', 'fastest', 'slowest']),
  },
  hidden: METADATA_INPUTS,
  outputs: [],
  async run({ images, filename_prefix, fps, lossless, quality, method }, context) {
    const raster = imageRaster(images);
    const target = await context.files.target(filename_prefix, 'output', raster);
    const bytes = await encodeAnimatedWebp(
      frames(raster),
      {
        milliseconds: duration(fps),
        lossless,
        quality,
        method: METHODS[method],
        exif: exifFields(metadataTexts(context)),
      },
      context.host.imageCodecs,
      () => yieldToEventLoop(context.signal),
    );
    const saved = await context.files.save(target, 'output', 0, 'webp', bytes);
    return { ui: { images: [saved], animated: [true] } };
  },
});

function exifFields({ prompt, ...others }: Record<string, string>): Map<number, string> {
  const exif = new Map<number, string>();
  if (prompt !== undefined) exif.set(MODEL, `prompt:${prompt}`);
  for (const [index, [key, text]] of Object.entries(others).entries())
    exif.set(MAKE - index, `${key}:${text}`);
  return exif;
}

export const imageAnimationNodes: AnyNode[] = [saveAnimatedPng, saveAnimatedWebp];
