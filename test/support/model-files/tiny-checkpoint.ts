/** A checkpoint of Stable Diffusion 1 in one file, with few layers of the real widths: 147 MB of 16-bit floats. */
import { type FileHandle, open } from 'node:fs/promises';
import { toHalf } from '#core/tensors';
import { unetShapes } from './unet-weights.ts';
import { autoencoderShapes, clipShapes, type Shapes } from './weight-files.ts';

/** Different values. A power of two, so that a mask wraps the index. */
const VALUES = 2 ** 16;

/** Numbers of a seed between -1/2 and 1/2. */
function randomValues(): Float32Array {
  let state = 1;
  return Float32Array.from({ length: VALUES }, () => {
    // The generator of Park and Miller, "Random number generators", 1988.
    state = (state * 48271) % 0x7fffffff;
    return state / 0x7fffffff - 0.5;
  });
}

const under = (prefix: string, shapes: Shapes): Shapes =>
  Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [prefix + name, shape]));

/** All twelve layers, whose number the loader checks, with narrow feed-forward parts. */
const textEncoder: Shapes = Object.fromEntries(
  Object.entries(clipShapes(12, 768)).map(([name, shape]) => [
    name,
    name.includes('mlp.fc1') ? [64, ...shape.slice(1)] : name.endsWith('mlp.fc2.weight') ? [768, 64] : shape,
  ]),
);

const SHAPES: Shapes = {
  ...under('model.diffusion_model.', unetShapes({ width: 320, context: 768, depths: [1], middle: 0 })),
  ...under('cond_stage_model.transformer.', textEncoder),
  ...under('first_stage_model.', autoencoderShapes(4)),
};

const sizeOf = (shape: readonly number[]) => shape.reduce((product, side) => product * side, 1);

/** Writes the checkpoint. The weights of norms are near 1, those of other layers small. */
export async function writeTinyCheckpoint(path: string): Promise<void> {
  const file = await open(path, 'w');
  try {
    await writeHeader(file);
    const values = randomValues();
    for (const [name, shape] of Object.entries(SHAPES)) {
      const isNorm = shape.length === 1 && name.endsWith('.weight');
      const scale = 1 / Math.sqrt(sizeOf(shape.slice(1)));
      const table = Uint16Array.from(values, (value) => toHalf(isNorm ? 1 + 0.1 * value : value * scale));
      const offset = name.length * 997;
      const data = Uint16Array.from(
        { length: sizeOf(shape) },
        (_, at) => table[(at + offset) & (VALUES - 1)]!,
      );
      await file.write(new Uint8Array(data.buffer));
    }
  } finally {
    await file.close();
  }
}

async function writeHeader(file: FileHandle): Promise<void> {
  const header: Record<string, unknown> = {};
  let end = 0;
  for (const [name, shape] of Object.entries(SHAPES)) {
    const start = end;
    end += 2 * sizeOf(shape);
    header[name] = { dtype: 'F16', shape, data_offsets: [start, end] };
  }
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  await file.write(Buffer.concat([length, text]));
}
