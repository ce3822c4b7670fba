import { channelsFirst, channelsLast } from './elementary.ts';
import type { NetworkModule, Value } from './network-module.ts';

/** Ba et al., "Layer normalization", 2016: over the last axis. */
export const layerNorm = (m: NetworkModule, x: Value, epsilon = 1e-5): Value =>
  m.op('LayerNormalization', [x, m.parameter(), m.parameter('bias')], {
    axis: -1,
    epsilon: { float: epsilon },
  });

/** A layer norm over the channels of [batch, channels, height, width]. */
export const planesNorm = (m: NetworkModule, x: Value, epsilon: number): Value =>
  channelsFirst(m, layerNorm(m, channelsLast(m, x), epsilon));

/**
 * Wu and He, "Group normalization", 2018: over the channels of each group and all cells of [batch, channels, height,
 * width].
 */
export function groupNorm(m: NetworkModule, x: Value, epsilon: number): Value {
  const { graph, normGroups: groups } = m;
  const grouped = m.op('Reshape', [x, graph.int64Initializer([0, groups, -1])]);
  const ones = m.constant('ones', [groups], Array(groups).fill(1));
  const zeros = m.constant('zeros', [groups], Array(groups).fill(0));
  const normed = m.op('InstanceNormalization', [grouped, ones, zeros], { epsilon: { float: epsilon } });
  const restored = m.op('Reshape', [normed, m.op('Shape', [x])]);
  const perChannel = (parameter: string) =>
    m.op('Unsqueeze', [m.parameter(parameter), graph.int64Initializer([1, 2])]);
  return m.op('Add', [m.op('Mul', [restored, perChannel('weight')]), perChannel('bias')]);
}
