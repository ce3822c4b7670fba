/** Protobuf fields of a GraphProto: nodes, constants, inputs and outputs. */
import {
  type AttributeValue,
  attributeMessage,
  type OnnxOutline,
  onnxElementNumber,
  type ProtobufField,
  protobufMessage,
} from '#core/tensors';
import { moduleOf } from './graph-constants.ts';
import { encodeFloats } from './stored-floats.ts';

export function nodeField(
  operator: string,
  inputs: readonly string[],
  outputs: readonly string[],
  attributes: Readonly<Record<string, AttributeValue>> = {},
): ProtobufField {
  return [
    1,
    protobufMessage(
      ...inputs.map((name): ProtobufField => [1, name]),
      ...outputs.map((name): ProtobufField => [2, name]),
      [3, outputs[0]!],
      [4, operator],
      ...Object.entries(attributes).map(([name, value]): ProtobufField => [5, attributeMessage(name, value)]),
    ),
  ];
}

/** `type`: F32, F16, BF16 or I64. The shape [] is a scalar. */
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

/** An additional output of any shape. */
export function outputField(name: string, type: string): ProtobufField {
  return [
    12,
    protobufMessage([1, name], [2, protobufMessage([1, protobufMessage([1, onnxElementNumber(type)])])]),
  ];
}

const activationTypes = new WeakMap<OnnxOutline, 'F32' | 'F16'>();

/** The element type of activations: the type of the first matrix or kernel that a node of the network uses. */
export function activationType(outline: OnnxOutline): 'F32' | 'F16' {
  const type = activationTypes.get(outline) ?? firstWeightType(outline);
  activationTypes.set(outline, type);
  return type;
}

function firstWeightType({ initializers, nodes }: OnnxOutline): 'F32' | 'F16' {
  const byName = new Map(initializers.map((initializer) => [initializer.name, initializer]));
  for (const node of nodes) {
    const weights = byName.get(node.inputs[1] ?? '');
    if (moduleOf(node) !== '' && weights && weights.shape.length >= 2 && /^F(32|16)$/.test(weights.type))
      return weights.type as 'F32' | 'F16';
  }
  return 'F32';
}
