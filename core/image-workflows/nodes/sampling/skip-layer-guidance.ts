/** Guidance by a transformer some of whose layers are left out. */
import { skipLayers } from '../../models/patches/skip-layers.ts';
import { perturbedGuidance } from '../../sampling/guidance/perturbed-guidance.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import { float, link, string } from '../kernel/inputs.ts';
import type { NodeContext } from '../kernel/node-context.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';
import { patchNetwork } from '../model/patch-network.ts';

const layers = () => string({ default: '7, 8, 9', multiline: false });
const percent = (value: number) => float({ default: value, min: 0.0, max: 1.0, step: 0.001 });
const scale = () => float({ default: 3.0, min: 0.0, max: 10.0, step: 0.1 });

/** Every whole number in a text, whatever stands between. */
const numbersIn = (text: string): number[] => [...text.matchAll(/\d+/g)].map(([digits]) => Number(digits));

const levelsOf = ({ sampling }: DiffusionModel, start: number, end: number) => ({
  highest: sampling.sigmaAt(start),
  lowest: sampling.sigmaAt(end),
});

async function ledAway(
  model: DiffusionModel,
  skipped: { double: string; single: string },
  { scale, start, end, spread }: { scale: number; start: number; end: number; spread: number },
  context: NodeContext,
): Promise<DiffusionModel> {
  const [double, single] = [numbersIn(skipped.double), numbersIn(skipped.single)];
  if (scale === 0 || double.length + single.length === 0) return model;
  const change = skipLayers({ double, single });
  const changed = await patchNetwork(model, change, context);
  const led = perturbedGuidance(change.key, { scale, levels: levelsOf(model, start, end), rescale: spread });
  return { ...changed, guidance: { ...changed.guidance, postCfg: [...changed.guidance.postCfg, led] } };
}

const skipLayerGuidanceSd3 = node({
  name: 'SkipLayerGuidanceSD3',
  category: 'advanced/guidance',
  module: 'comfy_extras.nodes_sd3',
  modern: true,
  experimental: true,
  description:
    'For Stable Diffusion 3: leads away from what the model sees when some of its layers are left out. Asks the model once more at each step of that part of the sampling.',
  inputs: {
    model: link('MODEL'),
    layers: layers(),
    scale: scale(),
    start_percent: percent(0.01),
    end_percent: percent(0.15),
  },
  outputs: [output('MODEL')],
  run: async ({ model, layers, scale, start_percent, end_percent }, context) => [
    await ledAway(
      model,
      { double: layers, single: '' },
      { scale, start: start_percent, end: end_percent, spread: 0 },
      context,
    ),
  ],
});

const skipLayerGuidanceDit = node({
  name: 'SkipLayerGuidanceDiT',
  category: 'advanced/guidance',
  module: 'comfy_extras.nodes_slg',
  modern: true,
  experimental: true,
  description:
    'Leads away from what a transformer sees when some of its layers are left out. Asks the model once more at each step of that part of the sampling.',
  inputs: {
    model: link('MODEL'),
    double_layers: layers(),
    single_layers: layers(),
    scale: scale(),
    start_percent: percent(0.01),
    end_percent: percent(0.15),
    rescaling_scale: float({ default: 0.0, min: 0.0, max: 10.0, step: 0.01 }),
  },
  outputs: [output('MODEL')],
  run: async (
    { model, double_layers, single_layers, scale, start_percent, end_percent, rescaling_scale },
    context,
  ) => [
    await ledAway(
      model,
      { double: double_layers, single: single_layers },
      { scale, start: start_percent, end: end_percent, spread: rescaling_scale },
      context,
    ),
  ],
});

const skipLayerGuidanceDitSimple = node({
  name: 'SkipLayerGuidanceDiTSimple',
  category: 'advanced/guidance',
  module: 'comfy_extras.nodes_slg',
  modern: true,
  experimental: true,
  description:
    'Leaves out layers of a transformer where it looks at the negative prompt. As often asked as without this node.',
  inputs: {
    model: link('MODEL'),
    double_layers: layers(),
    single_layers: layers(),
    start_percent: percent(0.0),
    end_percent: percent(1.0),
  },
  outputs: [output('MODEL')],
  async run({ model, double_layers, single_layers, start_percent, end_percent }, context) {
    const [double, single] = [numbersIn(double_layers), numbersIn(single_layers)];
    if (double.length + single.length === 0) return [model];
    const change = skipLayers({ double, single });
    const changed = await patchNetwork(model, change, context);
    const { highest, lowest } = levelsOf(model, start_percent, end_percent);
    const patchesWithoutPrompt = (sigma: number): ReadonlySet<string> =>
      new Set(sigma <= highest && sigma >= lowest ? [change.key] : []);
    return [{ ...changed, guidance: { ...changed.guidance, patchesWithoutPrompt } }];
  },
});

export const skipLayerGuidanceNodes: AnyNode[] = [
  skipLayerGuidanceSd3,
  skipLayerGuidanceDit,
  skipLayerGuidanceDitSimple,
];
