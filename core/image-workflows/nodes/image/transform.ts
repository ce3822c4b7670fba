/** Nodes that crop, rotate and place images. */
import { composite } from '../../images/operations/composite.ts';
import { crop, flipHorizontally, flipVertically, rotate } from '../../images/operations/geometry.ts';
import { padForOutpaint } from '../../images/operations/outpaint.ts';
import { DIRECTIONS, SPACING_COLORS, stitch } from '../../images/operations/stitch.ts';
import { imageRaster, maskRaster, rasterToImage, rasterToMask, withChannels } from '../../images/rasters.ts';
import { boolean, choice, int, link, optional } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

const size = (standard: number, step = 1) => int({ default: standard, min: 1, max: 16384, step });
const offset = (step = 1) => int({ default: 0, min: 0, max: 16384, step });

const imageCrop = node({
  name: 'ImageCrop',
  displayName: 'Image Crop',
  category: 'image/transform',
  module: 'comfy_extras.nodes_images',
  description: 'Cuts a rectangle out of images. The part of it outside of the image is omitted.',
  inputs: { image: link('IMAGE', undefined), width: size(512), height: size(512), x: offset(), y: offset() },
  outputs: [output('IMAGE')],
  run({ image, width, height, x, y }) {
    const raster = imageRaster(image);
    return [
      rasterToImage(
        crop(raster, Math.min(x, raster.width - 1), Math.min(y, raster.height - 1), width, height),
      ),
    ];
  },
});

const imageFlip = node({
  name: 'ImageFlip',
  displayName: 'ImageFlip',
  category: 'image/transform',
  module: 'comfy_extras.nodes_images',
  description: 'Mirrors images.',
  inputs: {
    image: link('IMAGE', undefined),
    flip_method: choice(['x-axis: vertically', 'y-axis: horizontally']),
  },
  outputs: [output('IMAGE')],
  run: ({ image, flip_method }) => [
    rasterToImage((flip_method.startsWith('x') ? flipVertically : flipHorizontally)(imageRaster(image))),
  ],
});

const imageRotate = node({
  name: 'ImageRotate',
  displayName: 'ImageRotate',
  category: 'image/transform',
  module: 'comfy_extras.nodes_images',
  description: 'Rotates images clockwise by multiples of 90 degrees.',
  inputs: {
    image: link('IMAGE', undefined),
    rotation: choice(['none', '90 degrees', '180 degrees', '270 degrees']),
  },
  outputs: [output('IMAGE')],
  run: ({ image, rotation }) => [
    rasterToImage(rotate(imageRaster(image), Math.trunc((Number.parseInt(rotation, 10) || 0) / 90))),
  ],
});

const imagePadForOutpaint = node({
  name: 'ImagePadForOutpaint',
  displayName: 'Pad Image for Outpainting',
  category: 'image',
  module: 'nodes',
  description: 'Adds gray borders for outpainting, and outputs a mask of them.',
  inputs: {
    image: link('IMAGE', undefined),
    left: offset(8),
    top: offset(8),
    right: offset(8),
    bottom: offset(8),
    feathering: int({ default: 40, min: 0, max: 16384, step: 1 }),
  },
  outputs: [output('IMAGE'), output('MASK')],
  run({ image, feathering, ...margins }) {
    const padded = padForOutpaint(imageRaster(image), margins, feathering);
    return [rasterToImage(padded.image), rasterToMask(padded.mask)];
  },
});

const imageCompositeMasked = node({
  name: 'ImageCompositeMasked',
  displayName: 'ImageCompositeMasked',
  category: 'image',
  module: 'comfy_extras.nodes_mask',
  description: 'Lays one image over another at a position, through an optional mask.',
  inputs: {
    destination: link('IMAGE', undefined),
    source: link('IMAGE', undefined),
    x: offset(),
    y: offset(),
    resize_source: boolean({ default: false }),
    mask: optional(link('MASK', undefined)),
  },
  outputs: [output('IMAGE')],
  run({ destination, source, x, y, resize_source, mask }) {
    const below = imageRaster(destination);
    const above = withChannels(imageRaster(source), below.channels);
    const options = { resizeSource: resize_source, ...(mask && { mask: maskRaster(mask) }) };
    return [rasterToImage(composite(below, above, x, y, options))];
  },
});

const imageStitch = node({
  name: 'ImageStitch',
  displayName: 'Image Stitch',
  category: 'image/transform',
  module: 'comfy_extras.nodes_images',
  description:
    'Puts a second image next to the first. Without a second image it outputs the first unchanged.',
  inputs: {
    image1: link('IMAGE', undefined),
    direction: choice(DIRECTIONS, { default: 'right' }),
    match_image_size: boolean({ default: true }),
    spacing_width: int({ default: 0, min: 0, max: 1024, step: 2 }),
    spacing_color: choice(SPACING_COLORS, { default: 'white' }),
    image2: optional(link('IMAGE', undefined)),
  },
  outputs: [output('IMAGE')],
  run({ image1, image2, direction, match_image_size, spacing_width, spacing_color }) {
    if (!image2) return [image1];
    const stitched = stitch(imageRaster(image1), imageRaster(image2), {
      direction,
      matchSize: match_image_size,
      spacing: spacing_width,
      color: spacing_color,
    });
    return [rasterToImage(stitched)];
  },
});

export const imageTransformNodes: AnyNode[] = [
  imageCrop,
  imageFlip,
  imageRotate,
  imagePadForOutpaint,
  imageCompositeMasked,
  imageStitch,
];
