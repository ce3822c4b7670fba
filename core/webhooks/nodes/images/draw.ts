/** Draws filled shapes and lines with smooth edges. */
import type { Steps } from '#core/base';
import { NodeError } from '../../node-api/node-error.ts';
import type { Color, Image } from './image.ts';

/** A shape between two points. A circle has them at its center and on its edge. */
export interface Shape {
  primitive: string;
  x0: number;
  y0: number;
  x1: number;
  y1: number;
  /** The radius of the corners of a rectangle. */
  cornerRadius: number;
}

/** How far a point lies outside a shape, in pixels; negative inside. */
type Distance = (x: number, y: number) => number;

/** @throws NodeError for another primitive */
export function* draw(image: Image, shape: Shape, color: Color): Steps<Image> {
  const { distance, reach } = outlineOf(shape);
  const target = { ...image, data: image.data.slice() };
  const [left, right] = [Math.min(shape.x0, shape.x1) - reach, Math.max(shape.x0, shape.x1) + reach];
  const [top, bottom] = [Math.min(shape.y0, shape.y1) - reach, Math.max(shape.y0, shape.y1) + reach];
  for (let y = Math.max(0, Math.floor(top)); y <= Math.min(image.height - 1, Math.ceil(bottom)); y++) {
    for (let x = Math.max(0, Math.floor(left)); x <= Math.min(image.width - 1, Math.ceil(right)); x++) {
      const coverage = Math.min(1, Math.max(0, 0.5 - distance(x, y)));
      if (coverage > 0) layOver(target.data, (y * image.width + x) * 4, color, coverage);
    }
    yield;
  }
  return target;
}

function outlineOf(shape: Shape): { distance: Distance; reach: number } {
  const { primitive, x0, y0, x1, y1 } = shape;
  if (primitive === 'circle') {
    const radius = Math.hypot(x1 - x0, y1 - y0);
    return { distance: (x, y) => Math.hypot(x - x0, y - y0) - radius, reach: radius + 1 };
  }
  if (primitive === 'line') return { distance: lineDistance(shape), reach: 1 };
  if (primitive === 'rectangle') return { distance: rectangleDistance(shape), reach: 1 };
  throw new NodeError(`The primitive "${primitive}" is not there: choose circle, line or rectangle`);
}

/** A line of one pixel. */
function lineDistance({ x0, y0, x1, y1 }: Shape): Distance {
  const [dx, dy] = [x1 - x0, y1 - y0];
  const length = dx * dx + dy * dy;
  return (x, y) => {
    const part = length === 0 ? 0 : Math.min(1, Math.max(0, ((x - x0) * dx + (y - y0) * dy) / length));
    return Math.hypot(x - x0 - part * dx, y - y0 - part * dy) - 0.5;
  };
}

/** Both corners are part of the rectangle. */
function rectangleDistance({ x0, y0, x1, y1, cornerRadius }: Shape): Distance {
  const [centerX, centerY] = [(x0 + x1) / 2, (y0 + y1) / 2];
  const [halfX, halfY] = [Math.abs(x1 - x0) / 2 + 0.5, Math.abs(y1 - y0) / 2 + 0.5];
  const radius = Math.min(Math.max(0, cornerRadius), halfX, halfY);
  return (x, y) => {
    const outX = Math.abs(x - centerX) - halfX + radius;
    const outY = Math.abs(y - centerY) - halfY + radius;
    return Math.hypot(Math.max(0, outX), Math.max(0, outY)) + Math.min(0, Math.max(outX, outY)) - radius;
  };
}

function layOver(data: Uint8Array, at: number, color: Color, coverage: number): void {
  const over = (color[3] / 255) * coverage;
  const under = (data[at + 3]! / 255) * (1 - over);
  const alpha = over + under;
  if (alpha <= 0) return;
  for (const channel of [0, 1, 2] as const) {
    data[at + channel] = Math.round((color[channel] * over + data[at + channel]! * under) / alpha);
  }
  data[at + 3] = Math.round(alpha * 255);
}
