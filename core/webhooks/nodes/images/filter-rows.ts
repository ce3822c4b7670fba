/** Computes images whose pixels are weighted sums of the rows and columns of another one: resized and blurred ones. */
import type { Steps } from '#core/base';
import { type Image, newImage } from './image.ts';

/** For each target position: the first source position, and the weights of this and the following ones. Their sum is 1. */
export interface Weights {
  first: Int32Array;
  /** `count` weights for each target position. */
  weights: Float32Array;
  count: number;
}

/** Filters columns, then rows. Colors count as much as they are opaque. */
export function* filterRows(source: Image, columns: Weights, rows: Weights): Steps<Image> {
  const target = newImage(columns.first.length, rows.first.length);
  const sums = new Float32Array(source.width * 4);
  for (let y = 0; y < target.height; y++) {
    sums.fill(0);
    for (let part = 0; part < rows.count; part++) {
      const weight = rows.weights[y * rows.count + part]!;
      if (weight !== 0) addRow(sums, source, rows.first[y]! + part, weight);
    }
    filterColumns(target, y, sums, columns);
    yield;
  }
  return target;
}

/** Adds a row, premultiplied with its alpha. */
function addRow(sums: Float32Array, { width, data }: Image, y: number, weight: number): void {
  let from = y * width * 4;
  for (let to = 0; to < sums.length; to += 4, from += 4) {
    const alpha = data[from + 3]! * weight;
    const share = alpha / 255;
    sums[to] = sums[to]! + data[from]! * share;
    sums[to + 1] = sums[to + 1]! + data[from + 1]! * share;
    sums[to + 2] = sums[to + 2]! + data[from + 2]! * share;
    sums[to + 3] = sums[to + 3]! + alpha;
  }
}

function filterColumns({ width, data }: Image, y: number, sums: Float32Array, columns: Weights): void {
  const { first, weights, count } = columns;
  for (let x = 0; x < width; x++) {
    let [red, green, blue, alpha] = [0, 0, 0, 0];
    for (let part = 0; part < count; part++) {
      const weight = weights[x * count + part]!;
      if (weight === 0) continue;
      const at = (first[x]! + part) * 4;
      red += sums[at]! * weight;
      green += sums[at + 1]! * weight;
      blue += sums[at + 2]! * weight;
      alpha += sums[at + 3]! * weight;
    }
    const to = (y * width + x) * 4;
    const scale = alpha > 0 ? 255 / alpha : 0;
    data[to] = byte(red * scale);
    data[to + 1] = byte(green * scale);
    data[to + 2] = byte(blue * scale);
    data[to + 3] = byte(alpha);
  }
}

const byte = (value: number) => (value <= 0 ? 0 : value >= 255 ? 255 : Math.round(value));

/**
 * Weights of a filter around a center for each target position. Positions outside count as the nearest one inside.
 * @param radius source positions to both sides of the center, a fraction or not
 */
export function weightsOf(source: number, target: number, { center, radius, filter }: Filter): Weights {
  const count = Math.min(source, Math.ceil(radius * 2) + 2);
  const first = new Int32Array(target);
  const weights = new Float32Array(target * count);
  for (let position = 0; position < target; position++) {
    const middle = center(position);
    const start = Math.max(0, Math.min(source - count, Math.floor(middle - radius)));
    first[position] = start;
    let sum = 0;
    for (let at = Math.floor(middle - radius); at <= Math.ceil(middle + radius); at++) {
      const weight = filter(at - middle);
      const inside = Math.max(start, Math.min(start + count - 1, at));
      weights[position * count + inside - start]! += weight;
      sum += weight;
    }
    for (let part = 0; part < count; part++) weights[position * count + part]! /= sum;
  }
  return { first, weights, count };
}

/** A filter: where its center is for a target position, how far it reaches, and its weight at a distance. */
export interface Filter {
  center(position: number): number;
  radius: number;
  filter(distance: number): number;
}
