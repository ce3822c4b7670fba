import type { NetworkModule, Value } from './network-module.ts';

/**
 * Ioffe and Szegedy, "Batch normalization", 2015, with the statistics of the training: over the channels of
 * [batch, channels, height, width]. The weights are optional.
 */
export function batchNorm(m: NetworkModule, x: Value, epsilon: number): Value {
  const [channels = 1] = m.shape('running_mean');
  const filled = (name: string, value: number) => m.constant(name, [channels], Array(channels).fill(value));
  return m.op(
    'BatchNormalization',
    [
      x,
      m.has('weight') ? m.parameter() : filled('ones', 1),
      m.has('bias') ? m.parameter('bias') : filled('zeros', 0),
      m.parameter('running_mean'),
      m.parameter('running_var'),
    ],
    { epsilon: { float: epsilon } },
  );
}
