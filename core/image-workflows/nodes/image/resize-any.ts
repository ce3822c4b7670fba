/** ResizeImageMaskNode: resizes an image or a mask to a size that is given in one of several ways. */
import { crop } from '../../images/operations/geometry.ts';
import { imageRaster, maskRaster, type Raster, rasterToImage, rasterToMask } from '../../images/rasters.ts';
import { CROPS, IMAGE_METHODS, type ResizeMethod, resizeSteps } from '../../images/resize/resize.ts';
import { roundHalfEven } from '../../images/rounding.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { runYielding, type Steps } from '../../yielding/steps.ts';
import { matching, type VariantValue, variants } from '../kernel/dynamic-inputs.ts';
import { anyOf, choice, float, int } from '../kernel/inputs.ts';
import { type AnyNode, node } from '../kernel/node-type.ts';

const side = (tooltip: string) => int({ tooltip, default: 512, min: 0, max: 16384, step: 1 });
const cropping = () =>
  choice(CROPS, {
    tooltip: 'disabled stretches the image to the new shape. center cuts off what exceeds it.',
    default: 'center',
    multiselect: false,
  });

const SIZES = {
  'scale dimensions': {
    width: side('In pixels. 0: the width that keeps the shape.'),
    height: side('In pixels. 0: the height that keeps the shape.'),
    crop: cropping(),
  },
  'scale by multiplier': {
    multiplier: float({ tooltip: 'Factor of both sides.', default: 1, min: 0.01, max: 8, step: 0.01 }),
  },
  'scale longer dimension': { longer_size: side('Pixels of the longer side.') },
  'scale shorter dimension': { shorter_size: side('Pixels of the shorter side.') },
  'scale width': { width: side('In pixels. The height keeps the shape.') },
  'scale height': { height: side('In pixels. The width keeps the shape.') },
  'scale total pixels': {
    megapixels: float({
      tooltip: 'Number of pixels in units of 1024 x 1024.',
      default: 1,
      min: 0.01,
      max: 16,
      step: 0.01,
    }),
  },
  'match size': {
    match: anyOf('IMAGE,MASK', { tooltip: 'The image or mask whose size the result gets.' }),
    crop: cropping(),
  },
  'scale to multiple': {
    multiple: int({
      tooltip: 'Both sides become multiples of this number. What exceeds them is cut off.',
      default: 8,
      min: 1,
      max: 16384,
      step: 1,
    }),
  },
} as const;

type Size = VariantValue<typeof SIZES>;
type Target = { width: number; height: number; crop?: (typeof CROPS)[number] };

const anyRaster = (value: FloatTensor): Raster =>
  value?.shape?.length === 4 ? imageRaster(value) : maskRaster(value);
const pixels = (value: number): number => Math.max(1, roundHalfEven(value));

/** The new size of an image of this size. Sides of 0 follow from the other one. */
function targetOf({ width, height }: Raster, size: Exclude<Size, { key: 'scale to multiple' }>): Target {
  const wide = (high: number): Target => ({ width: pixels((width * high) / height), height: high });
  const high = (wide: number): Target => ({ width: wide, height: pixels((height * wide) / width) });
  const by = (factor: number): Target => ({ width: pixels(width * factor), height: pixels(height * factor) });
  switch (size.key) {
    case 'scale dimensions': {
      if (size.width === 0 && size.height === 0) return { width, height };
      if (size.width === 0) return { ...wide(size.height), crop: size.crop };
      return { ...(size.height === 0 ? high(size.width) : size), crop: size.crop };
    }
    case 'scale by multiplier':
      return by(size.multiplier);
    case 'scale longer dimension':
      return height > width ? wide(size.longer_size) : high(size.longer_size);
    case 'scale shorter dimension':
      return height < width ? wide(size.shorter_size) : high(size.shorter_size);
    case 'scale width':
      return high(size.width);
    case 'scale height':
      return wide(size.height);
    case 'scale total pixels':
      return by(Math.sqrt(Math.trunc(size.megapixels * 1024 * 1024) / (width * height)));
    case 'match size': {
      const match = anyRaster(size.match as FloatTensor);
      return { width: match.width, height: match.height, crop: size.crop };
    }
  }
}

/** Covers the largest multiples that fit, and cuts off the rest evenly on both sides. */
function* toMultiple(raster: Raster, multiple: number, method: ResizeMethod): Steps<Raster> {
  const width = Math.floor(raster.width / multiple) * multiple;
  const height = Math.floor(raster.height / multiple) * multiple;
  if (width === 0 || height === 0)
    throw new RangeError(
      `an image of ${raster.width} x ${raster.height} pixels has no sides that are multiples of ${multiple}: choose a smaller multiple`,
    );
  if (width === raster.width && height === raster.height) return raster;
  const factor = Math.max(width / raster.width, height / raster.height);
  const wide = Math.max(width, Math.ceil(raster.width * factor - 1e-9));
  const high = Math.max(height, Math.ceil(raster.height * factor - 1e-9));
  const scaled = yield* resizeSteps(raster, wide, high, method);
  return crop(scaled, Math.floor((wide - width) / 2), Math.floor((high - height) / 2), width, height);
}

export const resizeImageMask: AnyNode = node({
  name: 'ResizeImageMaskNode',
  displayName: 'Resize Image/Mask',
  category: 'image/transform',
  module: 'comfy_extras.nodes_post_processing',
  modern: true,
  description: 'Resizes an image or a mask.',
  inputs: {
    input: matching('input_type', 'IMAGE,MASK'),
    resize_type: variants(SIZES, { tooltip: 'By which numbers the new size is given.' }),
    scale_method: choice(IMAGE_METHODS, {
      tooltip: 'area is best for smaller images, lanczos for larger ones, nearest-exact for pixel art.',
      default: 'area',
      multiselect: false,
    }),
  },
  outputs: [{ type: 'COMFY_MATCHTYPE_V3', name: 'resized', matches: 'input_type' }],
  async run({ input, resize_type: size, scale_method }, { signal }) {
    const value = input as FloatTensor;
    const raster = anyRaster(value);
    const back = value.shape.length === 4 ? rasterToImage : rasterToMask;
    if (size.key === 'scale to multiple')
      return [back(await runYielding(toMultiple(raster, size.multiple, scale_method), signal))];
    const { width, height, crop = 'disabled' } = targetOf(raster, size);
    if (width === raster.width && height === raster.height) return [input];
    return [back(await runYielding(resizeSteps(raster, width, height, scale_method, crop), signal))];
  },
});
