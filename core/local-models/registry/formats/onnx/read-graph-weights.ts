import { ModelCorrupt } from '#core/host';
import { forEachField, ONNX_ELEMENT_TYPES, ProtobufReader, type ReadRange } from '#core/tensors';

/** An initializer of an ONNX graph. */
export interface GraphWeight {
  name: string;
  /** `F32`, `F16`, `I8`; the number of a type without a name. */
  type: string;
  shape: number[];
}

const MAX_WEIGHTS = 200_000;

/** Field numbers of onnx.proto. */
const MODEL_GRAPH = 7;
const GRAPH_INITIALIZER = 5;
const TENSOR = { dims: 1, dataType: 2, name: 8 };

/**
 * Lists the initializers of an ONNX file without reading their numbers.
 * @param size the file's size in bytes
 * @param read returns the bytes [start, end)
 * @throws ModelCorrupt when the file is no ONNX file
 */
export async function readGraphWeights(size: number, read: ReadRange): Promise<GraphWeight[]> {
  const cursor = new ProtobufReader(size, read);
  const weights: GraphWeight[] = [];
  let hasGraph = false;
  await forEachField(cursor, size, async (field, end) => {
    if (field !== MODEL_GRAPH || end === undefined) return;
    hasGraph = true;
    await forEachField(cursor, end, async (inner, innerEnd) => {
      if (inner !== GRAPH_INITIALIZER || innerEnd === undefined) return;
      if (weights.length === MAX_WEIGHTS) throw new ModelCorrupt('its graph has too many weights');
      weights.push(await readWeight(cursor, innerEnd));
    });
  });
  if (!hasGraph) throw new ModelCorrupt('it is no ONNX file');
  return weights;
}

async function readWeight(cursor: ProtobufReader, end: number): Promise<GraphWeight> {
  const weight: GraphWeight = { name: '', type: '0', shape: [] };
  await forEachField(cursor, end, async (field, stop, value) => {
    // Dimensions may be packed into one field, or each have a field.
    if (field === TENSOR.dims && stop === undefined) weight.shape.push(value);
    else if (field === TENSOR.dims) while (cursor.at < stop!) weight.shape.push(await cursor.varint());
    else if (field === TENSOR.dataType) weight.type = ONNX_ELEMENT_TYPES[value] ?? String(value);
    else if (field === TENSOR.name && stop !== undefined) weight.name = await cursor.text(stop);
  });
  return weight;
}
