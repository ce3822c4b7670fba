/** Reads the structure of an ONNX graph without the numbers of its weights. Field numbers are those of onnx.proto. */
import { ModelCorrupt } from '#core/host';
import { ONNX_ELEMENT_TYPES } from './element-types.ts';
import { forEachField, ProtobufReader, type ReadRange } from './protobuf-reader.ts';

/** A constant of the graph: mostly a weight. */
export interface OnnxInitializer {
  name: string;
  /** `F32`, `F16`, `I8`, …; a type that `ONNX_ELEMENT_TYPES` lacks is written as its number. */
  type: string;
  shape: number[];
  /**
   * The bytes [start, end) of the tensor's numbers: in the external file `file`, or in the graph's own file if `file`
   * is undefined. Undefined: the numbers are stored in a form that is not read here.
   */
  location: { file: string | undefined; start: number; end: number } | undefined;
}

/** A node of a graph. */
export interface OnnxNode {
  name: string;
  operator: string;
  /** The module of the network that it was exported from, `up_blocks.1.conv`. Undefined: the exporter does not say. */
  module: string | undefined;
  inputs: string[];
  /** The bytes of each input's name in the file. */
  inputRanges: { start: number; end: number }[];
  outputs: string[];
  /** The bytes of each output's name in the file. */
  outputRanges: { start: number; end: number }[];
  /** The node's integer attributes, such as `transB` of Gemm. */
  attributes: Record<string, number>;
}

/** The contents of a graph without its weights. */
export interface OnnxOutline {
  initializers: OnnxInitializer[];
  nodes: OnnxNode[];
  inputs: string[];
  outputs: string[];
  /** The version of ONNX's operators. */
  opset: number;
  /** Bytes of the graph's file. */
  size: number;
}

/** The metadata in which torch's dynamo exporter stores the modules of a node. */
const MODULE_SCOPES = 'pkg.torch.onnx.name_scopes';
/**
 * The largest number of nodes and initializers together. A file with more is refused, because it could exhaust memory.
 */
const MAX_PARTS = 500_000;

/**
 * Reads the outline of a graph. Rejects with `ModelCorrupt`.
 * @param size bytes of the file
 */
export async function readOnnxOutline(size: number, read: ReadRange): Promise<OnnxOutline> {
  const reader = new ProtobufReader(size, read);
  const outline: OnnxOutline = { initializers: [], nodes: [], inputs: [], outputs: [], opset: 0, size };
  let hasGraph = false;
  // ModelProto: 7 graph, 8 opset_import.
  await forEachField(reader, size, async (field, end) => {
    if (field === 8 && end !== undefined)
      outline.opset = Math.max(outline.opset, await readOpset(reader, end));
    if (field !== 7 || end === undefined) return;
    hasGraph = true;
    await readGraph(reader, end, outline);
  });
  if (!hasGraph) throw new ModelCorrupt('it is no ONNX file');
  return outline;
}

/** GraphProto: 1 node, 5 initializer, 11 input, 12 output. */
async function readGraph(reader: ProtobufReader, end: number, outline: OnnxOutline): Promise<void> {
  await forEachField(reader, end, async (field, fieldEnd) => {
    if (fieldEnd === undefined) return;
    if (outline.initializers.length + outline.nodes.length > MAX_PARTS)
      throw new ModelCorrupt('its graph has too many parts');
    if (field === 1) outline.nodes.push(await readNode(reader, fieldEnd));
    else if (field === 5) outline.initializers.push(await readInitializer(reader, fieldEnd));
    else if (field === 11) outline.inputs.push(await readName(reader, fieldEnd));
    else if (field === 12) outline.outputs.push(await readName(reader, fieldEnd));
  });
}

/** NodeProto: 1 input, 2 output, 3 name, 4 op_type, 5 attribute, 9 metadata_props. */
async function readNode(reader: ProtobufReader, end: number): Promise<OnnxNode> {
  const node: OnnxNode = {
    name: '',
    operator: '',
    module: undefined,
    inputs: [],
    inputRanges: [],
    outputs: [],
    outputRanges: [],
    attributes: {},
  };
  await forEachField(reader, end, async (field, fieldEnd) => {
    if (fieldEnd === undefined) return;
    if (field === 1) {
      node.inputRanges.push({ start: reader.at, end: fieldEnd });
      node.inputs.push(await reader.text(fieldEnd));
    } else if (field === 2) {
      node.outputRanges.push({ start: reader.at, end: fieldEnd });
      node.outputs.push(await reader.text(fieldEnd));
    } else if (field === 3) node.name = await reader.text(fieldEnd);
    else if (field === 4) node.operator = await reader.text(fieldEnd);
    else if (field === 9) {
      const [key, value] = await readPair(reader, fieldEnd);
      // A list of quoted names from the network down to the node. The module's is the last but one.
      if (key === MODULE_SCOPES) node.module = [...value.matchAll(/'([^']*)'/g)].at(-2)?.[1];
    } else if (field === 5) {
      const [name, value] = await readAttribute(reader, fieldEnd);
      if (value !== undefined) node.attributes[name] = value;
    }
  });
  return node;
}

/** AttributeProto: 1 name, 3 i. The value is undefined for attributes of other types. */
async function readAttribute(
  reader: ProtobufReader,
  end: number,
): Promise<[name: string, value: number | undefined]> {
  let name = '';
  let integer: number | undefined;
  await forEachField(reader, end, async (field, fieldEnd, value) => {
    if (field === 1 && fieldEnd !== undefined) name = await reader.text(fieldEnd);
    else if (field === 3 && fieldEnd === undefined) integer = value;
  });
  return [name, integer];
}

/** OperatorSetIdProto: 1 domain, 2 version. Returns 0 for operators of other domains than ONNX's own. */
async function readOpset(reader: ProtobufReader, end: number): Promise<number> {
  let [domain, version] = ['', 0];
  await forEachField(reader, end, async (field, fieldEnd, value) => {
    if (field === 1 && fieldEnd !== undefined) domain = await reader.text(fieldEnd);
    else if (field === 2 && fieldEnd === undefined) version = value;
  });
  return domain === '' || domain === 'ai.onnx' ? version : 0;
}

/** StringStringEntryProto: 1 key, 2 value. */
async function readPair(reader: ProtobufReader, end: number): Promise<[key: string, value: string]> {
  const pair: [string, string] = ['', ''];
  await forEachField(reader, end, async (field, fieldEnd) => {
    if (fieldEnd !== undefined && (field === 1 || field === 2)) pair[field - 1] = await reader.text(fieldEnd);
  });
  return pair;
}

/** ValueInfoProto: 1 name. */
async function readName(reader: ProtobufReader, end: number): Promise<string> {
  let name = '';
  await forEachField(reader, end, async (field, fieldEnd) => {
    if (field === 1 && fieldEnd !== undefined) name = await reader.text(fieldEnd);
  });
  return name;
}

/** TensorProto: 1 dims, 2 data_type, 4 float_data, 8 name, 9 raw_data, 13 external_data. */
async function readInitializer(reader: ProtobufReader, end: number): Promise<OnnxInitializer> {
  const initializer: OnnxInitializer = { name: '', type: '0', shape: [], location: undefined };
  const external: Record<string, string> = {};
  await forEachField(reader, end, async (field, fieldEnd, value) => {
    // Dimensions come one by one, or packed into one field.
    if (field === 1 && fieldEnd === undefined) initializer.shape.push(value);
    else if (field === 1) while (reader.at < fieldEnd!) initializer.shape.push(await reader.varint());
    else if (field === 2) initializer.type = ONNX_ELEMENT_TYPES[value] ?? String(value);
    else if (fieldEnd === undefined) return;
    else if (field === 8) initializer.name = await reader.text(fieldEnd);
    else if (field === 9 || field === 4)
      initializer.location = { file: undefined, start: reader.at, end: fieldEnd };
    else if (field === 13) {
      const [key, text] = await readPair(reader, fieldEnd);
      external[key] = text;
    }
  });
  if (external.location !== undefined) {
    const start = Number(external.offset ?? 0);
    initializer.location = { file: external.location, start, end: start + Number(external.length ?? 0) };
  }
  return initializer;
}
