/** Real-ESRGAN's compact network: layers at the size of the small image, with a pixel shuffle at the end. */
import { ModelUnsupported } from '#core/host';
import { biasedConvolution, repeatCells } from '../../layers/convolution.ts';
import { add } from '../../layers/elementary.ts';
import type { NetworkModule, Value } from '../../layers/network-module.ts';
import { pixelShuffle } from '../../layers/pixel-shuffle.ts';
import { COLORS, requireColors, type UpscalerKind, upscalerNetwork } from './upscaler-network.ts';

/** SRVGGNetCompact: convolutions with PReLU between them (He et al., "Delving deep into rectifiers", 2015). */
export const compact: UpscalerKind = {
  name: 'Real-ESRGAN compact',
  read(table) {
    const isCompact =
      table.get('body.0.weight')?.shape.length === 4 && table.get('body.1.weight')?.shape.length === 1;
    return isCompact ? upscalerNetwork(table, build) : undefined;
  },
};

function build(root: NetworkModule, image: Value): { larger: Value; scale: number; multiple: number } {
  const layers = root.list('body');
  const last = layers.at(-1)!;
  const [channels = 0] = last.shape();
  const scale = Math.sqrt(channels / COLORS);
  if (!Number.isInteger(scale) || last.shape().length !== 4)
    throw new ModelUnsupported(`its last layer ${last.path} does not make squares of RGB pixels`);
  requireColors(layers[0]!.shape()[1], COLORS);
  let x = image;
  for (const layer of layers)
    x = layer.shape().length === 1 ? parametricRelu(layer, x) : biasedConvolution(layer, x);
  // The layers compute the difference to the image with repeated pixels.
  const larger = add(root, pixelShuffle(root, x, scale), repeatCells(root, image, scale));
  return { larger, scale, multiple: 1 };
}

/** x, or a slope of its own for each channel · x where x is negative. */
function parametricRelu(m: NetworkModule, x: Value): Value {
  const slopes = m.op('Unsqueeze', [m.parameter(), m.graph.int64Initializer([1, 2])]);
  return m.op('PRelu', [x, slopes]);
}
