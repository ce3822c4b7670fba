/** Colors as GraphicsMagick reads them, whose notation the parameters of the node have. */
import { NodeError } from '../../node-api/node-error.ts';
import type { Color } from './image.ts';

const NAMES: Record<string, Color> = {
  transparent: [0, 0, 0, 0],
  none: [0, 0, 0, 0],
  black: [0, 0, 0, 255],
  white: [255, 255, 255, 255],
  red: [255, 0, 0, 255],
  green: [0, 128, 0, 255],
  lime: [0, 255, 0, 255],
  blue: [0, 0, 255, 255],
  yellow: [255, 255, 0, 255],
  cyan: [0, 255, 255, 255],
  magenta: [255, 0, 255, 255],
  orange: [255, 165, 0, 255],
  gray: [126, 126, 126, 255],
};

/**
 * A name, `#rgb`, `#rrggbb` or `#rrggbbtt`. The last pair is the transparency: 00 is opaque, ff is transparent.
 * @throws NodeError for other texts
 */
export function readColor(value: unknown): Color {
  const text = String(value ?? '')
    .trim()
    .toLowerCase();
  if (Object.hasOwn(NAMES, text)) return NAMES[text]!;
  const [, hex] = /^#((?:[\da-f]{3,4}){1,2})$/.exec(text) ?? [];
  if (hex === undefined) throw new NodeError(`Unrecognized color (${text})`);
  const size = hex.length > 4 ? 2 : 1;
  const parts = Array.from({ length: hex.length / size }, (_, index) => {
    const digits = hex.slice(index * size, (index + 1) * size);
    return Number.parseInt(size === 1 ? digits + digits : digits, 16);
  });
  const [red = 0, green = 0, blue = 0, transparency = 0] = parts;
  return [red, green, blue, 255 - transparency];
}
