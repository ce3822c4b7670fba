/** The weights of exported graphs, read where they lie, and graphs that are built over them. */

import { concatBytes } from '#core/base';
import type { Host } from '#core/host';
import type { UnetOptions } from '#core/image-workflows/models/families/unet/unet-blocks.ts';
import { unetGraph } from '#core/image-workflows/models/families/unet/unet-graph.ts';
import { graphsOf } from '#core/image-workflows/models/graphs/graph-registry.ts';
import { networkParameters } from '#core/image-workflows/models/graphs/network-parameters.ts';
import { encodeFloats } from '#core/image-workflows/models/graphs/stored-floats.ts';
import type { WeightTable } from '#core/image-workflows/models/weight-files/weight-table.ts';
import type { ModelGraph } from '#core/image-workflows/values/model-graph.ts';
import type { StoredTensor } from '#core/tensors';
import { writeExported } from './exported-model.ts';

/** The parameters of an exported graph, in its file. */
export async function exportedWeights(host: Host, folder: string, prefix = ''): Promise<WeightTable> {
  const outline = await graphsOf(host).at(folder).source.outline();
  const weights = new Map<string, StoredTensor>();
  for (const [name, { initializer, isTransposed }] of networkParameters(outline)) {
    const { location, type, shape } = initializer;
    const { start, end } = location!;
    weights.set(prefix + name, {
      file: 'model.onnx',
      type,
      // Exporters store the parameters of group norms as [channels, 1, 1].
      shape: /norm/.test(name) ? shape.filter((side) => side > 1) : shape,
      start,
      end,
      ...(isTransposed && { isTransposed }),
    });
  }
  return weights;
}

/** A graph over the data of an exported one. */
export function builtOver(host: Host, folder: string, build: () => Uint8Array<ArrayBuffer>): ModelGraph {
  return graphsOf(host).built(`${folder}/model.onnx/built`, async () => {
    const bytes = build();
    const path = `${folder}/model.onnx`;
    const { size } = (await host.files.stat(path))!;
    return [
      { role: 'weights', name: 'built.onnx', size: bytes.length, bytes },
      { role: 'part', name: 'model.onnx', size, path, used: size },
    ];
  });
}

const UNET: UnetOptions = { heads: 2, normGroups: 2 };

/**
 * Writes the folder of an exported UNet with 2 heads and norms of 2 groups. Its graph is that for files of weights.
 * @param type the type of the stored numbers
 */
export async function writeBuiltUnet(
  host: Host,
  name: string,
  to: string,
  type: 'F32' | 'F16' = 'F32',
): Promise<void> {
  const exported = `${to}_exported`;
  await writeExported(host.files, name, exported);
  const { source } = graphsOf(host).at(exported);
  const parts: Uint8Array[] = [];
  const weights = new Map<string, StoredTensor>();
  let end = 0;
  for (const [parameter, { initializer, isTransposed }] of networkParameters(await source.outline())) {
    const { numbers } = await source.numbers(initializer.name);
    const sides = initializer.shape;
    const shape = /norm/.test(parameter) ? sides.filter((side) => side > 1) : sides;
    const bytes = encodeFloats(isTransposed ? transposed(numbers, sides[1]!) : numbers, type);
    const start = end;
    end += bytes.length;
    parts.push(bytes);
    weights.set(parameter, {
      file: 'weights',
      type,
      shape: isTransposed ? shape.toReversed() : shape,
      start,
      end,
    });
  }
  await host.files.write(`${to}/weights`, concatBytes(parts));
  await host.files.write(`${to}/model.onnx`, unetGraph(weights, UNET));
  await host.files.write(`${to}/config.json`, await host.files.read(`${exported}/config.json`));
}

/** [rows, columns] to [columns, rows]. */
function transposed(numbers: Float32Array, columns: number): Float32Array {
  const rows = numbers.length / columns;
  return Float32Array.from(numbers, (_, at) => numbers[(at % rows) * columns + Math.floor(at / rows)]!);
}
