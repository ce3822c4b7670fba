/** Pictures with opacity. Masks here say what is clear: 1 - alpha. */
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
const opposite = (mask: Raster): Raster => mapRaster(mask, (value) => 1 - value);

const joinImageWithAlpha = node({
  name: 'JoinImageWithAlpha',
  displayName: 'Join Image with Alpha',
  category,
  module,
  description: 'Gives pictures an opacity: clear where the mask is 1.',
  modern: true,
  inputs: { image: link('IMAGE'), alpha: link('MASK') },
  outputs: [output('IMAGE')],
  run({ image, alpha }) {
    const raster = imageRaster(image);
    const fitted = resize(maskRaster(alpha), raster.width, raster.height, 'bilinear');
    const batch = Math.max(raster.batch, fitted.batch);
    const opacity = opposite(repeatToBatch(fitted, batch));
    const made = withChannels(withChannels(repeatToBatch(raster, batch), 3), 4);
    for (let pixel = 0; pixel < opacity.data.length; pixel++) made.data[pixel * 4 + 3] = opacity.data[pixel]!;
    return [rasterToImage(made)];
  },
});

const splitImageWithAlpha = node({
  name: 'SplitImageWithAlpha',
  displayName: 'Split Image with Alpha',
  category,
  module,
  description: 'Colours and opacity of pictures apart; the mask is 1 where they are clear.',
  modern: true,
  inputs: { image: link('IMAGE') },
  outputs: [output('IMAGE'), output('MASK')],
  run({ image }) {
    const raster = imageRaster(image);
    const mask =
      raster.channels > 3
        ? opposite(extractChannel(raster, 3))
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
    'Lays one picture over another by the rules of Porter and Duff; both alphas are masks of what is clear.',
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
      opposite(
        repeatToBatch(
          mask.width === below.width && mask.height === below.height
            ? mask
            : resize(mask, below.width, below.height, 'bicubic', 'center'),
          below.batch,
        ),
      );
    const made = porterDuff(
      above,
      alphaOf(maskRaster(source_alpha)),
      below,
      alphaOf(maskRaster(destination_alpha)),
      mode,
    );
    return [rasterToImage(made.image), rasterToMask(opposite(made.alpha))];
  },
});

export const maskCompositingNodes: AnyNode[] = [
  joinImageWithAlpha,
  splitImageWithAlpha,
  porterDuffImageComposite,
];
