/** Nodes that create and change masks. */
import { crop } from '../../images/operations/geometry.ts';
import { combineMasks, featherMask, MASK_OPERATIONS, maskOfColor } from '../../images/operations/masks.ts';
import { growMask } from '../../images/operations/morphology.ts';
import {
  emptyRaster,
  extractChannel,
  imageRaster,
  mapRaster,
  maskRaster,
  rasterToImage,
  rasterToMask,
} from '../../images/rasters.ts';
import { runYielding } from '../../yielding/steps.ts';
import { boolean, choice, float, int, link } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

const module = 'comfy_extras.nodes_mask';
const category = 'mask';
const mask = link('MASK', undefined);
const image = link('IMAGE', undefined);
const position = int({ default: 0, min: 0, max: 16384, step: 1 });
const size = int({ default: 512, min: 1, max: 16384, step: 1 });

const maskToImage = node({
  name: 'MaskToImage',
  displayName: 'Convert Mask to Image',
  category,
  module,
  description: 'Converts a mask to gray images.',
  inputs: { mask },
  outputs: [output('IMAGE')],
  run({ mask }) {
    const raster = maskRaster(mask);
    const gray = emptyRaster(raster.batch, raster.height, raster.width, 3);
    for (let at = 0; at < gray.data.length; at++) gray.data[at] = raster.data[Math.floor(at / 3)]!;
    return [rasterToImage(gray)];
  },
});

const CHANNELS = ['red', 'green', 'blue', 'alpha'] as const;

const imageToMask = node({
  name: 'ImageToMask',
  displayName: 'Convert Image to Mask',
  category,
  module,
  description: 'Converts one channel of images to a mask.',
  inputs: { image, channel: choice(CHANNELS) },
  outputs: [output('MASK')],
  run({ image, channel }) {
    const raster = imageRaster(image);
    const index = CHANNELS.indexOf(channel);
    if (index >= raster.channels)
      throw new RangeError(`the image has ${raster.channels} channels and none called '${channel}'`);
    return [rasterToMask(extractChannel(raster, index))];
  },
});

const imageColorToMask = node({
  name: 'ImageColorToMask',
  displayName: 'ImageColorToMask',
  category,
  module,
  description: 'Creates a mask of all pixels with exactly this color.',
  inputs: { image, color: int({ default: 0, min: 0, max: 0xffffff, step: 1, display: 'color' }) },
  outputs: [output('MASK')],
  run: ({ image, color }) => [rasterToMask(maskOfColor(imageRaster(image), color))],
});

const solidMask = node({
  name: 'SolidMask',
  displayName: 'SolidMask',
  category,
  module,
  description: 'Creates a mask with one value.',
  inputs: { value: float({ default: 1.0, min: 0.0, max: 1.0, step: 0.01 }), width: size, height: size },
  outputs: [output('MASK')],
  run: ({ value, width, height }) => [rasterToMask(emptyRaster(1, height, width, 1, value))],
});

const invertMask = node({
  name: 'InvertMask',
  displayName: 'InvertMask',
  category,
  module,
  description: 'Swaps inside and outside.',
  inputs: { mask },
  outputs: [output('MASK')],
  run: ({ mask }) => [rasterToMask(mapRaster(maskRaster(mask), (value) => 1 - value))],
});

const cropMask = node({
  name: 'CropMask',
  displayName: 'CropMask',
  category,
  module,
  description: 'Cuts a rectangle out of a mask.',
  inputs: { mask, x: position, y: position, width: size, height: size },
  outputs: [output('MASK')],
  run: ({ mask, x, y, width, height }) => [rasterToMask(crop(maskRaster(mask), x, y, width, height))],
});

const maskComposite = node({
  name: 'MaskComposite',
  displayName: 'MaskComposite',
  category,
  module,
  description: 'Combines one mask into another at a position.',
  inputs: { destination: mask, source: mask, x: position, y: position, operation: choice(MASK_OPERATIONS) },
  outputs: [output('MASK')],
  run: ({ destination, source, x, y, operation }) => [
    rasterToMask(combineMasks(maskRaster(destination), maskRaster(source), x, y, operation)),
  ],
});

const featherMaskNode = node({
  name: 'FeatherMask',
  displayName: 'FeatherMask',
  category,
  module,
  description: 'Fades a mask out towards its sides.',
  inputs: { mask, left: position, top: position, right: position, bottom: position },
  outputs: [output('MASK')],
  run: ({ mask, ...sides }) => [rasterToMask(featherMask(maskRaster(mask), sides))],
});

const growMaskNode = node({
  name: 'GrowMask',
  displayName: 'GrowMask',
  category,
  module,
  description: 'Grows a mask by a number of pixels, or shrinks it by a negative one.',
  inputs: {
    mask,
    expand: int({ default: 0, min: -16384, max: 16384, step: 1 }),
    tapered_corners: boolean({ default: true }),
  },
  outputs: [output('MASK')],
  run: async ({ mask, expand, tapered_corners }, { signal }) => [
    rasterToMask(await runYielding(growMask(maskRaster(mask), expand, tapered_corners), signal)),
  ],
});

const thresholdMask = node({
  name: 'ThresholdMask',
  displayName: 'ThresholdMask',
  category,
  module,
  description: 'Sets a mask to 1 above a value and to 0 elsewhere.',
  inputs: { mask, value: float({ default: 0.5, min: 0.0, max: 1.0, step: 0.01 }) },
  outputs: [output('MASK')],
  run: ({ mask, value }) => [
    rasterToMask(mapRaster(maskRaster(mask), (maskValue) => Number(maskValue > value))),
  ],
});

export const maskNodes: AnyNode[] = [
  maskToImage,
  imageToMask,
  imageColorToMask,
  solidMask,
  invertMask,
  cropMask,
  maskComposite,
  featherMaskNode,
  growMaskNode,
  thresholdMask,
];
