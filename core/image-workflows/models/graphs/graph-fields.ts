/** Parts of a graph to be written: nodes, constants, inputs and outputs, as fields of GraphProto. */
import { type OnnxOutline, onnxElementNumber, type ProtobufField, protobufMessage } from '#core/tensors';
import { moduleOf } from './graph-constants.ts';
import { encodeFloats } from './stored-floats.ts';

/** Whole numbers, lists of them, texts; `float` for one that is none. */
export type NodeAttribute = number | readonly number[] | string | { readonly float: number };

/** AttributeProto.type */
const KINDS = { float: 1, whole: 2, text: 3, wholes: 7 } as const;

export function nodeField(
  operator: string,
  inputs: readonly string[],
  outputs: readonly string[],
  attributes: Readonly<Record<string, NodeAttribute>> = {},
): ProtobufField {
  return [
    1,
    protobufMessage(
      ...inputs.map((name): ProtobufField => [1, name]),
      ...outputs.map((name): ProtobufField => [2, name]),
      [3, outputs[0]!],
      [4, operator],
      ...Object.entries(attributes).map(([name, value]): ProtobufField => [5, attribute(name, value)]),
    ),
  ];
}

function attribute(name: string, value: NodeAttribute) {
  if (typeof value === 'number') return protobufMessage([1, name], [3, value], [20, KINDS.whole]);
  if (typeof value === 'string') return protobufMessage([1, name], [4, value], [20, KINDS.text]);
  if ('float' in value) return protobufMessage([1, name], [2, value], [20, KINDS.float]);
  return protobufMessage([1, name], ...value.map((one): ProtobufField => [8, one]), [20, KINDS.wholes]);
}

/** `type`: F32, F16, BF16 or I64. `shape` [] is a single number. */
export function constantField(
  name: string,
  type: string,
  shape: readonly number[],
  numbers: readonly number[] | Float32Array,
): ProtobufField {
  const bytes =
    type === 'I64'
      ? new Uint8Array(BigInt64Array.from(numbers, BigInt).buffer)
      : encodeFloats(numbers instanceof Float32Array ? numbers : Float32Array.from(numbers), type);
  return [
    5,
    protobufMessage(
      ...shape.map((size): ProtobufField => [1, size]),
      [2, onnxElementNumber(type)],
      [8, name],
      [9, bytes],
    ),
  ];
}

/** Sizes that are names may differ from run to run. */
export function inputField(name: string, type: string, shape: readonly (number | string)[]): ProtobufField {
  const sides = shape.map(
    (size): ProtobufField => [
      1,
      typeof size === 'number' ? protobufMessage([1, size]) : protobufMessage([2, size]),
    ],
  );
  const tensor = protobufMessage([1, onnxElementNumber(type)], [2, protobufMessage(...sides)]);
  return [11, protobufMessage([1, name], [2, protobufMessage([1, tensor])])];
}

/** A value that the graph gives beside its others, of any shape. */
export function outputField(name: string, type: string): ProtobufField {
  return [
    12,
    protobufMessage([1, name], [2, protobufMessage([1, protobufMessage([1, onnxElementNumber(type)])])]),
  ];
}

const known = new WeakMap<OnnxOutline, string>();

/** The type of the numbers that flow through: that of the first matrix or kernel that a node with a module takes. */
export function activationType(outline: OnnxOutline): 'F32' | 'F16' {
  const found = known.get(outline) ?? typeOfWeights(outline);
  known.set(outline, found);
  return found as 'F32' | 'F16';
}

function typeOfWeights({ initializers, nodes }: OnnxOutline): string {
  const byName = new Map(initializers.map((one) => [one.name, one]));
  for (const node of nodes) {
    const weights = byName.get(node.inputs[1] ?? '');
    if (moduleOf(node) !== '' && weights && weights.shape.length >= 2 && /^F(32|16)$/.test(weights.type))
      return weights.type;
  }
  return 'F32';
}
