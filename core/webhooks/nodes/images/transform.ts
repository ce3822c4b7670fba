/** Rotates and shears images. */
import type { Steps } from '#core/base';
import { NodeError } from '../../node-api/node-error.ts';
import { type Color, type Image, newImage } from './image.ts';

/** Maps a point (x, y) to (a x + b y, c x + d y). */
interface Matrix {
  a: number;
  b: number;
  c: number;
  d: number;
}

/** Rotates clockwise. The image grows, and the background fills its corners. */
export function* rotate(image: Image, degrees: number, background: Color): Steps<Image> {
  const turns = (((degrees / 90) % 4) + 4) % 4;
  if (Number.isInteger(turns)) return yield* turned(image, turns);
  const angle = (degrees * Math.PI) / 180;
  const [cosine, sine] = [Math.cos(angle), Math.sin(angle)];
  return yield* mapped(image, { a: cosine, b: -sine, c: sine, d: cosine }, background);
}

/** Moves rows to the side, then columns, by an angle in degrees. The corners are transparent. */
export function* shear(image: Image, degreesX: number, degreesY: number): Steps<Image> {
  for (const degrees of [degreesX, degreesY]) {
    if (!(Math.abs(degrees % 180) < 89.9))
      throw new NodeError(`An image cannot be sheared by ${degrees} degrees`);
  }
  const [x, y] = [Math.tan((degreesX * Math.PI) / 180), Math.tan((degreesY * Math.PI) / 180)];
  if (x === 0 && y === 0) return image;
  return yield* mapped(image, { a: 1, b: x, c: y, d: 1 + x * y }, [0, 0, 0, 0]);
}

function* turned(image: Image, turns: number): Steps<Image> {
  if (turns === 0) return image;
  const { width, height } = image;
  const target = turns === 2 ? newImage(width, height) : newImage(height, width);
  const from = new Uint32Array(image.data.buffer, image.data.byteOffset, width * height);
  const to = new Uint32Array(target.data.buffer);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at =
        turns === 1
          ? x * height + (height - 1 - y)
          : turns === 2
            ? (height - 1 - y) * width + (width - 1 - x)
            : (width - 1 - x) * height + y;
      to[at] = from[y * width + x]!;
    }
    yield;
  }
  return target;
}

/** The image of a mapping, with bilinear interpolation. */
function* mapped(image: Image, { a, b, c, d }: Matrix, background: Color): Steps<Image> {
  const { width, height } = image;
  const columns = Math.ceil(Math.abs(a) * width + Math.abs(b) * height - 1e-6);
  const rows = Math.ceil(Math.abs(c) * width + Math.abs(d) * height - 1e-6);
  const target = newImage(columns, rows, background);
  const determinant = a * d - b * c;
  for (let y = 0; y < target.height; y++) {
    const offsetY = y + 0.5 - target.height / 2;
    for (let x = 0; x < target.width; x++) {
      const offsetX = x + 0.5 - target.width / 2;
      const sourceX = (d * offsetX - b * offsetY) / determinant + width / 2 - 0.5;
      const sourceY = (a * offsetY - c * offsetX) / determinant + height / 2 - 0.5;
      if (sourceX <= -1 || sourceY <= -1 || sourceX >= width || sourceY >= height) continue;
      sample(image, sourceX, sourceY, target.data, (y * target.width + x) * 4, background);
    }
    yield;
  }
  return target;
}

/** The color between four pixels. Pixels outside the image are the background. */
function sample(
  { width, height, data }: Image,
  x: number,
  y: number,
  to: Uint8Array,
  at: number,
  background: Color,
): void {
  const [left, top] = [Math.floor(x), Math.floor(y)];
  let [red, green, blue, alpha] = [0, 0, 0, 0];
  for (let corner = 0; corner < 4; corner++) {
    const column = left + (corner & 1);
    const row = top + (corner >> 1);
    const weight = (1 - Math.abs(x - column)) * (1 - Math.abs(y - row));
    if (weight <= 0) continue;
    const isInside = column >= 0 && row >= 0 && column < width && row < height;
    const from = (row * width + column) * 4;
    const opacity = (isInside ? data[from + 3]! : background[3]) * weight;
    red += (isInside ? data[from]! : background[0]) * opacity;
    green += (isInside ? data[from + 1]! : background[1]) * opacity;
    blue += (isInside ? data[from + 2]! : background[2]) * opacity;
    alpha += opacity;
  }
  const scale = alpha > 0 ? 1 / alpha : 0;
  to[at] = Math.round(red * scale);
  to[at + 1] = Math.round(green * scale);
  to[at + 2] = Math.round(blue * scale);
  to[at + 3] = Math.round(alpha);
}
