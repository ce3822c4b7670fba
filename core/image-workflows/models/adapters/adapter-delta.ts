/**
 * Computes the change that an adapter makes to one matrix or kernel, row by row. LoRA: Hu et al., 2021. LoCon, LoHa and
 * LoKr: Yeh et al., "Navigating text-to-image customization: from LyCORIS fine-tuning to model evaluation", 2023,
 * section 3.
 */
import type { SafetensorsEntry } from '#core/tensors';
import type { AdapterTensors, ReadNumbers } from '../../values/adapter.ts';
import { elementCount } from '../../values/tensor.ts';

/** [outputs, columns]. A kernel has inputs x cells columns: all cells of one input lie next to each other. */
export interface DeltaShape {
  outputs: number;
  columns: number;
}

/** Writes the row of one output. The length of `into` is the number of columns. */
export type DeltaRow = (output: number, into: Float32Array) => void;

/** Undefined when the tensors do not belong to one kind of adapter or do not fit one another. */
export function deltaShape(tensors: AdapterTensors): DeltaShape | undefined {
  const { up, down, mid, difference } = tensors;
  if (up && down && mid) {
    const [outer = 0, inner = 0, ...kernel] = mid.shape;
    return integerShape(
      elementCount(up.shape) / outer,
      (elementCount(down.shape) / inner) * elementCount(kernel),
    );
  }
  if (up && down) {
    const rank = down.shape[0] ?? 0;
    return integerShape(elementCount(up.shape) / rank, elementCount(down.shape) / rank);
  }
  if (difference) {
    const outputs = difference.shape[0] ?? 1;
    return integerShape(outputs, elementCount(difference.shape) / outputs);
  }
  const { hada_w1_a, hada_w1_b, hada_w2_a, hada_w2_b, hada_t1, hada_t2 } = tensors;
  if (hada_w1_a && hada_w1_b && hada_w2_a && hada_w2_b) {
    const [first, second] = [
      pairShape(hada_w1_a, hada_w1_b, hada_t1),
      pairShape(hada_w2_a, hada_w2_b, hada_t2),
    ];
    return first?.outputs === second?.outputs && first?.columns === second?.columns ? first : undefined;
  }
  const first = kroneckerFactor(tensors, 1);
  const second = kroneckerFactor(tensors, 2);
  return first && second && integerShape(first.outputs * second.outputs, first.columns * second.columns);
}

/** The rank that divides alpha. Undefined for adapters without one, where alpha does not count. */
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

/** The unscaled rows. Only for tensors that have a `deltaShape`. */
export async function deltaRow(tensors: AdapterTensors, read: ReadNumbers): Promise<DeltaRow> {
  const { up, down, mid, difference } = tensors;
  if (up && down) {
    const [a, b] = [await read(up), await read(down)];
    return product(a, mid ? applyCore(await read(mid), mid.shape, b) : b, mid?.shape[0] ?? down.shape[0]!);
  }
  if (difference) {
    const numbers = await read(difference);
    return (output, into) => into.set(numbers.subarray(output * into.length, (output + 1) * into.length));
  }
  if (tensors.hada_w1_a) return hadamardRow(tensors, read);
  return kroneckerRow(tensors, read);
}

/** LoHa: the element-wise product of (w1a w1b) and (w2a w2b). */
async function hadamardRow(tensors: AdapterTensors, read: ReadNumbers): Promise<DeltaRow> {
  const first = await pairRow(tensors.hada_w1_a!, tensors.hada_w1_b!, tensors.hada_t1, read);
  const second = await pairRow(tensors.hada_w2_a!, tensors.hada_w2_b!, tensors.hada_t2, read);
  let factors = new Float32Array(0);
  return (output, into) => {
    if (factors.length !== into.length) factors = new Float32Array(into.length);
    first(output, into);
    second(output, factors);
    for (let i = 0; i < into.length; i++) into[i]! *= factors[i]!;
  };
}

/** LoKr: the Kronecker product of w1 and w2, each of which may be a low-rank product. */
async function kroneckerRow(tensors: AdapterTensors, read: ReadNumbers): Promise<DeltaRow> {
  const [first, second] = [kroneckerFactor(tensors, 1)!, kroneckerFactor(tensors, 2)!];
  const [firstRow, secondRow] = [await first.row(read), await second.row(read)];
  const [factors, block] = [new Float32Array(first.columns), new Float32Array(second.columns)];
  return (output, into) => {
    firstRow(Math.floor(output / second.outputs), factors);
    secondRow(output % second.outputs, block);
    for (const [index, factor] of factors.entries()) {
      const start = index * block.length;
      for (let i = 0; i < block.length; i++) into[start + i] = factor * block[i]!;
    }
  };
}

function kroneckerFactor(tensors: AdapterTensors, which: 1 | 2) {
  const matrix = tensors[`lokr_w${which}`];
  if (matrix) {
    const shape = deltaShape({ difference: matrix });
    return shape && { ...shape, row: (read: ReadNumbers) => deltaRow({ difference: matrix }, read) };
  }
  const [a, b] = [tensors[`lokr_w${which}_a`], tensors[`lokr_w${which}_b`]];
  const core = which === 2 ? tensors.lokr_t2 : undefined;
  const shape = a && b && pairShape(a, b, core);
  return shape && { ...shape, row: (read: ReadNumbers) => pairRow(a, b, core, read) };
}

function pairShape(
  a: SafetensorsEntry,
  b: SafetensorsEntry,
  core: SafetensorsEntry | undefined,
): DeltaShape | undefined {
  if (!core) return integerShape(a.shape[0] ?? 0, elementCount(b.shape) / (b.shape[0] ?? 0));
  return integerShape(a.shape[1] ?? 0, (b.shape[1] ?? 0) * elementCount(core.shape.slice(2)));
}

/**
 * The product a b. A core t belongs to a Tucker decomposition of a convolution kernel. Then the result is the sum over i
 * and j of a[i, output] t[i, j, cell] b[j, input].
 */
async function pairRow(
  a: SafetensorsEntry,
  b: SafetensorsEntry,
  core: SafetensorsEntry | undefined,
  read: ReadNumbers,
): Promise<DeltaRow> {
  const [left, right] = [await read(a), await read(b)];
  if (!core) return product(left, right, b.shape[0]!);
  const [rank, outputs] = [a.shape[0]!, a.shape[1]!];
  const transposed = new Float32Array(left.length);
  for (let i = 0; i < rank; i++)
    for (let output = 0; output < outputs; output++)
      transposed[output * rank + i] = left[i * outputs + output]!;
  return product(transposed, applyCore(await read(core), core.shape, right), rank);
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

/** Multiplies a core [i, j, …cells] by [j, inputs]. The result is [i, inputs, …cells]. */
function applyCore(
  core: Float32Array,
  [outer = 0, inner = 0, ...kernel]: readonly number[],
  right: Float32Array,
): Float32Array {
  const cells = elementCount(kernel);
  const inputs = right.length / inner;
  const result = new Float32Array(outer * inputs * cells);
  for (let i = 0; i < outer; i++)
    for (let j = 0; j < inner; j++)
      for (let input = 0; input < inputs; input++) {
        const factor = right[j * inputs + input]!;
        const from = (i * inner + j) * cells;
        const to = (i * inputs + input) * cells;
        for (let cell = 0; cell < cells; cell++) result[to + cell]! += factor * core[from + cell]!;
      }
  return result;
}

const integerShape = (outputs: number, columns: number): DeltaShape | undefined =>
  Number.isInteger(outputs) && Number.isInteger(columns) && outputs > 0 && columns > 0
    ? { outputs, columns }
    : undefined;
