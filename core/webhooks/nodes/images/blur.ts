import type { Steps } from '#core/base';
import { filterRows, type Weights, weightsOf } from './filter-rows.ts';
import type { Image } from './image.ts';

/**
 * Blurs by a Gaussian.
 * @param radius pixels to both sides; 0: as many as `sigma` needs
 * @param sigma the standard deviation, in pixels
 */
export function* blur(image: Image, radius: number, sigma: number): Steps<Image> {
  if (!(sigma > 0)) return image;
  const needed = Math.ceil(sigma * 3);
  const reach = radius >= 1 ? Math.min(Math.round(radius), needed) : needed;
  return yield* filterRows(
    image,
    gaussianWeights(image.width, reach, sigma),
    gaussianWeights(image.height, reach, sigma),
  );
}

function gaussianWeights(size: number, radius: number, sigma: number): Weights {
  return weightsOf(size, size, {
    center: (position) => position,
    radius: Math.min(radius, size),
    filter: (distance) => Math.exp((-distance * distance) / (2 * sigma * sigma)),
  });
}
