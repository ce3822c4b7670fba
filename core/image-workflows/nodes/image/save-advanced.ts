/** SaveImageAdvanced: saves images in the format and with the depth that the graph names. */
import { encodeDeepPng, encodeExr, encodePng } from '#core/image-codecs';
import { linearFromHlg, linearFromSrgb, REC_2020 } from '../../images/light.ts';
import { toPixels } from '../../images/pixels.ts';
import { imageRaster, type Raster, rasterAt, withChannels } from '../../images/rasters.ts';
import { METADATA_INPUTS } from '../kernel/common-inputs.ts';
import { type VariantValue, variants } from '../kernel/dynamic-inputs.ts';
import { choice, link, string } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';
import { saveFiles } from '../kernel/save-files.ts';

const FORMATS = {
  png: {
    bit_depth: choice(['8-bit', '16-bit'], { default: '8-bit', multiselect: false }),
    input_color_space: choice(['sRGB'], { default: 'sRGB', multiselect: false }),
  },
  exr: {
    bit_depth: choice(['32-bit float'], { default: '32-bit float', multiselect: false }),
    input_color_space: choice(['sRGB', 'HDR', 'linear'], {
      default: 'sRGB',
      multiselect: false,
      tooltip:
        'How the numbers of the image are meant: sRGB; HDR is hybrid log-gamma of Rec. 2020; linear is saved as it is.',
    }),
  },
} as const;

type Format = VariantValue<typeof FORMATS>;

/** Three or four channels: a single one is gray. */
const colors = (image: Raster): Raster & { channels: 3 | 4 } => {
  const { channels } = image;
  if (channels === 3 || channels === 4) return { ...image, channels };
  if (channels !== 1) throw new RangeError(`an image has 1, 3 or 4 channels, not ${channels}`);
  const gray = withChannels(image, 3);
  for (let at = 0; at < gray.data.length; at++) gray.data[at] = image.data[Math.floor(at / 3)]!;
  return { ...gray, channels: 3 };
};

const clamped = (value: number) => Math.min(1, Math.max(0, value));

function encode(images: Raster, index: number, format: Format, texts: Record<string, string>): Uint8Array {
  if (format.key === 'png' && format.bit_depth === '8-bit')
    return encodePng(toPixels(images, index), { texts, level: 4 });
  const image = colors(rasterAt(images, index));
  if (format.key === 'png')
    return encodeDeepPng(
      { ...image, data: Uint16Array.from(image.data, (value) => Math.round(clamped(value) * 65535)) },
      { texts },
    );
  const space = format.input_color_space;
  const toLinear = { sRGB: linearFromSrgb, HDR: linearFromHlg, linear: (value: number) => value }[space];
  // Opacity is linear in every space.
  const data = image.data.map((value, at) => (at % image.channels === 3 ? value : toLinear(value)));
  return encodeExr({ ...image, data }, { texts, ...(space === 'HDR' && { chromaticities: REC_2020 }) });
}

export const saveImageAdvanced: AnyNode = node({
  name: 'SaveImageAdvanced',
  displayName: 'Save Image (Advanced)',
  category: 'image',
  module: 'comfy_extras.nodes_images',
  modern: true,
  description: 'Saves images as PNG with 8 or 16 bits, or as EXR with scene-linear floats.',
  isOutput: true,
  inputs: {
    images: link('IMAGE', { tooltip: 'The images to save.' }),
    filename_prefix: string({
      default: 'ComfyUI',
      multiline: false,
      tooltip: 'The start of the file names. May contain a folder, and tokens such as %year% and %width%.',
    }),
    format: variants(FORMATS, { tooltip: 'The format of the files.' }),
  },
  hidden: METADATA_INPUTS,
  outputs: [output('IMAGE', 'images')],
  async run({ images, filename_prefix, format }, context) {
    const raster = imageRaster(images);
    const target = await context.files.target(filename_prefix, 'output', raster);
    const saved = await saveFiles(raster.batch, [target, 'output', format.key], context, (index, texts) =>
      encode(raster, index, format, texts),
    );
    return { outputs: [images], ui: { images: saved } };
  },
});
