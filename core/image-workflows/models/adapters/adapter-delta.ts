/**
 * What an adapter adds to one matrix or kernel, row by row: LoRA (Hu et al., 2021), LoCon, LoHa and LoKr (Yeh et al.,
 * "Navigating text-to-image customization: from LyCORIS fine-tuning to model evaluation", 2023, section 3).
 */

import type { SafetensorsEntry } from '#core/tensors';
import type { AdapterTensors, ReadNumbers } from '../../values/adapter.ts';
import { elementCount } from '../../values/tensor.ts';

/** [outputs, columns]; a kernel's columns are its inputs, each with the cells of the kernel after one another. */
export interface DeltaShape {
  outputs: number;
  columns: number;
}

/** Writes one row of it. */
export type DeltaRow = (output: number, into: Float32Array) => void;

/** undefined: the tensors are not those of one kind, or do not fit one another. */
export function deltaShape(tensors: AdapterTensors): DeltaShape | undefined {
  const { up, down, mid, difference } = tensors;
  if (up && down && mid) {
    const [outer = 0, inner = 0, ...kernel] = mid.shape;
    return whole(elementCount(up.shape) / outer, (elementCount(down.shape) / inner) * elementCount(kernel));
  }
  if (up && down) {
    const rank = down.shape[0] ?? 0;
    return whole(elementCount(up.shape) / rank, elementCount(down.shape) / rank);
  }
  if (difference) {
    const outputs = difference.shape[0] ?? 1;
    return whole(outputs, elementCount(difference.shape) / outputs);
  }
  const { hada_w1_a, hada_w1_b, hada_w2_a, hada_w2_b, hada_t1, hada_t2 } = tensors;
  if (hada_w1_a && hada_w1_b && hada_w2_a && hada_w2_b) {
    const [first, second] = [
      pairShape(hada_w1_a, hada_w1_b, hada_t1),
      pairShape(hada_w2_a, hada_w2_b, hada_t2),
    ];
    return first?.outputs === second?.outputs && first?.columns === second?.columns ? first : undefined;
  }
  const first = kroneckerPart(tensors, 1);
  const second = kroneckerPart(tensors, 2);
  return first && second && whole(first.outputs * second.outputs, first.columns * second.columns);
}

/** The rank that alpha is divided by; undefined where it has none, and alpha does not count. */
export function alphaRank({
  down,
  hada_w1_b,
  lokr_w1,
  lokr_w1_b,
  lokr_w2,
  lokr_w2_b,
}: AdapterTensors): number | undefined {
  if (down) return down.shape[0];
  if (hada_w1_b) return hada_w1_b.shape[0];
  return lokr_w2 ? (lokr_w1 ? undefined : lokr_w1_b?.shape[0]) : lokr_w2_b?.shape[0];
}

/** For tensors that have a `deltaShape`. Not scaled. */
export async function deltaRow(tensors: AdapterTensors, read: ReadNumbers): Promise<DeltaRow> {
  const { up, down, mid, difference } = tensors;
  if (up && down) {
    const [a, b] = [await read(up), await read(down)];
    return product(a, mid ? spread(await read(mid), mid.shape, b) : b, mid?.shape[0] ?? down.shape[0]!);
  }
  if (difference) {
    const numbers = await read(difference);
    return (output, into) => into.set(numbers.subarray(output * into.length, (output + 1) * into.length));
  }
  if (tensors.hada_w1_a) return hadamard(tensors, read);
  return kronecker(tensors, read);
}

/** (w1a w1b) * (w2a w2b), number by number. */
async function hadamard(tensors: AdapterTensors, read: ReadNumbers): Promise<DeltaRow> {
  const first = await pair(tensors.hada_w1_a!, tensors.hada_w1_b!, tensors.hada_t1, read);
  const second = await pair(tensors.hada_w2_a!, tensors.hada_w2_b!, tensors.hada_t2, read);
  let other = new Float32Array(0);
  return (output, into) => {
    if (other.length !== into.length) other = new Float32Array(into.length);
    first(output, into);
    second(output, other);
    for (let i = 0; i < into.length; i++) into[i]! *= other[i]!;
  };
}

/** Each number of the first matrix times the whole second one. */
async function kronecker(tensors: AdapterTensors, read: ReadNumbers): Promise<DeltaRow> {
  const [first, second] = [kroneckerPart(tensors, 1)!, kroneckerPart(tensors, 2)!];
  const [one, two] = [await first.row(read), await second.row(read)];
  const [factors, block] = [new Float32Array(first.columns), new Float32Array(second.columns)];
  return (output, into) => {
    one(Math.floor(output / second.outputs), factors);
    two(output % second.outputs, block);
    for (const [index, factor] of factors.entries()) {
      const start = index * block.length;
      for (let i = 0; i < block.length; i++) into[start + i] = factor * block[i]!;
    }
  };
}

function kroneckerPart(tensors: AdapterTensors, which: 1 | 2) {
  const [alone, a, b] = [tensors[`lokr_w${which}`], tensors[`lokr_w${which}_a`], tensors[`lokr_w${which}_b`]];
  if (alone) {
    const shape = deltaShape({ difference: alone });
    return shape && { ...shape, row: (read: ReadNumbers) => deltaRow({ difference: alone }, read) };
  }
  const core = which === 2 ? tensors.lokr_t2 : undefined;
  const shape = a && b && pairShape(a, b, core);
  return shape && { ...shape, row: (read: ReadNumbers) => pair(a, b, core, read) };
}

function pairShape(
  a: SafetensorsEntry,
  b: SafetensorsEntry,
  core: SafetensorsEntry | undefined,
): DeltaShape | undefined {
  if (!core) return whole(a.shape[0] ?? 0, elementCount(b.shape) / (b.shape[0] ?? 0));
  return whole(a.shape[1] ?? 0, (b.shape[1] ?? 0) * elementCount(core.shape.slice(2)));
}

/** a b; with a core t (Tucker's decomposition of a kernel) the sum over i and j of a[i, output] t[i, j, cell] b[j, input]. */
async function pair(
  a: SafetensorsEntry,
  b: SafetensorsEntry,
  core: SafetensorsEntry | undefined,
  read: ReadNumbers,
): Promise<DeltaRow> {
  const [left, right] = [await read(a), await read(b)];
  if (!core) return product(left, right, b.shape[0]!);
  const [rank, outputs] = [a.shape[0]!, a.shape[1]!];
  const turned = new Float32Array(left.length);
  for (let i = 0; i < rank; i++)
    for (let output = 0; output < outputs; output++) turned[output * rank + i] = left[i * outputs + output]!;
  return product(turned, spread(await read(core), core.shape, right), rank);
}

/** [outputs, rank] x [rank, columns] */
function product(left: Float32Array, right: Float32Array, rank: number): DeltaRow {
  return (output, into) => {
    const columns = into.length;
    into.fill(0);
    for (let r = 0; r < rank; r++) {
      const factor = left[output * rank + r]!;
      const start = r * columns;
      for (let column = 0; column < columns; column++) into[column]! += factor * right[start + column]!;
    }
  };
}

/** Core [i, j, …cells] with [j, inputs] -> [i, inputs, …cells]. */
function spread(
  core: Float32Array,
  [outer = 0, inner = 0, ...kernel]: readonly number[],
  right: Float32Array,
): Float32Array {
  const cells = elementCount(kernel);
  const inputs = right.length / inner;
  const made = new Float32Array(outer * inputs * cells);
  for (let i = 0; i < outer; i++)
    for (let j = 0; j < inner; j++)
      for (let input = 0; input < inputs; input++) {
        const factor = right[j * inputs + input]!;
        const from = (i * inner + j) * cells;
        const to = (i * inputs + input) * cells;
        for (let cell = 0; cell < cells; cell++) made[to + cell]! += factor * core[from + cell]!;
      }
  return made;
}

const whole = (outputs: number, columns: number): DeltaShape | undefined =>
  Number.isInteger(outputs) && Number.isInteger(columns) && outputs > 0 && columns > 0
    ? { outputs, columns }
    : undefined;
