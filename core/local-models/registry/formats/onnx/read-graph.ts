import { ModelCorrupt } from '#core/host';
import { forEachField, ONNX_ELEMENT_TYPES, ProtobufReader, type ReadRange } from '#core/tensors';

/** A weight of an ONNX graph. */
export interface GraphWeight {
  name: string;
  /** `F32`, `F16`, `I8` …; the number where it has no name here. */
  type: string;
  shape: number[];
}

const MOST_WEIGHTS = 200_000;

/** The weights that a graph names, without reading their numbers. `read` gives bytes [start, end). Throws `ModelCorrupt`. */
export async function readGraphWeights(size: number, read: ReadRange): Promise<GraphWeight[]> {
  const cursor = new ProtobufReader(size, read);
  const weights: GraphWeight[] = [];
  let hasGraph = false;
  await forEachField(cursor, size, async (field, end) => {
    if (field !== 7 || end === undefined) return;
    hasGraph = true;
    await forEachField(cursor, end, async (inner, innerEnd) => {
      if (inner !== 5 || innerEnd === undefined) return;
      if (weights.length === MOST_WEIGHTS) throw new ModelCorrupt('its graph has too many weights');
      weights.push(await readWeight(cursor, innerEnd));
    });
  });
  if (!hasGraph) throw new ModelCorrupt('it is no ONNX file');
  return weights;
}

async function readWeight(cursor: ProtobufReader, end: number): Promise<GraphWeight> {
  const weight: GraphWeight = { name: '', type: '0', shape: [] };
  await forEachField(cursor, end, async (field, stop, value) => {
    if (field === 1 && stop === undefined) weight.shape.push(value);
    else if (field === 1) while (cursor.at < stop!) weight.shape.push(await cursor.varint());
    else if (field === 2) weight.type = ONNX_ELEMENT_TYPES[value] ?? String(value);
    else if (field === 8 && stop !== undefined) weight.name = await cursor.text(stop);
  });
  return weight;
}
