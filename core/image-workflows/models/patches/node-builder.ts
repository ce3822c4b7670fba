/** Nodes of one insertion, written one after another. */
import type { Field, GraphOutline } from '#core/tensors';
import { type Attribute, constantPart, flowType, nodePart } from '../graphs/graph-fields.ts';

/** TensorProto.DataType */
const TYPES = { F32: 1, I64: 7, F16: 10 } as const;

/** The oldest version that has Unsqueeze, Squeeze and ReduceSum with their axes as an input, as is written here. */
const OLDEST = 13;

/** Throws where the graph is too old for what is written into it. */
export function needsOperators({ opset }: GraphOutline, what: string): void {
  if (opset < OLDEST)
    throw new Error(
      `${what} needs operators of version ${OLDEST} or newer, and this model's graph has those of version ${opset}: export it anew ("optimum-cli export onnx --opset 17")`,
    );
}

export class NodeChain {
  readonly fields: Field[] = [];
  /** Of the numbers that flow through the graph. */
  readonly flow: 'F32' | 'F16';
  #count = 0;

  /** Names of what lies between begin with `prefix`. */
  constructor(
    private readonly outline: GraphOutline,
    private readonly prefix: string,
  ) {
    this.flow = flowType(outline);
  }

  op(
    operator: string,
    inputs: readonly string[],
    attributes: Readonly<Record<string, Attribute>> = {},
    output = this.#name(),
  ): string {
    this.fields.push(nodePart(operator, inputs, [output], attributes));
    return output;
  }

  /** A node of two outputs: the largest and their places. */
  pair(operator: string, inputs: readonly string[], attributes: Readonly<Record<string, Attribute>>) {
    const outputs: [string, string] = [this.#name(), this.#name()];
    this.fields.push(nodePart(operator, inputs, outputs, attributes));
    return outputs;
  }

  /** A list of whole numbers. */
  wholes(...numbers: number[]): string {
    return this.#constant('I64', [numbers.length], numbers);
  }

  whole(number: number): string {
    return this.#constant('I64', [], [number]);
  }

  /** A number in 32 bits. */
  float(number: number): string {
    return this.#constant('F32', [], [number]);
  }

  /** Of the type that flows. */
  flowing(shape: readonly number[], numbers: readonly number[] | Float32Array): string {
    return this.#constant(this.flow, shape, numbers);
  }

  cast(value: string, type: keyof typeof TYPES): string {
    return this.op('Cast', [value], { to: TYPES[type] });
  }

  /** From what flows to 32 bits, and back. */
  precise(value: string): string {
    return this.flow === 'F32' ? value : this.cast(value, 'F32');
  }

  asFlow(value: string): string {
    return this.flow === 'F32' ? value : this.cast(value, 'F16');
  }

  reduce(
    operator: 'ReduceMean' | 'ReduceSum' | 'ReduceMax' | 'ReduceMin',
    value: string,
    ...axes: number[]
  ): string {
    // Axes became an input with version 18, those of sums before.
    if (operator === 'ReduceSum' || this.outline.opset >= 18)
      return this.op(operator, [value, this.wholes(...axes)]);
    return this.op(operator, [value], { axes });
  }

  /** [start, end) along an axis; ends and starts are lists of one whole number. */
  slice(value: string, start: string, end: string, axis: number): string {
    return this.op('Slice', [value, start, end, this.wholes(axis)]);
  }

  /** Sizes [start, end) of a value, as a list. */
  sizes(value: string, start: number, end: number): string {
    return this.slice(this.op('Shape', [value]), this.wholes(start), this.wholes(end), 0);
  }

  /** The numbers of a list put together. */
  list(...parts: string[]): string {
    return this.op('Concat', parts, { axis: 0 });
  }

  /** 0, 1, … as whole numbers; `count` is a list of one number. */
  count(count: string): string {
    const number = this.op('Squeeze', [count, this.wholes(0)]);
    return this.op('Range', [this.whole(0), number, this.whole(1)]);
  }

  #constant(type: string, shape: readonly number[], numbers: readonly number[] | Float32Array): string {
    const name = this.#name();
    this.fields.push(constantPart(name, type, shape, numbers));
    return name;
  }

  #name(): string {
    return `${this.prefix}+${this.#count++}`;
  }
}
