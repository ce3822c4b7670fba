import type { AttributeValue, OnnxOutline, ProtobufField } from '#core/tensors';
import { activationType, constantField, nodeField } from '../graphs/graph-fields.ts';

/** TensorProto.DataType */
const TYPES = { F32: 1, I64: 7, F16: 10 } as const;

/** The oldest operator set in which Unsqueeze, Squeeze and ReduceSum take their axes as an input. */
const OLDEST_OPSET = 13;

/** @throws when the operator set of the graph is too old for inserted nodes. */
export function requireOpset({ opset }: OnnxOutline, what: string): void {
  if (opset < OLDEST_OPSET)
    throw new Error(
      `${what} needs operators of version ${OLDEST_OPSET} or newer, and this model's graph has those of version ${opset}: export it anew ("optimum-cli export onnx --opset 17")`,
    );
}

/**
 * Builds the nodes of one insertion. Each method adds nodes and constants to `fields` and returns the name of the
 * result. Lists are tensors of one dimension.
 */
export class NodeBuilder {
  readonly fields: ProtobufField[] = [];
  /** The element type of the graph's activations. */
  readonly activationType: 'F32' | 'F16';
  #count = 0;

  /** @param prefix the start of the names of all intermediate values. */
  constructor(
    private readonly outline: OnnxOutline,
    private readonly prefix: string,
  ) {
    this.activationType = activationType(outline);
  }

  op(
    operator: string,
    inputs: readonly string[],
    attributes: Readonly<Record<string, AttributeValue>> = {},
    output = this.#name(),
  ): string {
    this.fields.push(nodeField(operator, inputs, [output], attributes));
    return output;
  }

  /** A node with two outputs, such as TopK with values and indices. */
  pair(operator: string, inputs: readonly string[], attributes: Readonly<Record<string, AttributeValue>>) {
    const outputs: [string, string] = [this.#name(), this.#name()];
    this.fields.push(nodeField(operator, inputs, outputs, attributes));
    return outputs;
  }

  /** A constant list of 64-bit integers. */
  ints(...numbers: number[]): string {
    return this.#constant('I64', [numbers.length], numbers);
  }

  /** A constant 64-bit integer. */
  int(number: number): string {
    return this.#constant('I64', [], [number]);
  }

  /** A constant 32-bit float. */
  float(number: number): string {
    return this.#constant('F32', [], [number]);
  }

  /** A constant of the activations' type. */
  constant(shape: readonly number[], numbers: readonly number[] | Float32Array): string {
    return this.#constant(this.activationType, shape, numbers);
  }

  cast(value: string, type: keyof typeof TYPES): string {
    return this.op('Cast', [value], { to: TYPES[type] });
  }

  /** Converts an activation to 32 bits. */
  toFloat32(value: string): string {
    return this.activationType === 'F32' ? value : this.cast(value, 'F32');
  }

  /** Converts from 32 bits to the activations' type. */
  toActivationType(value: string): string {
    return this.activationType === 'F32' ? value : this.cast(value, 'F16');
  }

  reduce(
    operator: 'ReduceMean' | 'ReduceSum' | 'ReduceMax' | 'ReduceMin',
    value: string,
    ...axes: number[]
  ): string {
    // The axes of ReduceSum became an input with opset 13, those of the others with opset 18.
    if (operator === 'ReduceSum' || this.outline.opset >= 18)
      return this.op(operator, [value, this.ints(...axes)]);
    return this.op(operator, [value], { axes });
  }

  /** The range [start, end) along an axis. Both ends are lists of one integer. */
  slice(value: string, start: string, end: string, axis: number): string {
    return this.op('Slice', [value, start, end, this.ints(axis)]);
  }

  /** The sides [start, end) of a value's shape, as a list. */
  sizes(value: string, start: number, end: number): string {
    return this.slice(this.op('Shape', [value]), this.ints(start), this.ints(end), 0);
  }

  /** Concatenates lists. */
  concat(...lists: string[]): string {
    return this.op('Concat', lists, { axis: 0 });
  }

  /** The list 0, 1, … of integers. `count` is a list of one integer. */
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
