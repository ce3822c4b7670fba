/** Guidance away from the prediction of a transformer without some of its layers. */
import { skipLayers } from '../../models/patches/skip-layers.ts';
import { perturbedGuidance } from '../../sampling/guidance/perturbed-guidance.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import { fraction } from '../kernel/common-inputs.ts';
import { float, link, string } from '../kernel/inputs.ts';
import type { NodeContext } from '../kernel/node-context.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';
import { patchNetwork } from '../model/patch-network.ts';

const layers = () => string({ default: '7, 8, 9', multiline: false });
const scale = () => float({ default: 3.0, min: 0.0, max: 10.0, step: 0.1 });

/** All integers in a text, with any separators. */
const numbersIn = (text: string): number[] => [...text.matchAll(/\d+/g)].map(([digits]) => Number(digits));

/** The noise levels between two points of the sampling. */
const levelsOf = ({ sampling }: DiffusionModel, start: number, end: number) => ({
  highest: sampling.sigmaAt(start),
  lowest: sampling.sigmaAt(end),
});

/** The model with guidance away from its prediction without `skipped`. The same model when nothing is skipped. */
async function guideAway(
  model: DiffusionModel,
  skipped: { double: string; single: string },
  { scale, start, end, rescale }: { scale: number; start: number; end: number; rescale: number },
  context: NodeContext,
): Promise<DiffusionModel> {
  const [double, single] = [numbersIn(skipped.double), numbersIn(skipped.single)];
  if (scale === 0 || double.length + single.length === 0) return model;
  const patch = skipLayers({ double, single });
  const changed = await patchNetwork(model, patch, context);
  const guidance = perturbedGuidance(patch.key, { scale, levels: levelsOf(model, start, end), rescale });
  return { ...changed, guidance: { ...changed.guidance, postCfg: [...changed.guidance.postCfg, guidance] } };
}

const skipLayerGuidanceSd3 = node({
  name: 'SkipLayerGuidanceSD3',
  category: 'advanced/guidance',
  module: 'comfy_extras.nodes_sd3',
  modern: true,
  experimental: true,
  description:
    'For Stable Diffusion 3: guides away from the prediction without some layers. Runs the model once more at each step of the range.',
  inputs: {
    model: link('MODEL'),
    layers: layers(),
    scale: scale(),
    start_percent: fraction(0.01),
    end_percent: fraction(0.15),
  },
  outputs: [output('MODEL')],
  run: async ({ model, layers, scale, start_percent, end_percent }, context) => [
    await guideAway(
      model,
      { double: layers, single: '' },
      { scale, start: start_percent, end: end_percent, rescale: 0 },
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
    'Guides away from the prediction of a transformer without some layers. Runs the model once more at each step of the range.',
  inputs: {
    model: link('MODEL'),
    double_layers: layers(),
    single_layers: layers(),
    scale: scale(),
    start_percent: fraction(0.01),
    end_percent: fraction(0.15),
    rescaling_scale: float({ default: 0.0, min: 0.0, max: 10.0, step: 0.01 }),
  },
  outputs: [output('MODEL')],
  run: async (
    { model, double_layers, single_layers, scale, start_percent, end_percent, rescaling_scale },
    context,
  ) => [
    await guideAway(
      model,
      { double: double_layers, single: single_layers },
      { scale, start: start_percent, end: end_percent, rescale: rescaling_scale },
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
    'Omits layers of a transformer for the negative prompt. Needs no additional runs of the model.',
  inputs: {
    model: link('MODEL'),
    double_layers: layers(),
    single_layers: layers(),
    start_percent: fraction(0.0),
    end_percent: fraction(1.0),
  },
  outputs: [output('MODEL')],
  async run({ model, double_layers, single_layers, start_percent, end_percent }, context) {
    const [double, single] = [numbersIn(double_layers), numbersIn(single_layers)];
    if (double.length + single.length === 0) return [model];
    const patch = skipLayers({ double, single });
    const changed = await patchNetwork(model, patch, context);
    const { highest, lowest } = levelsOf(model, start_percent, end_percent);
    const patchesWithoutPrompt = (sigma: number): ReadonlySet<string> =>
      new Set(sigma <= highest && sigma >= lowest ? [patch.key] : []);
    return [{ ...changed, guidance: { ...changed.guidance, patchesWithoutPrompt } }];
  },
});

export const skipLayerGuidanceNodes: AnyNode[] = [
  skipLayerGuidanceSd3,
  skipLayerGuidanceDit,
  skipLayerGuidanceDitSimple,
];
