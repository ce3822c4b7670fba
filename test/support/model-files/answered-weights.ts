/** Small networks under published names, with answers of `test/diffusers/scripts/weight_files.py`. */
import type { FloatTensor } from '#core/image-workflows/values/tensor.ts';
import { type Numbers, readNumbers } from './exported-numbers.ts';
import { type Shapes, weightsFor } from './weight-files.ts';

export interface AnsweredWeights {
  weights: Record<string, FloatTensor>;
  inputs: Record<string, FloatTensor>;
  answers: Record<string, Numbers>;
}

/** @param name of a function in the script, after the folder of its file */
export async function answeredWeights(name: string): Promise<AnsweredWeights> {
  const read = await readNumbers<{ weights: Shapes; inputs: Shapes; answers: Record<string, Numbers> }>(
    `weight_files/${name}.json`,
  );
  const all = weightsFor({ ...read.weights, ...read.inputs });
  const only = (shapes: Shapes) => Object.fromEntries(Object.keys(shapes).map((key) => [key, all[key]!]));
  return { weights: only(read.weights), inputs: only(read.inputs), answers: read.answers };
}
