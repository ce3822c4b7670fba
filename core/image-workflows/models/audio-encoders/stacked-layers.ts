import { concat } from '../layers/elementary.ts';
import type { NetworkModule, Value } from '../layers/network-module.ts';

/** Adds the output `layers`: [batch, steps, width] each to [layers, batch, steps, width]. */
export function stackedLayers(m: NetworkModule, states: readonly Value[]): void {
  const { graph } = m;
  const planes = states.map((state) => m.op('Unsqueeze', [state, graph.int64Initializer([0])]));
  graph.node('Identity', [concat(m, 0, ...planes)], {}, 'layers');
}
