import {
  encodeProtobuf,
  type ProtobufField,
  type ProtobufMessage,
  protobufMessage,
  type SafetensorsEntry,
} from '#core/tensors';

/** Numbers of ONNX's element types. */
const FLOAT = 1;
const INT64 = 7;
const FLOAT16 = 10;

/** Version of the operators that are used, and of the file format that goes with it. */
const OPSET = 17;
const IR_VERSION = 8;

/** Puts an ONNX graph together, operator by operator; weights stay in the file that they came in. */
export class GraphBuilder {
  readonly #nodes: ProtobufField[] = [];
  readonly #initializers: ProtobufField[] = [];
  #count = 0;

  constructor(
    /** Name of the file of weights, as the graph names it. */
    private readonly weightsFile: string,
    private readonly weights: Map<string, SafetensorsEntry>,
  ) {}

  /** A tensor of the weights' file as 32-bit floats. */
  weight(name: string): string {
    const tensor = this.weights.get(name)!;
    if (this.#used.has(name)) return this.#used.get(name)!;
    this.#initializers.push([
      5,
      protobufMessage(
        ...tensor.shape.map((size): ProtobufField => [1, size]),
        [2, tensor.type === 'F16' ? FLOAT16 : FLOAT],
        [8, name],
        ...Object.entries({
          location: this.weightsFile,
          offset: String(tensor.start),
          length: String(tensor.end - tensor.start),
        }).map(([key, value]): ProtobufField => [13, protobufMessage([1, key], [2, value])]),
        [14, 1],
      ),
    ]);
    const floats = tensor.type === 'F16' ? this.op('Cast', [name], { to: FLOAT }) : name;
    this.#used.set(name, floats);
    return floats;
  }
  readonly #used = new Map<string, string>();

  /** Whole numbers as a list; `scalar` without a dimension. */
  integers(values: number[], scalar = false): string {
    const name = this.#name('int');
    const dims: ProtobufField[] = scalar ? [] : [[1, values.length]];
    const bytes = new Uint8Array(BigInt64Array.from(values, BigInt).buffer);
    this.#initializers.push([5, protobufMessage(...dims, [2, INT64], [8, name], [9, bytes])]);
    return name;
  }

  float(value: number): string {
    const name = this.#name('float');
    const bytes = new Uint8Array(Float32Array.of(value).buffer);
    this.#initializers.push([5, protobufMessage([2, FLOAT], [8, name], [9, bytes])]);
    return name;
  }

  /** Numbers kept in the graph itself, under a name of their own. */
  constant(name: string, shape: number[], values: ArrayLike<number>): string {
    const bytes = new Uint8Array(Float32Array.from(values).buffer);
    const dims = shape.map((size): ProtobufField => [1, size]);
    this.#initializers.push([5, protobufMessage(...dims, [2, FLOAT], [8, name], [9, bytes])]);
    return name;
  }

  /** `name`: the node's. */
  op(
    type: string,
    inputs: string[],
    attributes: Record<string, Attribute> = {},
    output = this.#name(type),
    name = `${output}_node`,
  ) {
    this.#nodes.push([
      1,
      protobufMessage(
        ...inputs.map((input): ProtobufField => [1, input]),
        [2, output],
        [3, name],
        [4, type],
        ...Object.entries(attributes).map(([name, value]): ProtobufField => [5, attribute(name, value)]),
      ),
    ]);
    return output;
  }

  /** The file. `inputs`, `outputs`: name, whether of whole numbers, shape. */
  build(inputs: Slot[], outputs: Slot[]): Uint8Array<ArrayBuffer> {
    const graph = protobufMessage(
      ...this.#nodes,
      [2, 'tabd'],
      ...this.#initializers,
      ...inputs.map((slot): ProtobufField => [11, valueInfo(slot)]),
      ...outputs.map((slot): ProtobufField => [12, valueInfo(slot)]),
    );
    return encodeProtobuf(
      protobufMessage([1, IR_VERSION], [2, 'tabd'], [7, graph], [8, protobufMessage([2, OPSET])]),
    );
  }

  #name(of: string): string {
    this.#count++;
    return `${of.toLowerCase()}_${this.#count}`;
  }
}

export type Attribute = number | number[] | { float: number };
export interface Slot {
  name: string;
  type: 'int64' | 'float32';
  shape: (string | number)[];
}

function attribute(name: string, value: Attribute): ProtobufMessage {
  if (Array.isArray(value))
    return protobufMessage([1, name], ...value.map((each): ProtobufField => [8, each]), [20, 7]);
  if (typeof value === 'number') return protobufMessage([1, name], [3, value], [20, 2]);
  return protobufMessage([1, name], [2, value], [20, 1]);
}

function valueInfo({ name, type, shape }: Slot): ProtobufMessage {
  const dims = shape.map(
    (size): ProtobufField => [
      1,
      typeof size === 'string' ? protobufMessage([2, size]) : protobufMessage([1, size]),
    ],
  );
  const tensor = protobufMessage([1, type === 'int64' ? INT64 : FLOAT], [2, protobufMessage(...dims)]);
  return protobufMessage([1, name], [2, protobufMessage([1, tensor])]);
}
