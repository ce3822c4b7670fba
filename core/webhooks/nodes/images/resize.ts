/** Changes the size of images, as GraphicsMagick's geometries say. */
import type { Steps } from '#core/base';
import { NodeError } from '../../node-api/node-error.ts';
import { filterRows, type Weights, weightsOf } from './filter-rows.ts';
import { checkSize, type Image } from './image.ts';

interface Size {
  width: number;
  height: number;
}

/** How the requested size is meant, by n8n's names. */
const SIZES: Record<string, (from: Size, to: Size) => Size> = {
  ignoreAspectRatio: (_from, to) => to,
  maximumArea: (from, to) => {
    const scale = Math.sqrt((to.width * to.height) / (from.width * from.height));
    return { width: Math.floor(from.width * scale + 0.25), height: Math.floor(from.height * scale + 0.25) };
  },
  minimumArea: (from, to) => scaled(from, Math.max(to.width / from.width, to.height / from.height)),
  onlyIfLarger: (from, to) => scaled(from, Math.min(1, to.width / from.width, to.height / from.height)),
  onlyIfSmaller: (from, to) =>
    scaled(from, Math.max(1, Math.min(to.width / from.width, to.height / from.height))),
  percent: (from, to) => ({
    width: Math.round((from.width * to.width) / 100),
    height: Math.round((from.height * to.height) / 100),
  }),
};

/** @throws NodeError for an unknown option, and a size that no image can have */
export function* resize(image: Image, width: number, height: number, option: string): Steps<Image> {
  const sizeOf = Object.hasOwn(SIZES, option) ? SIZES[option] : undefined;
  if (!sizeOf) throw new NodeError(`Unknown resize option "${option}"`);
  if (!(width >= 1 && height >= 1)) throw new NodeError(`An image cannot have ${width} x ${height} pixels`);
  const size = sizeOf(image, { width, height });
  const [columns, rows] = [Math.max(1, Math.round(size.width)), Math.max(1, Math.round(size.height))];
  if (columns === image.width && rows === image.height) return image;
  checkSize(columns, rows);
  return yield* filterRows(image, lanczosWeights(image.width, columns), lanczosWeights(image.height, rows));
}

function scaled({ width, height }: Size, scale: number): Size {
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/** Lanczos' filter with three lobes. For a smaller image it reaches further, so that no source pixel is left out. */
function lanczosWeights(source: number, target: number): Weights {
  const step = Math.max(1, source / target);
  return weightsOf(source, target, {
    center: (position) => ((position + 0.5) * source) / target - 0.5,
    radius: 3 * step,
    filter: (distance) => lanczos(distance / step),
  });
}

function lanczos(x: number): number {
  if (x === 0) return 1;
  if (Math.abs(x) >= 3) return 0;
  const angle = Math.PI * x;
  return (3 * Math.sin(angle) * Math.sin(angle / 3)) / (angle * angle);
}
