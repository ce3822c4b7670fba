/** Writes files of weights with repeatable values. */
import { closeSync, openSync, renameSync, writeSync } from 'node:fs';
import type { Shapes } from './shapes.ts';

/** Values of a normal distribution that all tensors take in turn. */
const BLOCK = 1 << 16;

const sizeOf = (shape: readonly number[]): number => shape.reduce((product, side) => product * side, 1);

/** Writes a safetensors file of 16-bit brain floats. Tensors of the same name have the same values in every file. */
export function writeRecipe(
  path: string,
  shapes: Shapes,
  bytes: Readonly<Record<string, Uint8Array>> = {},
): void {
  const header: Record<string, unknown> = {};
  let end = 0;
  const add = (name: string, dtype: string, shape: readonly number[], size: number) => {
    header[name] = { dtype, shape, data_offsets: [end, end + size] };
    end += size;
  };
  for (const [name, shape] of Object.entries(shapes)) add(name, 'BF16', shape, 2 * sizeOf(shape));
  for (const [name, { length }] of Object.entries(bytes)) add(name, 'U8', [length], length);
  const text = JSON.stringify(header);
  const head = new TextEncoder().encode(text.padEnd(Math.ceil(text.length / 8) * 8));
  const unfinished = `${path}.part`;
  const file = openSync(unfinished, 'w');
  try {
    writeSync(file, new Uint8Array(new BigUint64Array([BigInt(head.length)]).buffer));
    writeSync(file, head);
    for (const [name, shape] of Object.entries(shapes)) writeTensor(file, name, shape);
    for (const each of Object.values(bytes)) writeSync(file, each);
  } finally {
    closeSync(file);
  }
  renameSync(unfinished, path);
}

function writeTensor(file: number, name: string, shape: readonly number[]): void {
  const size = sizeOf(shape);
  const [mean, deviation] = spread(name, shape);
  const values = new Uint16Array(Math.min(size, BLOCK));
  const first = hash(name) % BLOCK;
  for (let at = 0; at < values.length; at++)
    values[at] = brainFloat(mean + deviation * NORMAL[(first + at) % BLOCK]!);
  for (let at = 0; at < size; at += BLOCK)
    writeSync(file, new Uint8Array(values.buffer, 0, 2 * Math.min(BLOCK, size - at)));
}

/** As in the recipe of the recordings: mean and standard deviation of a tensor. */
function spread(name: string, shape: readonly number[]): [mean: number, deviation: number] {
  if (shape.length < 2 || name.endsWith('gamma'))
    return [/(bias|beta)$/.test(name) ? 0 : 1, shape.length === 0 ? 0 : 0.02];
  const inputs = sizeOf(shape.slice(1));
  return [0, /embed|modulation|table|bias$/.test(name) ? 0.02 : 1 / Math.sqrt(inputs)];
}

/** The function of Fowler, Noll and Vo, FNV-1a. */
function hash(text: string): number {
  let state = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) state = Math.imul(state ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return state;
}

/** Box and Muller, "A note on the generation of random normal deviates", 1958. */
const NORMAL = (() => {
  let state = 1;
  // The generator of Park and Miller, 1988.
  const uniform = () => {
    state = (state * 48271) % 0x7fffffff;
    return state / 0x7fffffff;
  };
  return Float32Array.from({ length: BLOCK }, () => {
    const radius = Math.sqrt(-2 * Math.log(uniform()));
    return radius * Math.cos(2 * Math.PI * uniform());
  });
})();

const float = new Float32Array(1);
const bits = new Uint32Array(float.buffer);

/** The upper half of a 32-bit float. */
function brainFloat(value: number): number {
  float[0] = value;
  return bits[0]! >>> 16;
}
