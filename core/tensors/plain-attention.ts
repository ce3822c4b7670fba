/**
 * Attention in plain operators. onnxruntime's own operator counts the multiplications of a head. Where addresses have 32
 * bits it keeps that number, 2 · queries · keys · width, in 31 bits. The autoencoder of an image of 512 x 512 pixels
 * has more, and its run fails ("Integer overflow").
 */
import { concatBytes } from '#core/base';
import { ATTENTION_OPERATOR, hasAttention } from './attention-check.ts';
import { encodeProtobuf, type ProtobufField, type ProtobufMessage } from './onnx-file/encode-protobuf.ts';
import type { FieldText } from './onnx-file/external-data.ts';
import { attributeMessage, attributeReference } from './onnx-file/node-attribute-message.ts';
import { forEachField, ProtobufReader } from './onnx-file/protobuf-reader.ts';
import { replaceTexts } from './rename-external-data.ts';

const DOMAIN = 'com.microsoft';
const FUNCTION = 'PlainAttention';
const OWN_DOMAIN = 'tabd';
/** The first version of ONNX files with functions. */
const FUNCTIONS_SINCE = 8;
/** The version of ONNX's operators in the function. */
const OPSET = 17;

/** Field numbers of onnx.proto. */
const MODEL = { irVersion: 1, graph: 7, opsetImport: 8, functions: 25 };
const OPSET_ID = { domain: 1, version: 2 };
const GRAPH = { node: 1 };
const NODE = { input: 1, output: 2, opType: 4, attribute: 5, domain: 7 };
/** `AttributeProto.name`. */
const ATTRIBUTE_NAME = 1;
const FUNCTION_PROTO = { name: 1, input: 4, output: 5, attribute: 6, node: 7, opsetImport: 9, domain: 10 };

/**
 * The graph with a function of plain operators in place of each attention of queries, keys and values alone. Its size
 * grows by less than 2 kB. Other graphs come back as they are. Rejects with `ModelCorrupt`.
 */
export async function withPlainAttention(graph: Uint8Array): Promise<Uint8Array> {
  // Most graphs have none, and reading all nodes takes longer.
  if (!hasAttention(graph)) return graph;
  const texts = await attentionTexts(graph);
  if (texts.length === 0) return graph;
  const renamed = await replaceTexts(graph, texts);
  // Protobuf appends the items of repeated fields.
  return concatBytes([renamed, encodeProtobuf(addition())]);
}

/** The places of the operators and their domains, with the texts of the function. */
async function attentionTexts(graph: Uint8Array): Promise<FieldText[]> {
  const reader = new ProtobufReader(graph.length, async (start, end) => graph.subarray(start, end));
  const texts: FieldText[] = [];
  let version = 0;
  await forEachField(reader, graph.length, async (field, end, value) => {
    if (field === MODEL.irVersion && end === undefined) version = value;
    if (field !== MODEL.graph || end === undefined) return;
    await forEachField(reader, end, async (part, partEnd) => {
      if (part === GRAPH.node && partEnd !== undefined) texts.push(...(await nodeTexts(reader, partEnd)));
    });
  });
  return version < FUNCTIONS_SINCE ? [] : texts;
}

async function nodeTexts(reader: ProtobufReader, end: number): Promise<FieldText[]> {
  const found: Record<number, FieldText[]> = {};
  const attributes: string[] = [];
  await forEachField(reader, end, async (field, fieldEnd) => {
    if (fieldEnd === undefined) return;
    if (field === NODE.attribute) {
      await forEachField(reader, fieldEnd, async (inner, innerEnd) => {
        if (inner === ATTRIBUTE_NAME && innerEnd !== undefined) attributes.push(await reader.text(innerEnd));
      });
      return;
    }
    const start = reader.at;
    found[field] ??= [];
    found[field].push({ text: await reader.text(fieldEnd), start, end: fieldEnd });
  });
  const [operator] = found[NODE.opType] ?? [];
  const [domain] = found[NODE.domain] ?? [];
  const [inputs, outputs] = [found[NODE.input] ?? [], found[NODE.output] ?? []];
  const isKnown =
    operator?.text === ATTENTION_OPERATOR &&
    domain?.text === DOMAIN &&
    inputs.length === 3 &&
    outputs.length === 1 &&
    attributes.toSorted().join() === 'num_heads,scale';
  return isKnown
    ? [
        { ...operator, text: FUNCTION },
        { ...domain, text: OWN_DOMAIN },
      ]
    : [];
}

/** Fields for the end of the model: the function, and the version of its domain. */
const addition = (): ProtobufMessage => ({
  fields: [
    [MODEL.opsetImport, opset(OWN_DOMAIN, 1)],
    [
      MODEL.functions,
      {
        fields: [
          [FUNCTION_PROTO.name, FUNCTION],
          ...['query', 'key', 'value'].map((name): ProtobufField => [FUNCTION_PROTO.input, name]),
          [FUNCTION_PROTO.output, 'result'],
          ...['num_heads', 'scale'].map((name): ProtobufField => [FUNCTION_PROTO.attribute, name]),
          ...steps().map((step): ProtobufField => [FUNCTION_PROTO.node, step]),
          [FUNCTION_PROTO.opsetImport, opset('', OPSET)],
          [FUNCTION_PROTO.domain, OWN_DOMAIN],
        ],
      },
    ],
  ],
});

const opset = (domain: string, version: number): ProtobufMessage => ({
  fields: [
    [OPSET_ID.domain, domain],
    [OPSET_ID.version, version],
  ],
});

/** [batch, tokens, heads · size] each: softmax(scale · query · keyᵀ) · value for every head. */
function steps(): ProtobufMessage[] {
  const split = (x: string, perm: number[]) => [
    step('Reshape', [x, 'by_head'], `${x}_heads`),
    step('Transpose', [`${x}_heads`], `${x}_split`, attributeMessage('perm', perm)),
  ];
  return [
    step('Constant', [], 'factor', attributeReference('value_float', 'scale', 'float')),
    step('Constant', [], 'heads', attributeReference('value_int', 'num_heads', 'int')),
    step('Constant', [], 'kept', attributeMessage('value_ints', [0, 0])),
    step('Constant', [], 'rest', attributeMessage('value_ints', [-1])),
    step('Reshape', ['heads', 'rest'], 'head_count'),
    step('Concat', ['kept', 'head_count', 'rest'], 'by_head', attributeMessage('axis', 0)),
    step('Concat', ['kept', 'rest'], 'joined', attributeMessage('axis', 0)),
    ...split('query', [0, 2, 1, 3]),
    ...split('key', [0, 2, 3, 1]),
    ...split('value', [0, 2, 1, 3]),
    step('Mul', ['query_split', 'factor'], 'scaled'),
    step('MatMul', ['scaled', 'key_split'], 'scores'),
    step('Softmax', ['scores'], 'shares', attributeMessage('axis', -1)),
    step('MatMul', ['shares', 'value_split'], 'mixed'),
    step('Transpose', ['mixed'], 'by_token', attributeMessage('perm', [0, 2, 1, 3])),
    step('Reshape', ['by_token', 'joined'], 'result'),
  ];
}

const step = (
  operator: string,
  inputs: string[],
  output: string,
  attribute?: ProtobufMessage,
): ProtobufMessage => ({
  fields: [
    ...inputs.map((name): ProtobufField => [NODE.input, name]),
    [NODE.output, output],
    [NODE.opType, operator],
    ...(attribute ? [[NODE.attribute, attribute] satisfies ProtobufField] : []),
  ],
});
