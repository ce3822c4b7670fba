import type { ModelMetadata } from '#core/local-models/base/installed-model.ts';
import type { GraphWeight } from './read-graph-weights.ts';

/** The number of a graph's parameters, and the type of most of them. */
export function weightStatistics(
  weights: GraphWeight[],
): Pick<ModelMetadata, 'quantization' | 'parameterCount'> {
  const counts = new Map<string, number>();
  let parameterCount = 0;
  for (const { type, shape } of weights) {
    // Integers of 32 and 64 bits are sizes and indices, no parameters.
    if (['I32', 'I64', 'BOOL'].includes(type)) continue;
    const count = shape.reduce((product, size) => product * size, 1);
    counts.set(type, (counts.get(type) ?? 0) + count);
    parameterCount += count;
  }
  const [mostUsed] = [...counts].sort((a, b) => b[1] - a[1]);
  return { quantization: mostUsed?.[0] ?? 'unknown', parameterCount };
}
