/** Combines two images by the operators of Porter and Duff, and by arithmetic on their colors. */
import type { Steps } from '#core/base';
import { NodeError } from '../../node-api/node-error.ts';
import type { Image } from './image.ts';

/** Colors and alpha from 0 to 1, not premultiplied. */
type Pixel = readonly [red: number, green: number, blue: number, alpha: number];
type Operator = (over: Pixel, under: Pixel) => Pixel;

/** How much of each image remains, by their alphas. */
function porterDuff(share: (over: number, under: number) => [over: number, under: number]): Operator {
  return (over, under) => {
    const [a, b] = share(over[3], under[3]);
    const [first, second] = [over[3] * a, under[3] * b];
    const alpha = first + second;
    const mix = (channel: 0 | 1 | 2) =>
      alpha > 0 ? (over[channel] * first + under[channel] * second) / alpha : 0;
    return [mix(0), mix(1), mix(2), alpha];
  };
}

/** Computes each channel, and lays the result over the lower image as far as the upper one is opaque. */
function arithmetic(compute: (over: number, under: number) => number): Operator {
  const lay = porterDuff((over) => [1, 1 - over]);
  return (over, under) => {
    // Where nothing lies below, the upper image remains.
    const channel = (index: 0 | 1 | 2) =>
      compute(over[index], under[index]) * under[3] + over[index] * (1 - under[3]);
    return lay([channel(0), channel(1), channel(2), over[3]], under);
  };
}

const OPERATORS: Record<string, Operator> = {
  Over: porterDuff((over) => [1, 1 - over]),
  Atop: porterDuff((over, under) => [under, 1 - over]),
  In: porterDuff((_over, under) => [under, 0]),
  Out: porterDuff((_over, under) => [1 - under, 0]),
  Xor: porterDuff((over, under) => [1 - under, 1 - over]),
  Copy: (over) => over,
  CopyRed: (over, [, green, blue, alpha]) => [over[0], green, blue, alpha],
  CopyGreen: (over, [red, , blue, alpha]) => [red, over[1], blue, alpha],
  CopyBlue: (over, [red, green, , alpha]) => [red, green, over[2], alpha],
  CopyOpacity: (over, [red, green, blue]) => [red, green, blue, over[3]],
  Plus: arithmetic((over, under) => over + under),
  Add: arithmetic((over, under) => (over + under > 1 ? over + under - 256 / 255 : over + under)),
  Minus: arithmetic((over, under) => under - over),
  Subtract: arithmetic((over, under) => (under < over ? under - over + 256 / 255 : under - over)),
  Difference: arithmetic((over, under) => Math.abs(over - under)),
  Multiply: arithmetic((over, under) => over * under),
  Divide: arithmetic((over, under) => (over > 0 ? under / over : 1)),
};

/** The operators that images can be combined by. */
export const OPERATOR_NAMES = Object.keys(OPERATORS);

/**
 * Lays `over` on `under`, with its corner at the point.
 * @throws NodeError for an operator that is not there
 */
export function* composite(
  under: Image,
  over: Image,
  { operator, left, top }: { operator: string; left: number; top: number },
): Steps<Image> {
  const combine = Object.hasOwn(OPERATORS, operator) ? OPERATORS[operator] : undefined;
  if (!combine) {
    throw new NodeError(
      `The operator "${operator}" is not there: choose one of ${OPERATOR_NAMES.join(', ')}`,
    );
  }
  const data = under.data.slice();
  const [x0, y0] = [Math.max(0, left), Math.max(0, top)];
  const [x1, y1] = [Math.min(under.width, left + over.width), Math.min(under.height, top + over.height)];
  for (let y = y0; y < y1; y++) {
    for (let x = x0; x < x1; x++) {
      const at = (y * under.width + x) * 4;
      const from = ((y - top) * over.width + x - left) * 4;
      const result = combine(pixelAt(over.data, from), pixelAt(data, at));
      for (const [channel, value] of result.entries()) {
        data[at + channel] = Math.round(Math.min(1, Math.max(0, value)) * 255);
      }
    }
    yield;
  }
  return { ...under, data };
}

function pixelAt(data: Uint8Array, at: number): Pixel {
  return [data[at]! / 255, data[at + 1]! / 255, data[at + 2]! / 255, data[at + 3]! / 255];
}
