/** Nodes that create, join and split batches of images. */

import { fromYuv, toYuv } from '../../images/operations/yuv.ts';
import {
  concatBatches,
  emptyRaster,
  imageRaster,
  mapRaster,
  rasterAt,
  rasterToImage,
  repeatToBatch,
  withChannels,
} from '../../images/rasters.ts';
import { resize } from '../../images/resize/resize.ts';
import { clamp01 } from '../../images/rounding.ts';
import { TorchGenerator } from '../../sampling/random/torch-generator.ts';
import { fraction, seed } from '../kernel/common-inputs.ts';
import { int, link } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

const emptyImage = node({
  name: 'EmptyImage',
  displayName: 'EmptyImage',
  category: 'image',
  module: 'nodes',
  description: 'Creates images of one color.',
  inputs: {
    width: int({ default: 512, min: 1, max: 16384, step: 1 }),
    height: int({ default: 512, min: 1, max: 16384, step: 1 }),
    batch_size: int({ default: 1, min: 1, max: 4096 }),
    color: int({ default: 0, min: 0, max: 0xffffff, step: 1, display: 'color' }),
  },
  outputs: [output('IMAGE')],
  run({ width, height, batch_size, color }) {
    const raster = emptyRaster(batch_size, height, width, 3);
    const channels = [(color >> 16) & 255, (color >> 8) & 255, color & 255].map((byte) => byte / 255);
    if (color !== 0) for (let at = 0; at < raster.data.length; at++) raster.data[at] = channels[at % 3]!;
    return [rasterToImage(raster)];
  },
});

const imageInvert = node({
  name: 'ImageInvert',
  displayName: 'Invert Image',
  category: 'image',
  module: 'nodes',
  description: 'Inverts every channel.',
  inputs: { image: link('IMAGE', undefined) },
  outputs: [output('IMAGE')],
  run: ({ image }) => [rasterToImage(mapRaster(imageRaster(image), (value) => 1 - value))],
});

const imageBatch = node({
  name: 'ImageBatch',
  displayName: 'Batch Images',
  category: 'image',
  module: 'nodes',
  description: 'Joins two batches of images. The second is resized to the size of the first.',
  inputs: { image1: link('IMAGE', undefined), image2: link('IMAGE', undefined) },
  outputs: [output('IMAGE')],
  run({ image1, image2 }) {
    const channels = Math.max(imageRaster(image1).channels, imageRaster(image2).channels);
    const first = withChannels(imageRaster(image1), channels);
    let second = withChannels(imageRaster(image2), channels);
    if (second.width !== first.width || second.height !== first.height)
      second = resize(second, first.width, first.height, 'bilinear', 'center');
    return [rasterToImage(concatBatches([first, second]))];
  },
});

const repeatImageBatch = node({
  name: 'RepeatImageBatch',
  displayName: 'RepeatImageBatch',
  category: 'image/batch',
  module: 'comfy_extras.nodes_images',
  description: 'Repeats a batch of images.',
  inputs: { image: link('IMAGE', undefined), amount: int({ default: 1, min: 1, max: 4096 }) },
  outputs: [output('IMAGE')],
  run({ image, amount }) {
    const raster = imageRaster(image);
    return [rasterToImage(repeatToBatch(raster, raster.batch * amount))];
  },
});

const imageFromBatch = node({
  name: 'ImageFromBatch',
  displayName: 'ImageFromBatch',
  category: 'image/batch',
  module: 'comfy_extras.nodes_images',
  description: 'Selects images of a batch.',
  inputs: {
    image: link('IMAGE', undefined),
    batch_index: int({ default: 0, min: 0, max: 4095 }),
    length: int({ default: 1, min: 1, max: 4096 }),
  },
  outputs: [output('IMAGE')],
  run({ image, batch_index, length }) {
    const raster = imageRaster(image);
    const start = Math.min(batch_index, raster.batch - 1);
    const count = Math.min(length, raster.batch - start);
    const size = raster.data.length / raster.batch;
    const data = raster.data.slice(start * size, (start + count) * size);
    return [rasterToImage({ ...raster, batch: count, data })];
  },
});

const rebatchImages = node({
  name: 'RebatchImages',
  displayName: 'Rebatch Images',
  category: 'image/batch',
  module: 'comfy_extras.nodes_rebatch',
  description: 'Redistributes images over batches of a size. Later nodes run once for each batch.',
  modern: true,
  inputsAreLists: true,
  inputs: { images: link('IMAGE'), batch_size: int({ default: 1, min: 1, max: 4096 }) },
  outputs: [output('IMAGE', undefined, { list: true })],
  run(values) {
    const { images, batch_size } = values as unknown as {
      images: Parameters<typeof imageRaster>[0][];
      batch_size: number[];
    };
    const size = batch_size[0]!;
    const singleImages = images
      .map(imageRaster)
      .flatMap((raster) => Array.from({ length: raster.batch }, (_, index) => rasterAt(raster, index)));
    const batches = [];
    for (let at = 0; at < singleImages.length; at += size)
      batches.push(rasterToImage(concatBatches(singleImages.slice(at, at + size))));
    return [batches];
  },
});

const getImageSize = node({
  name: 'GetImageSize',
  displayName: 'Get Image Size',
  category: 'image',
  module: 'comfy_extras.nodes_images',
  description: 'Outputs the width, height and number of images.',
  inputs: { image: link('IMAGE', undefined) },
  hidden: { unique_id: 'UNIQUE_ID' },
  outputs: [output('INT', 'width'), output('INT', 'height'), output('INT', 'batch_size')],
  run({ image }, context) {
    const { width, height, batch } = imageRaster(image);
    context.sendText(`width: ${width}, height: ${height}\n batch size: ${batch}`);
    return [width, height, batch];
  },
});

const imageAddNoise = node({
  name: 'ImageAddNoise',
  displayName: 'ImageAddNoise',
  category: 'image',
  module: 'comfy_extras.nodes_images',
  description: 'Adds Gaussian noise. The same seed gives the same noise.',
  inputs: {
    image: link('IMAGE', undefined),
    seed: seed(),
    strength: fraction(0.5, 0.01),
  },
  outputs: [output('IMAGE')],
  run({ image, seed, strength }) {
    const raster = imageRaster(image);
    const noise = new TorchGenerator(seed).normal(image.shape).data;
    const data = raster.data.map((value, at) => clamp01(value + strength * noise[at]!));
    return [rasterToImage({ ...raster, data })];
  },
});

const imageRgbToYuv = node({
  name: 'ImageRGBToYUV',
  category: 'image/batch',
  module: 'comfy_extras.nodes_morphology',
  description: 'Splits images into brightness and two color differences.',
  modern: true,
  inputs: { image: link('IMAGE') },
  outputs: [output('IMAGE', 'Y'), output('IMAGE', 'U'), output('IMAGE', 'V')],
  run: ({ image }) => toYuv(imageRaster(image)).map(rasterToImage),
});

const imageYuvToRgb = node({
  name: 'ImageYUVToRGB',
  category: 'image/batch',
  module: 'comfy_extras.nodes_morphology',
  description: 'Joins brightness and two color differences to images.',
  modern: true,
  inputs: { Y: link('IMAGE'), U: link('IMAGE'), V: link('IMAGE') },
  outputs: [output('IMAGE')],
  run: ({ Y, U, V }) => [rasterToImage(fromYuv(imageRaster(Y), imageRaster(U), imageRaster(V)))],
});

export const imageBatchNodes: AnyNode[] = [
  emptyImage,
  imageInvert,
  imageBatch,
  repeatImageBatch,
  imageFromBatch,
  rebatchImages,
  getImageSize,
  imageAddNoise,
  imageRgbToYuv,
  imageYuvToRgb,
];
