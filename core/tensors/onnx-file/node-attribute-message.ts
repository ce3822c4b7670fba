import { type ProtobufField, type ProtobufMessage, protobufMessage } from './encode-protobuf.ts';

/** An integer, a list of integers, a float, or a text. */
export type AttributeValue = number | readonly number[] | { readonly float: number } | string;

/** Field numbers of `AttributeProto` of ONNX. */
const FIELDS = { name: 1, f: 2, i: 3, s: 4, ints: 8, type: 20, reference: 21 };
/** `AttributeProto.AttributeType`. */
const TYPES = { float: 1, int: 2, string: 3, ints: 7 } as const;

/** An attribute of a node, as `AttributeProto`. */
export function attributeMessage(name: string, value: AttributeValue): ProtobufMessage {
  const of = (type: keyof typeof TYPES, ...fields: ProtobufField[]) =>
    protobufMessage([FIELDS.name, name], ...fields, [FIELDS.type, TYPES[type]]);
  if (typeof value === 'number') return of('int', [FIELDS.i, value]);
  if (typeof value === 'string') return of('string', [FIELDS.s, value]);
  if ('float' in value) return of('float', [FIELDS.f, value]);
  return of('ints', ...value.map((int): ProtobufField => [FIELDS.ints, int]));
}

/** An attribute in a function whose value is that of the call's attribute `source`. */
export const attributeReference = (name: string, source: string, type: keyof typeof TYPES): ProtobufMessage =>
  protobufMessage([FIELDS.name, name], [FIELDS.reference, source], [FIELDS.type, TYPES[type]]);
