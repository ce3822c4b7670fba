/** The last layers of upscale networks. */
import { ModelUnsupported } from '#core/host';
import { biasedConvolution, enlarge } from '../../layers/convolution.ts';
import { leakyRelu } from '../../layers/elementary.ts';
import type { NetworkModule, Value } from '../../layers/network-module.ts';
import { pixelShuffle } from '../../layers/pixel-shuffle.ts';

/** Leaky rectifiers between convolutions keep this share of negative numbers. */
export const SLOPE = 0.2;

/** A larger value, and how many times larger its sides are. */
export interface Enlarged {
  x: Value;
  scale: number;
}

export const activated = (m: NetworkModule, x: Value): Value => leakyRelu(m, biasedConvolution(m, x), SLOPE);

/** Repeats cells before each of `conv_up1`, `conv_up2`, …; then `conv_hr` and `conv_last`. */
export function enlargeByRepeating(root: NetworkModule, x: Value): Enlarged {
  let result = x;
  let scale = 1;
  const layer = () => root.at(`conv_up${Math.log2(scale) + 1}`);
  for (let up = layer(); up.exists(); up = layer()) {
    result = activated(up, enlarge(up, result));
    scale *= 2;
  }
  return { x: biasedConvolution(root.at('conv_last'), activated(root.at('conv_hr'), result)), scale };
}

/** Shuffles pixels after each of the layers `upsample.0`, `upsample.2`, …. The last one makes `channels`, if given. */
export function enlargeByShuffling(root: NetworkModule, x: Value, channels?: number): Enlarged {
  let result = x;
  let scale = 1;
  for (let number = 0; root.at(`upsample.${number}`).exists(); number += 2) {
    const layer = root.at(`upsample.${number}`);
    const [outputs = 0, inputs = 0] = layer.shape();
    const factor = Math.sqrt(outputs / (channels ?? inputs));
    if (!Number.isInteger(factor))
      throw new ModelUnsupported(
        `its layer ${layer.path} makes ${outputs} channels, which are no squares of pixels`,
      );
    result = pixelShuffle(layer, biasedConvolution(layer, result), factor);
    scale *= factor;
  }
  return { x: result, scale };
}
