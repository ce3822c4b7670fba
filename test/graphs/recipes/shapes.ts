/** Changes to the names and shapes of published files that make them smaller. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Shapes } from '#test/support/model-files/weight-files.ts';

export type { Shapes };

/** The folder with `manifests`: lists of tensors of published files. See `test/checkpoints/README.md`. */
const FOLDER = process.env.TABD_RECORDINGS ?? '../shared/checkpoints';

const changed = (shapes: Shapes, change: (name: string, shape: readonly number[]) => readonly number[]) =>
  Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [name, change(name, shape)]));

/** The tensors of a published file. @param name of a manifest, without `.json` */
export function published(name: string): Shapes {
  const { tensors } = JSON.parse(readFileSync(join(FOLDER, 'manifests', `${name}.json`), 'utf8')) as {
    tensors: [name: string, shape: number[], type: string][];
  };
  return Object.fromEntries(
    tensors.filter(([, , type]) => type !== 'I64').map(([tensor, shape]) => [tensor, shape]),
  );
}

/** The shapes of a small network of `test/diffusers/weight_files`. */
export function exported(name: string): Shapes {
  const path = new URL(`../../diffusers/weight_files/${name}.json`, import.meta.url);
  return (JSON.parse(readFileSync(path, 'utf8')) as { weights: Shapes }).weights;
}

/** Only the first layers of each list of layers whose name the pattern ends with. */
export const firstLayers = (shapes: Shapes, count: number, list: RegExp): Shapes =>
  selected(shapes, (name) => {
    const found = new RegExp(`(?:${list.source})\\.(\\d+)\\.`).exec(name);
    return !found || Number(found[1]) < count;
  });

export const selected = (shapes: Shapes, isChosen: (name: string) => boolean): Shapes =>
  Object.fromEntries(Object.entries(shapes).filter(([name]) => isChosen(name)));

export const prefixed = (prefix: string, shapes: Shapes): Shapes =>
  Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [prefix + name, shape]));

export const renamed = (shapes: Shapes, rename: (name: string) => string): Shapes =>
  Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [rename(name), shape]));

/** The tensors of a part of a file, without the prefix of the part. */
export const partOf = (shapes: Shapes, prefix: string): Shapes =>
  renamed(
    selected(shapes, (name) => name.startsWith(prefix)),
    (name) => name.slice(prefix.length),
  );

/** Multiples of the width `from` become the same multiples of `to`. */
export const narrowed = (shapes: Shapes, from: number, to: number): Shapes =>
  changed(shapes, (_, shape) => shape.map((side) => (side % from === 0 ? (side / from) * to : side)));

/** Each of the sides becomes the number that stands for it. */
export const withSides = (shapes: Shapes, sides: Readonly<Record<number, number>>): Shapes =>
  changed(shapes, (_, shape) => shape.map((side) => sides[side] ?? side));

/** One side of a tensor becomes another number. */
export const withSide = (shapes: Shapes, tensor: string, axis: number, side: number): Shapes =>
  changed(shapes, (name, shape) => (name === tensor ? shape.with(axis, side) : shape));

/** All levels of a UNet in the original layout get the width of the first one. */
export function uniformUnet(shapes: Shapes, width = 320): Shapes {
  const levels = new Set([2 * width, 4 * width]);
  return changed(shapes, (name, shape) => {
    if (/^(time_embed|label_emb)\./.test(name)) return shape;
    if (/emb_layers\.1\.weight$/.test(name)) return [width, 4 * width];
    if (/time_pos_embed\.0\.|\.ff(_in)?\.net\.2\.weight$/.test(name)) return ended(shape, width);
    if (/\.ff(_in)?\.net\.0\.proj\./.test(name)) return [8 * width, ...shape.slice(1).map(() => width)];
    if (/time_pos_embed\.2\.weight$/.test(name)) return [width, 4 * width];
    // A way up joins its input with a skip connection.
    if (/^output_blocks\.\d+\.0\.in_layers\.0\./.test(name)) return [2 * width];
    if (/^output_blocks\.\d+\.0\.(in_layers\.2|skip_connection)\.weight$/.test(name))
      return [width, 2 * width, ...shape.slice(2)];
    return shape.map((side) => (levels.has(side) ? width : side));
  });
}

/** Layers between a level's width and four times as much. */
const ended = (shape: readonly number[], width: number): readonly number[] =>
  shape.length === 1 ? [4 * width] : shape[0]! > shape[1]! ? [4 * width, width] : [width, 4 * width];
