import { ModelUnsupported } from '#core/host';
import { blockLayout } from '../gguf/block-floats.ts';
import { blockNodes } from './block-nodes.ts';
import { onnxElementNumber } from './element-types.ts';
import {
  encodeProtobuf,
  type ProtobufField,
  type ProtobufMessage,
  protobufMessage,
} from './encode-protobuf.ts';
import { float8Values, isFloat8 } from './float8.ts';
import { type AttributeValue, attributeMessage } from './node-attribute-message.ts';

/** `TensorProto.DataType` of ONNX. */
const FLOAT = 1;
const UINT8 = 2;
const INT32 = 6;
const INT64 = 7;

/** Types of stored tensors that a graph can use. */
const FLOATS: readonly string[] = ['F32', 'F16', 'BF16', 'F64'];

/** Endings of the names of a tensor's scale, after the name of the tensor's module. */
const SCALES: Readonly<Record<string, readonly string[]>> = { weight: ['scale_weight', 'weight_scale'] };

/** The version of the operators, and the version of the file format that belongs to it. */
const OPSET = 17;
const IR_VERSION = 8;

/** Field numbers of onnx.proto. */
const MODEL = { irVersion: 1, producerName: 2, graph: 7, opsetImport: 8 };
const OPSET_ID = { domain: 1, version: 2 };
const GRAPH = { node: 1, name: 2, initializer: 5, input: 11, output: 12 };
const NODE = { input: 1, output: 2, name: 3, opType: 4, attribute: 5, domain: 7 };
const TENSOR = { dims: 1, dataType: 2, name: 8, rawData: 9, externalData: 13, dataLocation: 14 };
const ENTRY = { key: 1, value: 2 };
const VALUE_INFO = { name: 1, type: 2 };
const TYPE = { tensorType: 1 };
const TENSOR_TYPE = { elemType: 1, shape: 2 };
const SHAPE = { dim: 1 };
const DIMENSION = { value: 1, param: 2 };
const EXTERNAL = 1;

/** Types of inputs and outputs. */
const VALUE_TYPES = { float32: FLOAT, int64: INT64, bool: 9 } as const;

/** An input or output of the graph. Text in a shape names a dimension of any size. */
export interface ValueInfo {
  name: string;
  type: keyof typeof VALUE_TYPES;
  shape: (string | number)[];
}

/** The name of a value with the numbers of a tensor that is stored in blocks. */
export const blockFloatsName = (tensor: string): string => `${tensor}#floats`;

/** A tensor in a file of weights. Its bytes are [start, end) of the file. */
export interface StoredTensor {
  /** The name of the file, relative to the model's file. */
  file: string;
  /** `F32`, `F16`, `BF16`, … as safetensors files spell it, or a block format as GGUF files spell it. */
  type: string;
  shape: readonly number[];
  start: number;
  end: number;
  /** A matrix stored as [inputs, outputs]. Undefined: [outputs, inputs], as in torch. */
  isTransposed?: true;
}

/**
 * Builds an ONNX model node by node. Weights remain in the files that contain them.
 * Its methods return the names of values; equal calls in the same order build equal bytes.
 */
export class GraphBuilder {
  readonly #nodes: ProtobufField[] = [];
  /** Nodes that compute with weights and other constants alone. */
  readonly #constantNodes: ProtobufField[] = [];
  /** The names of values that do not depend on the inputs of the graph. */
  readonly #constants = new Set<string>();
  readonly #initializers: ProtobufField[] = [];
  /** Values of the weights as 32-bit floats, by the weights' names. */
  readonly #floats = new Map<string, string>();
  /** The domains of operators that are not ONNX's own. */
  readonly #domains = new Set<string>();
  /** The names of the lists of floats that the graph contains once. */
  readonly #tables = new Set<string>();
  /** The names of the stored tensors that the graph uses. */
  readonly #external = new Set<string>();
  #count = 0;

  /**
   * @param weights the stored tensors, by the names that the graph gives them
   * @param keepsOrder nodes stay in the order in which they were added, so that the bytes of a graph stay the same
   */
  constructor(
    readonly weights: ReadonlyMap<string, StoredTensor>,
    private readonly keepsOrder = false,
  ) {}

  /**
   * A stored tensor as 32-bit floats, multiplied by its scale if the file has a scale for it. To the weight of a module
   * with the tensors `up` [outputs, rank, …] and `down` [rank, inputs, …] it adds their product.
   * @throws ModelUnsupported for a name without a tensor, and for numbers that are not floats
   */
  externalFloats(name: string): string {
    const existing = this.#floats.get(name);
    if (existing !== undefined) return existing;
    const floats = this.#withProduct(name, this.storedFloats(name, this.externalInitializer(name)));
    this.#floats.set(name, floats);
    return floats;
  }

  /** Hu et al., "LoRA: low-rank adaptation of large language models", 2021, section 4.1. */
  #withProduct(name: string, floats: string): string {
    const module = name.endsWith('.weight') ? name.slice(0, -'weight'.length) : undefined;
    if (module === undefined || !this.weights.has(`${module}up`) || !this.weights.has(`${module}down`))
      return floats;
    const matrix = (part: string) => {
      const [rows = 0] = this.tensor(part).shape;
      return this.node('Reshape', [this.externalFloats(part), this.int64Initializer([rows, -1])]);
    };
    const product = this.node('MatMul', [matrix(`${module}up`), matrix(`${module}down`)]);
    const shape = this.int64Initializer([...this.tensor(name).shape]);
    return this.node('Add', [floats, this.node('Reshape', [product, shape])]);
  }

  /**
   * Elements of a stored tensor as 32-bit floats.
   * @param elements all of the tensor, or a part of it, as it is stored
   */
  storedFloats(name: string, elements: string): string {
    const { type } = this.tensor(name);
    if (blockLayout(type)) return this.#blockFloats(name, elements);
    const scale = this.#scaleOf(name);
    const floats = this.#toFloats(elements, type);
    return scale === undefined ? floats : this.node('Mul', [floats, this.externalFloats(scale)]);
  }

  /** @param elements all of the tensor, or some of its rows */
  #blockFloats(name: string, elements: string): string {
    const { type, shape } = this.tensor(name);
    const { bytes } = blockLayout(type)!;
    const blocks = this.node('Reshape', [elements, this.int64Initializer([-1, bytes])]);
    const floats = blockNodes(this, blocks, type);
    if (elements === name)
      return this.node('Reshape', [floats, this.int64Initializer([...shape])], {}, blockFloatsName(name));
    const ends = [this.int64Initializer([0]), this.int64Initializer([-1])];
    const outer = this.node('Slice', [this.node('Shape', [elements]), ...ends]);
    const sides = this.node('Concat', [outer, this.int64Initializer([shape.at(-1)!])], { axis: 0 });
    return this.node('Reshape', [floats, sides]);
  }

  #toFloats(elements: string, type: string): string {
    if (type === 'F32') return elements;
    if (!isFloat8(type)) return this.node('Cast', [elements], { to: FLOAT });
    // Not every build of the runtime has 8-bit floats: a table of their values works in all of them.
    const table = this.sharedFloats(type.toLowerCase(), float8Values(type));
    return this.node('Gather', [table, this.node('Cast', [elements], { to: INT32 })]);
  }

  /** The name of the tensor with a tensor's scale, a single number. */
  #scaleOf(name: string): string | undefined {
    const dot = name.lastIndexOf('.') + 1;
    return SCALES[name.slice(dot)]
      ?.map((ending) => name.slice(0, dot) + ending)
      .find((candidate) => this.weights.has(candidate));
  }

  /** @throws ModelUnsupported when there is no tensor of this name */
  tensor(name: string): StoredTensor {
    const tensor = this.weights.get(name);
    if (!tensor) throw new ModelUnsupported(`there is no tensor ${name}`);
    return tensor;
  }

  /** Floats that the graph contains once. Equal names have equal values. Without `shape` they are a list. */
  sharedFloats(name: string, values: ArrayLike<number>, shape: number[] = [values.length]): string {
    if (this.#tables.has(name)) return name;
    this.#tables.add(name);
    return this.floatInitializer(name, shape, values);
  }

  /** Bytes that the graph itself contains. */
  bytes(shape: number[], values: readonly number[]): string {
    const name = this.#newName('bytes');
    const bytes = Uint8Array.from(values);
    this.#addInitializer(name, shape, [TENSOR.dataType, UINT8], [TENSOR.rawData, bytes]);
    return name;
  }

  /** A stored tensor in its own type; 8-bit floats and blocks as bytes. Throws what `externalFloats` throws. */
  externalInitializer(name: string): string {
    const tensor = this.tensor(name);
    const hasBytes = isFloat8(tensor.type) || blockLayout(tensor.type) !== undefined;
    if (!hasBytes && !FLOATS.includes(tensor.type))
      throw new ModelUnsupported(`the tensor ${name} has numbers of type ${tensor.type}`);
    if (this.#external.has(name)) return name;
    this.#external.add(name);
    const externalData = Object.entries({
      location: tensor.file,
      offset: String(tensor.start),
      length: String(tensor.end - tensor.start),
    });
    this.#addInitializer(
      name,
      storedShape(name, tensor),
      [TENSOR.dataType, onnxElementNumber(hasBytes ? 'U8' : tensor.type)],
      ...externalData.map(
        ([key, value]): ProtobufField => [
          TENSOR.externalData,
          protobufMessage([ENTRY.key, key], [ENTRY.value, value]),
        ],
      ),
      [TENSOR.dataLocation, EXTERNAL],
    );
    return name;
  }

  /** Whether the graph uses a stored tensor. */
  uses(name: string): boolean {
    return this.#external.has(name);
  }

  /** A list of integers; with `isScalar` a single one without a dimension. */
  int64Initializer(values: number[], isScalar = false): string {
    const name = this.#newName('int');
    const bytes = new Uint8Array(BigInt64Array.from(values, BigInt).buffer);
    const shape = isScalar ? [] : [values.length];
    this.#addInitializer(name, shape, [TENSOR.dataType, INT64], [TENSOR.rawData, bytes]);
    return name;
  }

  /** A single float without a dimension. */
  scalarInitializer(value: number): string {
    return this.floatInitializer(this.#newName('float'), [], [value]);
  }

  /** Floats that the graph itself contains. */
  floatInitializer(name: string, shape: number[], values: ArrayLike<number>): string {
    const bytes = new Uint8Array(Float32Array.from(values).buffer);
    this.#addInitializer(name, shape, [TENSOR.dataType, FLOAT], [TENSOR.rawData, bytes]);
    return name;
  }

  /**
   * Adds a node with one output, and returns the output's name.
   * @param opType an operator of ONNX, or one of onnxruntime's own: `com.microsoft.NAME`
   */
  node(
    opType: string,
    inputs: string[],
    attributes: Record<string, AttributeValue> = {},
    output = this.#newName(opType),
    name = `${output}_node`,
  ): string {
    const dot = opType.lastIndexOf('.');
    const domain = opType.slice(0, Math.max(dot, 0));
    if (domain !== '') this.#domains.add(domain);
    const isConstant = inputs.every((input) => this.#constants.has(input));
    if (isConstant) this.#constants.add(output);
    (isConstant && !this.keepsOrder ? this.#constantNodes : this.#nodes).push([
      GRAPH.node,
      protobufMessage(
        ...inputs.map((input): ProtobufField => [NODE.input, input]),
        [NODE.output, output],
        [NODE.name, name],
        [NODE.opType, opType.slice(dot + 1)],
        ...Object.entries(attributes).map(
          ([key, value]): ProtobufField => [NODE.attribute, attributeMessage(key, value)],
        ),
        domain === '' ? undefined : [NODE.domain, domain],
      ),
    ]);
    return output;
  }

  /** The bytes of an `.onnx` file. */
  buildModel(inputs: ValueInfo[], outputs: ValueInfo[]): Uint8Array<ArrayBuffer> {
    // onnxruntime computes the inputs of a node in the order of the file, backwards. So weights in front are converted just
    // before their use. Behind the other nodes, all of them would be converted before the first layer runs.
    const graph = protobufMessage(
      ...this.#constantNodes,
      ...this.#nodes,
      [GRAPH.name, 'tabd'],
      ...this.#initializers,
      ...inputs.map((input): ProtobufField => [GRAPH.input, valueInfo(input)]),
      ...outputs.map((output): ProtobufField => [GRAPH.output, valueInfo(output)]),
    );
    return encodeProtobuf(
      protobufMessage(
        [MODEL.irVersion, IR_VERSION],
        [MODEL.producerName, 'tabd'],
        [MODEL.graph, graph],
        [MODEL.opsetImport, protobufMessage([OPSET_ID.version, OPSET])],
        ...[...this.#domains].map(
          (domain): ProtobufField => [
            MODEL.opsetImport,
            protobufMessage([OPSET_ID.domain, domain], [OPSET_ID.version, 1]),
          ],
        ),
      ),
    );
  }

  #addInitializer(
    name: string,
    shape: readonly number[],
    type: ProtobufField,
    ...data: ProtobufField[]
  ): void {
    this.#constants.add(name);
    const dims = shape.map((size): ProtobufField => [TENSOR.dims, size]);
    const message = protobufMessage(...dims, type, [TENSOR.name, name], ...data);
    this.#initializers.push([GRAPH.initializer, message]);
  }

  #newName(prefix: string): string {
    this.#count++;
    return `${prefix.toLowerCase()}_${this.#count}`;
  }
}

function valueInfo({ name, type, shape }: ValueInfo): ProtobufMessage {
  const dims = shape.map(
    (size): ProtobufField => [
      SHAPE.dim,
      typeof size === 'string'
        ? protobufMessage([DIMENSION.param, size])
        : protobufMessage([DIMENSION.value, size]),
    ],
  );
  const tensorType = protobufMessage(
    [TENSOR_TYPE.elemType, VALUE_TYPES[type]],
    [TENSOR_TYPE.shape, protobufMessage(...dims)],
  );
  return protobufMessage(
    [VALUE_INFO.name, name],
    [VALUE_INFO.type, protobufMessage([TYPE.tensorType, tensorType])],
  );
}

/** Rows of bytes where each row has complete blocks. Otherwise the blocks. */
function storedShape(name: string, { type, shape, start, end }: StoredTensor): readonly number[] {
  const layout = blockLayout(type);
  if (!layout) return shape;
  const blocks = shape.reduce((product, side) => product * side, 1) / layout.elements;
  if (blocks * layout.bytes !== end - start)
    throw new ModelUnsupported(`the tensor ${name} cannot be divided into blocks of ${type}`);
  const inRow = shape.at(-1)! / layout.elements;
  if (!Number.isInteger(inRow)) return [blocks, layout.bytes];
  return [...shape.slice(0, -1), inRow * layout.bytes];
}
