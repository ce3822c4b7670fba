/** Creates models like an existing one: the same graph with other weights. */
import type { Files } from '#core/host';
import { readOnnxOutline } from '#core/tensors/onnx-file/read-graph-file.ts';

interface Weight {
  name: string;
  /** The offset of its first byte in the file. */
  start: number;
  numbers: Float32Array;
}

/** All 32-bit weights in the graph's own file, by their names in the graph. */
async function weightsIn(bytes: Uint8Array<ArrayBuffer>): Promise<Weight[]> {
  const { initializers } = await readOnnxOutline(bytes.length, async (start, end) =>
    bytes.subarray(start, end),
  );
  return initializers.flatMap(({ name, type, location: place }) =>
    type === 'F32' && place && place.file === undefined
      ? [
          {
            name,
            start: place.start,
            numbers: new Float32Array(bytes.slice(place.start, place.end).buffer),
          },
        ]
      : [],
  );
}

/** The values of these weights, by name. */
export async function weightsOf(files: Files, folder: string): Promise<Map<string, Float32Array>> {
  const found = await weightsIn(await files.read(`${folder}/model.onnx`));
  return new Map(found.map(({ name, numbers }) => [name, numbers]));
}

/** Copies the folder of a model without subfolders. `change` computes the new weights. */
export async function writeWithWeights(
  files: Files,
  from: string,
  to: string,
  change: (name: string, numbers: Float32Array) => ArrayLike<number>,
): Promise<void> {
  for (const { path, kind } of (await files.list(from)) ?? [])
    if (kind === 'file') await files.write(path.replace(from, to), await files.read(path));
  const bytes = await files.read(`${from}/model.onnx`);
  for (const { name, start, numbers } of await weightsIn(bytes))
    bytes.set(new Uint8Array(Float32Array.from(change(name, numbers)).buffer), start);
  await files.write(`${to}/model.onnx`, bytes);
}
