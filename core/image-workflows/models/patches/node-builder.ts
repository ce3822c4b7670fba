/** Nodes of one insertion, written one after another. */
import type { OnnxOutline, ProtobufField } from '#core/tensors';
import { activationType, constantField, type NodeAttribute, nodeField } from '../graphs/graph-fields.ts';

/** TensorProto.DataType */
const TYPES = { F32: 1, I64: 7, F16: 10 } as const;

/** The oldest version that has Unsqueeze, Squeeze and ReduceSum with their axes as an input, as is written here. */
const OLDEST = 13;

/** Throws where the graph is too old for what is written into it. */
export function requireOpset({ opset }: OnnxOutline, what: string): void {
  if (opset < OLDEST)
    throw new Error(
      `${what} needs operators of version ${OLDEST} or newer, and this model's graph has those of version ${opset}: export it anew ("optimum-cli export onnx --opset 17")`,
    );
}

export class NodeBuilder {
  readonly fields: ProtobufField[] = [];
  /** Of the numbers that flow through the graph. */
  readonly activationType: 'F32' | 'F16';
  #count = 0;

  /** Names of what lies between begin with `prefix`. */
  constructor(
    private readonly outline: OnnxOutline,
    private readonly prefix: string,
  ) {
    this.activationType = activationType(outline);
  }

  op(
    operator: string,
    inputs: readonly string[],
    attributes: Readonly<Record<string, NodeAttribute>> = {},
    output = this.#name(),
  ): string {
    this.fields.push(nodeField(operator, inputs, [output], attributes));
    return output;
  }

  /** A node of two outputs: the largest and their places. */
  pair(operator: string, inputs: readonly string[], attributes: Readonly<Record<string, NodeAttribute>>) {
    const outputs: [string, string] = [this.#name(), this.#name()];
    this.fields.push(nodeField(operator, inputs, outputs, attributes));
    return outputs;
  }

  /** A list of whole numbers. */
  ints(...numbers: number[]): string {
    return this.#constant('I64', [numbers.length], numbers);
  }

  int(number: number): string {
    return this.#constant('I64', [], [number]);
  }

  /** A number in 32 bits. */
  float(number: number): string {
    return this.#constant('F32', [], [number]);
  }

  /** Of the type that flows. */
  constant(shape: readonly number[], numbers: readonly number[] | Float32Array): string {
    return this.#constant(this.activationType, shape, numbers);
  }

  cast(value: string, type: keyof typeof TYPES): string {
    return this.op('Cast', [value], { to: TYPES[type] });
  }

  /** From what flows to 32 bits, and back. */
  toFloat32(value: string): string {
    return this.activationType === 'F32' ? value : this.cast(value, 'F32');
  }

  toActivationType(value: string): string {
    return this.activationType === 'F32' ? value : this.cast(value, 'F16');
  }

  reduce(
    operator: 'ReduceMean' | 'ReduceSum' | 'ReduceMax' | 'ReduceMin',
    value: string,
    ...axes: number[]
  ): string {
    // Axes became an input with version 18, those of sums before.
    if (operator === 'ReduceSum' || this.outline.opset >= 18)
      return this.op(operator, [value, this.ints(...axes)]);
    return this.op(operator, [value], { axes });
  }

  /** [start, end) along an axis; ends and starts are lists of one whole number. */
  slice(value: string, start: string, end: string, axis: number): string {
    return this.op('Slice', [value, start, end, this.ints(axis)]);
  }

  /** Sizes [start, end) of a value, as a list. */
  sizes(value: string, start: number, end: number): string {
    return this.slice(this.op('Shape', [value]), this.ints(start), this.ints(end), 0);
  }

  /** The numbers of a list put together. */
  concat(...parts: string[]): string {
    return this.op('Concat', parts, { axis: 0 });
  }

  /** 0, 1, … as whole numbers; `count` is a list of one number. */
  range(count: string): string {
    const number = this.op('Squeeze', [count, this.ints(0)]);
    return this.op('Range', [this.int(0), number, this.int(1)]);
  }

  #constant(type: string, shape: readonly number[], numbers: readonly number[] | Float32Array): string {
    const name = this.#name();
    this.fields.push(constantField(name, type, shape, numbers));
    return name;
  }

  #name(): string {
    return `${this.prefix}+${this.#count++}`;
  }
}
