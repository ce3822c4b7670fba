/** The weights of exported graphs, read where they lie, and graphs that are built over them. */

import type { Host } from '#core/host';
import { graphsOf } from '#core/image-workflows/models/graphs/graph-registry.ts';
import { networkParameters } from '#core/image-workflows/models/graphs/network-parameters.ts';
import type { WeightTable } from '#core/image-workflows/models/weight-files/weight-table.ts';
import type { ModelGraph } from '#core/image-workflows/values/model-graph.ts';
import type { StoredTensor } from '#core/tensors';

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
