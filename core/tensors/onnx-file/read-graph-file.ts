/** What an ONNX file says of its graph, without reading the numbers of its weights. */
import { ModelCorrupt } from '#core/host';
import { ONNX_ELEMENT_TYPES } from './element-types.ts';
import { forEachField, ProtobufReader, type ReadRange } from './protobuf-reader.ts';

/** A constant of the graph: a weight, mostly. */
export interface OnnxInitializer {
  name: string;
  /** `F32`, `F16`, `I8` …; the number where it has no name here. */
  type: string;
  shape: number[];
  /** Where its numbers lie: in the graph's own file, or in another one that it names. undefined: kept in another way. */
  location: { file: string | undefined; start: number; end: number } | undefined;
}

export interface OnnxNode {
  name: string;
  operator: string;
  /** The module of the network that it was made from, `up_blocks.1.conv`, where the exporter says so. */
  module: string | undefined;
  inputs: string[];
  /** Where the names of the inputs lie in the file. */
  inputRanges: { start: number; end: number }[];
  outputs: string[];
  outputRanges: { start: number; end: number }[];
  /** Whole numbers alone, `transB` of Gemm. */
  attributes: Record<string, number>;
}

export interface OnnxOutline {
  initializers: OnnxInitializer[];
  nodes: OnnxNode[];
  inputs: string[];
  outputs: string[];
  /** Version of the operators. */
  opset: number;
  /** Bytes of the file. */
  size: number;
}

/** Where torch's newer exporter names the modules. */
const SCOPES = 'pkg.torch.onnx.name_scopes';
const MOST_PARTS = 500_000;

/** `read` gives bytes [start, end). Throws `ModelCorrupt`. */
export async function readOnnxOutline(size: number, read: ReadRange): Promise<OnnxOutline> {
  const cursor = new ProtobufReader(size, read);
  const outline: OnnxOutline = { initializers: [], nodes: [], inputs: [], outputs: [], opset: 0, size };
  let hasGraph = false;
  await forEachField(cursor, size, async (field, end) => {
    if (field === 8 && end !== undefined)
      outline.opset = Math.max(outline.opset, await readOpset(cursor, end));
    if (field !== 7 || end === undefined) return;
    hasGraph = true;
    await forEachField(cursor, end, async (inner, stop) => {
      if (stop === undefined) return;
      if (outline.initializers.length + outline.nodes.length > MOST_PARTS)
        throw new ModelCorrupt('its graph has too many parts');
      if (inner === 1) outline.nodes.push(await readNode(cursor, stop));
      else if (inner === 5) outline.initializers.push(await readInitializer(cursor, stop));
      else if (inner === 11) outline.inputs.push(await firstText(cursor, stop));
      else if (inner === 12) outline.outputs.push(await firstText(cursor, stop));
    });
  });
  if (!hasGraph) throw new ModelCorrupt('it is no ONNX file');
  return outline;
}

async function readNode(cursor: ProtobufReader, end: number): Promise<OnnxNode> {
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
  await forEachField(cursor, end, async (field, stop) => {
    if (stop === undefined) return;
    if (field === 1) {
      node.inputRanges.push({ start: cursor.at, end: stop });
      node.inputs.push(await cursor.text(stop));
    } else if (field === 2) {
      node.outputRanges.push({ start: cursor.at, end: stop });
      node.outputs.push(await cursor.text(stop));
    } else if (field === 3) node.name = await cursor.text(stop);
    else if (field === 4) node.operator = await cursor.text(stop);
    else if (field === 9) {
      const [key, value] = await readPair(cursor, stop);
      // A list of names, the module's before that of the node itself.
      if (key === SCOPES) node.module = [...value.matchAll(/'([^']*)'/g)].at(-2)?.[1];
    } else if (field === 5) {
      let name = '';
      let number: number | undefined;
      await forEachField(cursor, stop, async (inner, innerEnd, value) => {
        if (inner === 1 && innerEnd !== undefined) name = await cursor.text(innerEnd);
        else if (inner === 3 && innerEnd === undefined) number = value;
      });
      if (number !== undefined) node.attributes[name] = number;
    }
  });
  return node;
}

/** OperatorSetIdProto; 0 of operators beyond ONNX's own. */
async function readOpset(cursor: ProtobufReader, end: number): Promise<number> {
  let [domain, version] = ['', 0];
  await forEachField(cursor, end, async (field, stop, value) => {
    if (field === 1 && stop !== undefined) domain = await cursor.text(stop);
    else if (field === 2 && stop === undefined) version = value;
  });
  return domain === '' || domain === 'ai.onnx' ? version : 0;
}

/** StringStringEntryProto */
async function readPair(cursor: ProtobufReader, end: number): Promise<[key: string, value: string]> {
  const pair: [string, string] = ['', ''];
  await forEachField(cursor, end, async (field, stop) => {
    if (stop !== undefined && (field === 1 || field === 2)) pair[field - 1] = await cursor.text(stop);
  });
  return pair;
}

/** The field 1 of a message, where names stand in what a graph takes and gives. */
async function firstText(cursor: ProtobufReader, end: number): Promise<string> {
  let text = '';
  await forEachField(cursor, end, async (field, stop) => {
    if (field === 1 && stop !== undefined) text = await cursor.text(stop);
  });
  return text;
}

/** TensorProto: numbers stand in raw_data (9), in float_data (4), or in another file (13). */
async function readInitializer(cursor: ProtobufReader, end: number): Promise<OnnxInitializer> {
  const found: OnnxInitializer = { name: '', type: '0', shape: [], location: undefined };
  const external: Record<string, string> = {};
  await forEachField(cursor, end, async (field, stop, value) => {
    if (field === 1 && stop === undefined) found.shape.push(value);
    else if (field === 1) while (cursor.at < stop!) found.shape.push(await cursor.varint());
    else if (field === 2) found.type = ONNX_ELEMENT_TYPES[value] ?? String(value);
    else if (stop === undefined) return;
    else if (field === 8) found.name = await cursor.text(stop);
    else if (field === 9 || field === 4) found.location = { file: undefined, start: cursor.at, end: stop };
    else if (field === 13) {
      const [key, text] = await readPair(cursor, stop);
      external[key] = text;
    }
  });
  if (external.location !== undefined) {
    const start = Number(external.offset ?? 0);
    found.location = { file: external.location, start, end: start + Number(external.length ?? 0) };
  }
  return found;
}
