import type { ModelGraph, WeightChange } from '../../values/model-graph.ts';
import { networkParameters } from '../graphs/network-parameters.ts';

/** A graph over the weights of `base` and others, with the weights of `base` as adapters changed them. */
export async function withChangedWeights(joint: ModelGraph, base: ModelGraph): Promise<ModelGraph> {
  const own = networkParameters(await joint.source.outline());
  const weights: WeightChange[] = [];
  for (const [name, { constant }] of networkParameters(await base.source.outline())) {
    const target = own.get(name);
    if (!target || !base.isChanged(constant)) continue;
    const change: WeightChange['change'] = async (numbers, signal) =>
      numbers.set(await base.numbers(constant, signal));
    weights.push({ name: target.constant, change });
  }
  return weights.length === 0 ? joint : joint.withChange({ key: 'merged', weights });
}
