import type { Pixels } from '#core/image-codecs';
import type { Steps } from '../../yielding/steps.ts';
import { LETTER_HEIGHT, LETTER_WIDTH, textDots } from './letters.ts';

type Color = readonly [red: number, green: number, blue: number];
const [BLACK, BLUE]: readonly Color[] = [
  [0, 0, 0],
  [0, 0, 255],
];
const [WIDTH, HEIGHT] = [840, 520];
/** The area of the lines: the axes meet at (LEFT, BOTTOM). */
const [LEFT, BOTTOM, TOP, RIGHT] = [56, 480, 8, 830];

/**
 * A plot of values: a blue line over black axes, with the lowest value, the highest value and the number of values.
 * @param names Names of the axes.
 */
export function* linePlot(values: readonly number[], names: { x: string; y: string }): Steps<Pixels> {
  const data = new Uint8Array(WIDTH * HEIGHT * 3).fill(255);
  const dot = (x: number, y: number, color: Color) => {
    if (x >= 0 && y >= 0 && x < WIDTH && y < HEIGHT) data.set(color, (y * WIDTH + x) * 3);
  };
  const line = (fromX: number, fromY: number, toX: number, toY: number, color: Color) => {
    const steps = Math.max(Math.abs(toX - fromX), Math.abs(toY - fromY), 1);
    for (let step = 0; step <= steps; step++) {
      const x = Math.round(fromX + ((toX - fromX) * step) / steps);
      const y = Math.round(fromY + ((toY - fromY) * step) / steps);
      for (const [offsetX, offsetY] of PEN) dot(x + offsetX, y + offsetY, color);
    }
  };
  const text = (words: string, left: number, top: number) => {
    for (const [x, y] of textDots(words)) dot(left + x, top + y, BLACK!);
  };
  const lowest = values.reduce((min, value) => Math.min(min, value), Number.POSITIVE_INFINITY);
  const highest = values.reduce((max, value) => Math.max(max, value), Number.NEGATIVE_INFINITY);
  const xOf = (index: number) => Math.round(LEFT + ((RIGHT - LEFT) * index) / Math.max(values.length - 1, 1));
  // Equal values lie in the middle.
  const yOf = (value: number) =>
    Math.round(BOTTOM - (BOTTOM - TOP) * (highest > lowest ? (value - lowest) / (highest - lowest) : 0.5));
  line(LEFT, 0, LEFT, BOTTOM, BLACK!);
  line(LEFT, BOTTOM, WIDTH - 1, BOTTOM, BLACK!);
  for (let index = 0; index < values.length; index++) {
    const before = Math.max(index - 1, 0);
    line(xOf(before), yOf(values[before]!), xOf(index), yOf(values[index]!), BLUE!);
    if (index % 1000 === 0) yield;
  }
  const rightAligned = (words: string, right: number, top: number) =>
    text(words, right - words.length * LETTER_WIDTH, top);
  rightAligned(numberText(highest), LEFT - 2, TOP);
  rightAligned(numberText(lowest), LEFT - 2, BOTTOM - LETTER_HEIGHT);
  rightAligned(names.y, LEFT - 2, HEIGHT / 2);
  text(names.x, (LEFT + RIGHT - names.x.length * LETTER_WIDTH) / 2, BOTTOM + 12);
  rightAligned(String(values.length), RIGHT, BOTTOM + 12);
  return { width: WIDTH, height: HEIGHT, channels: 3, data };
}

/** The dots of a point of a line: a square of 2 x 2. */
const PEN = [
  [0, 0],
  [1, 0],
  [0, 1],
  [1, 1],
] as const;

/** A number in a form that fits into the margin. */
function numberText(value: number): string {
  const size = Math.abs(value);
  const plain = size === 0 || (size >= 0.001 && size < 1e5);
  return plain ? String(Number(value.toPrecision(4))) : value.toExponential(1);
}
