/** The operations of the Edit Image node by n8n's names. */
import type { Steps } from '#core/base';
import type { JsonObject } from '#core/workflow-format';
import { NodeError } from '../../node-api/node-error.ts';
import { blur } from './blur.ts';
import { readColor } from './color.ts';
import { composite } from './composite.ts';
import { draw } from './draw.ts';
import { copyInto, type Image, newImage } from './image.ts';
import { resize } from './resize.ts';
import { rotate, shear } from './transform.ts';

/** The names of the parameters of each operation. */
export const OPERATION_PARAMETERS: Record<string, string[]> = {
  blur: ['blur', 'sigma'],
  border: ['borderColor', 'borderWidth', 'borderHeight'],
  composite: ['dataPropertyNameComposite', 'operator', 'positionX', 'positionY'],
  create: ['backgroundColor', 'width', 'height'],
  crop: ['width', 'height', 'positionX', 'positionY'],
  draw: [
    'primitive',
    'color',
    'cornerRadius',
    'startPositionX',
    'startPositionY',
    'endPositionX',
    'endPositionY',
  ],
  resize: ['width', 'height', 'resizeOption'],
  rotate: ['rotate', 'backgroundColor'],
  shear: ['degreesX', 'degreesY'],
  transparent: ['color'],
};

/** An operation with the values of its parameters. `over` is the image that `composite` lays on the other one. */
export interface Step {
  operation: string;
  values: JsonObject;
  over?: Image;
}

/** @throws NodeError for a value that the operation cannot use */
export function* applyOperation(image: Image | undefined, { operation, values, over }: Step): Steps<Image> {
  const number = (name: string) => readNumber(values[name], name);
  if (operation === 'create')
    return newImage(number('width'), number('height'), readColor(values.backgroundColor));
  if (!image) throw new NodeError('There is no image to work on: begin with the operation "create"');
  switch (operation) {
    case 'blur':
      return yield* blur(image, number('blur'), number('sigma'));
    case 'border':
      return bordered(image, number('borderWidth'), number('borderHeight'), values.borderColor);
    case 'composite': {
      const [left, top] = [Math.round(number('positionX')), Math.round(number('positionY'))];
      const operator = String(values.operator ?? 'Over');
      return yield* composite(image, over!, { operator, left, top });
    }
    case 'crop':
      return cropped(image, number('positionX'), number('positionY'), {
        width: number('width'),
        height: number('height'),
      });
    case 'draw': {
      const shape = {
        primitive: String(values.primitive ?? 'rectangle'),
        x0: number('startPositionX'),
        y0: number('startPositionY'),
        x1: number('endPositionX'),
        y1: number('endPositionY'),
        cornerRadius: values.cornerRadius === undefined ? 0 : number('cornerRadius'),
      };
      return yield* draw(image, shape, readColor(values.color));
    }
    case 'resize':
      return yield* resize(image, number('width'), number('height'), String(values.resizeOption));
    case 'rotate':
      return yield* rotate(image, number('rotate'), readColor(values.backgroundColor));
    case 'shear':
      return yield* shear(image, number('degreesX'), number('degreesY'));
    case 'transparent':
      return transparent(image, values.color);
    default:
      throw unknownOperation(operation);
  }
}

/** The error for an operation that is not there. */
export function unknownOperation(operation: string): NodeError {
  const reason = operation === 'text' ? ': there are no fonts' : '';
  return new NodeError(`The operation "${operation}" is not there${reason}`);
}

function readNumber(value: unknown, name: string): number {
  const number = typeof value === 'string' && value.trim() === '' ? Number.NaN : Number(value ?? Number.NaN);
  if (Number.isFinite(number)) return number;
  throw new NodeError(`The parameter "${name}" must be a number, not "${String(value)}"`);
}

function bordered(image: Image, width: number, height: number, color: unknown): Image {
  const [x, y] = [Math.max(0, Math.round(width)), Math.max(0, Math.round(height))];
  const target = newImage(image.width + 2 * x, image.height + 2 * y, readColor(color));
  copyInto(target, image, x, y);
  return target;
}

function cropped(image: Image, x: number, y: number, size: { width: number; height: number }): Image {
  const [left, top] = [Math.max(0, Math.round(x)), Math.max(0, Math.round(y))];
  const right = Math.min(image.width, Math.round(x + size.width));
  const bottom = Math.min(image.height, Math.round(y + size.height));
  if (right <= left || bottom <= top) throw new NodeError('The part to crop lies outside of the image');
  const target = newImage(right - left, bottom - top);
  copyInto(target, image, -left, -top);
  return target;
}

function transparent(image: Image, value: unknown): Image {
  const [red, green, blue] = readColor(value);
  const data = image.data.slice();
  for (let at = 0; at < data.length; at += 4) {
    if (data[at] === red && data[at + 1] === green && data[at + 2] === blue) data[at + 3] = 0;
  }
  return { ...image, data };
}
