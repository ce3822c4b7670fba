/** Parts of a graph to be written: nodes, constants, inputs and outputs, as fields of GraphProto. */
import { elementNumber, type Field, type GraphOutline, message } from '#core/tensors';
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
): Field {
  return [
    1,
    message(
      ...inputs.map((name): Field => [1, name]),
      ...outputs.map((name): Field => [2, name]),
      [3, outputs[0]!],
      [4, operator],
      ...Object.entries(attributes).map(([name, value]): Field => [5, attribute(name, value)]),
    ),
  ];
}

function attribute(name: string, value: NodeAttribute) {
  if (typeof value === 'number') return message([1, name], [3, value], [20, KINDS.whole]);
  if (typeof value === 'string') return message([1, name], [4, value], [20, KINDS.text]);
  if ('float' in value) return message([1, name], [2, value], [20, KINDS.float]);
  return message([1, name], ...value.map((one): Field => [8, one]), [20, KINDS.wholes]);
}

/** `type`: F32, F16, BF16 or I64. `shape` [] is a single number. */
export function constantField(
  name: string,
  type: string,
  shape: readonly number[],
  numbers: readonly number[] | Float32Array,
): Field {
  const bytes =
    type === 'I64'
      ? new Uint8Array(BigInt64Array.from(numbers, BigInt).buffer)
      : encodeFloats(numbers instanceof Float32Array ? numbers : Float32Array.from(numbers), type);
  return [
    5,
    message(...shape.map((size): Field => [1, size]), [2, elementNumber(type)], [8, name], [9, bytes]),
  ];
}

/** Sizes that are names may differ from run to run. */
export function inputField(name: string, type: string, shape: readonly (number | string)[]): Field {
  const sides = shape.map(
    (size): Field => [1, typeof size === 'number' ? message([1, size]) : message([2, size])],
  );
  const tensor = message([1, elementNumber(type)], [2, message(...sides)]);
  return [11, message([1, name], [2, message([1, tensor])])];
}

/** A value that the graph gives beside its others, of any shape. */
export function outputField(name: string, type: string): Field {
  return [12, message([1, name], [2, message([1, message([1, elementNumber(type)])])])];
}

const known = new WeakMap<GraphOutline, string>();

/** The type of the numbers that flow through: that of the first matrix or kernel that a node with a module takes. */
export function activationType(outline: GraphOutline): 'F32' | 'F16' {
  const found = known.get(outline) ?? typeOfWeights(outline);
  known.set(outline, found);
  return found as 'F32' | 'F16';
}

function typeOfWeights({ initializers, nodes }: GraphOutline): string {
  const byName = new Map(initializers.map((one) => [one.name, one]));
  for (const node of nodes) {
    const weights = byName.get(node.inputs[1] ?? '');
    if (moduleOf(node) !== '' && weights && weights.shape.length >= 2 && /^F(32|16)$/.test(weights.type))
      return weights.type;
  }
  return 'F32';
}
