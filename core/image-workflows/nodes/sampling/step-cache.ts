import type { StepCacheOptions } from '../../values/diffusion-model.ts';
import { boolean, float, link } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

const percent = (value: number) => float({ default: value, min: 0.0, max: 1.0, step: 0.01 });

const stepCacheNode = (name: string, of: StepCacheOptions['scope'], description: string): AnyNode =>
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
        tooltip: 'How much an answer may have changed, as a share of it, to be taken again. 0: never.',
      }),
      start_percent: percent(0.15),
      end_percent: percent(0.95),
      verbose: boolean({ default: false, tooltip: 'Tells in the log what is done at each step.' }),
    },
    outputs: [output('MODEL', undefined, { tooltip: 'The model that may skip steps.' })],
    run({ model, reuse_threshold, start_percent, end_percent, verbose }, { host }) {
      const stepCache: StepCacheOptions = {
        scope: of,
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
    'Takes what the network answered to each prompt at an earlier step again, where the latent has hardly moved.',
  ),
  stepCacheNode(
    'LazyCache',
    'guided',
    'Takes the guided result of an earlier step again, where the latent has hardly moved.',
  ),
];
