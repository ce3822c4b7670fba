/** EasyCache and LazyCache, which skip runs of the network whose result would hardly change. */
import type { StepCacheOptions } from '../../values/diffusion-model.ts';
import { fraction } from '../kernel/common-inputs.ts';
import { boolean, float, link } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

const stepCacheNode = (name: string, scope: StepCacheOptions['scope'], description: string): AnyNode =>
  node({
    name,
    displayName: name,
    category: 'advanced/debug/model',
    module: 'comfy_extras.nodes_easycache',
    modern: true,
    experimental: true,
    description,
    inputs: {
      model: link('MODEL'),
      reuse_threshold: float({
        default: 0.2,
        min: 0.0,
        max: 3.0,
        step: 0.01,
        tooltip: 'The relative change up to which a cached result is used. 0: never.',
      }),
      start_percent: fraction(0.15, 0.01),
      end_percent: fraction(0.95, 0.01),
      verbose: boolean({ default: false, tooltip: 'Logs the decision at each step.' }),
    },
    outputs: [output('MODEL', undefined, { tooltip: 'The model that may skip steps.' })],
    run({ model, reuse_threshold, start_percent, end_percent, verbose }, { host }) {
      const stepCache: StepCacheOptions = {
        scope,
        threshold: reuse_threshold,
        startPercent: start_percent,
        endPercent: end_percent,
        ...(verbose && { log: (line) => host.log.info(`${name} ${line}`) }),
      };
      return [{ ...model, stepCache }];
    },
  });

export const stepCacheNodes: AnyNode[] = [
  stepCacheNode(
    'EasyCache',
    'network',
    'Reuses the predictions of an earlier step for each prompt while the latent has hardly changed.',
  ),
  stepCacheNode(
    'LazyCache',
    'guided',
    'Reuses the guided result of an earlier step while the latent has hardly changed.',
  ),
];
