/** Images with an alpha channel. Masks of these nodes are transparency: 1 - alpha. */
import { matchRasters } from '../../images/operations/blend.ts';
import { PORTER_DUFF_MODES, porterDuff } from '../../images/operations/porter-duff.ts';
import {
  emptyRaster,
  extractChannel,
  imageRaster,
  mapRaster,
  maskRaster,
  type Raster,
  rasterToImage,
  rasterToMask,
  repeatToBatch,
  withChannels,
} from '../../images/rasters.ts';
import { resize } from '../../images/resize/resize.ts';
import { choice, link } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

const module = 'comfy_extras.nodes_compositing';
const category = 'mask/compositing';
const invert = (mask: Raster): Raster => mapRaster(mask, (value) => 1 - value);

const joinImageWithAlpha = node({
  name: 'JoinImageWithAlpha',
  displayName: 'Join Image with Alpha',
  category,
  module,
  description: 'Adds an alpha channel to images: transparent where the mask is 1.',
  modern: true,
  inputs: { image: link('IMAGE'), alpha: link('MASK') },
  outputs: [output('IMAGE')],
  run({ image, alpha }) {
    const raster = imageRaster(image);
    const fitted = resize(maskRaster(alpha), raster.width, raster.height, 'bilinear');
    const batch = Math.max(raster.batch, fitted.batch);
    const opacity = invert(repeatToBatch(fitted, batch));
    const rgba = withChannels(withChannels(repeatToBatch(raster, batch), 3), 4);
    for (let pixel = 0; pixel < opacity.data.length; pixel++) rgba.data[pixel * 4 + 3] = opacity.data[pixel]!;
    return [rasterToImage(rgba)];
  },
});

const splitImageWithAlpha = node({
  name: 'SplitImageWithAlpha',
  displayName: 'Split Image with Alpha',
  category,
  module,
  description: 'Splits images into colors and transparency: the mask is 1 where they are transparent.',
  modern: true,
  inputs: { image: link('IMAGE') },
  outputs: [output('IMAGE'), output('MASK')],
  run({ image }) {
    const raster = imageRaster(image);
    const mask =
      raster.channels > 3
        ? invert(extractChannel(raster, 3))
        : emptyRaster(raster.batch, raster.height, raster.width, 1);
    return [rasterToImage(withChannels(raster, 3)), rasterToMask(mask)];
  },
});

const porterDuffImageComposite = node({
  name: 'PorterDuffImageComposite',
  displayName: 'Porter-Duff Image Composite',
  category,
  module,
  description:
    'Lays one image over another by the rules of Porter and Duff. Both alpha masks are 1 where the image is transparent.',
  modern: true,
  inputs: {
    source: link('IMAGE'),
    source_alpha: link('MASK'),
    destination: link('IMAGE'),
    destination_alpha: link('MASK'),
    mode: choice(PORTER_DUFF_MODES, { default: 'DST' }),
  },
  outputs: [output('IMAGE'), output('MASK')],
  run({ source, source_alpha, destination, destination_alpha, mode }) {
    const [below, above] = matchRasters(imageRaster(destination), imageRaster(source), 'bicubic');
    const alphaOf = (mask: Raster): Raster =>
      invert(
        repeatToBatch(
          mask.width === below.width && mask.height === below.height
            ? mask
            : resize(mask, below.width, below.height, 'bicubic', 'center'),
          below.batch,
        ),
      );
    const composite = porterDuff(
      above,
      alphaOf(maskRaster(source_alpha)),
      below,
      alphaOf(maskRaster(destination_alpha)),
      mode,
    );
    return [rasterToImage(composite.image), rasterToMask(invert(composite.alpha))];
  },
});

export const maskCompositingNodes: AnyNode[] = [
  joinImageWithAlpha,
  splitImageWithAlpha,
  porterDuffImageComposite,
];
