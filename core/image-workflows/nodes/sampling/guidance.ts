/** Nodes that change the guidance of a model. */
import {
  adaptiveProjectedGuidance,
  cfgNorm,
  cfgZeroStar,
  differentialDiffusionMask,
  epsilonScaling,
  mahiro,
  renormCfg,
  rescaleCfg,
  tangentialDamping,
} from '../../sampling/guidance/cfg-variants.ts';
import { linearFrameScale, triangleFrameScale } from '../../sampling/guidance/frame-scales.ts';
import { freSca } from '../../sampling/guidance/fresca.ts';
import { perpNeg } from '../../sampling/guidance/guiders.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { Guidance } from '../../values/guidance.ts';
import { float, int, link, optional } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

const withGuidance = (model: DiffusionModel, change: (guidance: Guidance) => Guidance): DiffusionModel => ({
  ...model,
  guidance: change(model.guidance),
});
const withPostCfg = (model: DiffusionModel, change: Guidance['postCfg'][number]): DiffusionModel =>
  withGuidance(model, (guidance) => ({ ...guidance, postCfg: [...guidance.postCfg, change] }));
const withPreCfg = (model: DiffusionModel, change: Guidance['preCfg'][number]): DiffusionModel =>
  withGuidance(model, (guidance) => ({ ...guidance, preCfg: [...guidance.preCfg, change] }));
const withCfg = (model: DiffusionModel, combine: NonNullable<Guidance['cfg']>): DiffusionModel =>
  withGuidance(model, (guidance) => ({ ...guidance, cfg: combine }));
const patched = [output('MODEL', 'patched_model')];

const rescaleCfgNode = node({
  name: 'RescaleCFG',
  displayName: 'RescaleCFG',
  category: 'advanced/model',
  module: 'comfy_extras.nodes_model_advanced',
  description:
    'Rescales the guided result, so that strong guidance does not make images too bright or too flat.',
  inputs: {
    model: link('MODEL', undefined),
    multiplier: float({ default: 0.7, min: 0.0, max: 1.0, step: 0.01 }),
  },
  outputs: [output('MODEL')],
  run: ({ model, multiplier }) => [
    withGuidance(model, (guidance) => ({ ...guidance, cfg: rescaleCfg(multiplier) })),
  ],
});

const cfgNormNode = node({
  name: 'CFGNorm',
  category: 'advanced/guidance',
  module: 'comfy_extras.nodes_cfg',
  modern: true,
  experimental: true,
  description: 'Limits the norm of the guided result to that of the prediction with the prompt.',
  inputs: {
    model: link('MODEL'),
    strength: float({ default: 1.0, min: 0.0, max: 100.0, step: 0.01 }),
  },
  outputs: patched,
  run: ({ model, strength }) => [withPostCfg(model, cfgNorm(strength))],
});

const cfgZeroStarNode = node({
  name: 'CFGZeroStar',
  category: 'advanced/guidance',
  module: 'comfy_extras.nodes_cfg',
  modern: true,
  description: 'Scales the prediction without the prompt to best fit the prediction with it.',
  inputs: { model: link('MODEL') },
  outputs: patched,
  run: ({ model }) => [withPostCfg(model, cfgZeroStar)],
});

const tcfg = node({
  name: 'TCFG',
  displayName: 'Tangential Damping CFG',
  category: 'advanced/guidance',
  module: 'comfy_extras.nodes_tcfg',
  modern: true,
  description:
    'Removes the part of the prediction without the prompt that is unrelated to the prediction with it.',
  inputs: { model: link('MODEL') },
  outputs: patched,
  run: ({ model }) => [withPreCfg(model, tangentialDamping)],
});

const apg = node({
  name: 'APG',
  displayName: 'Adaptive Projected Guidance',
  category: 'sampling/custom_sampling',
  module: 'comfy_extras.nodes_apg',
  modern: true,
  description: 'Weakens the part of the guidance that is parallel to the prediction.',
  inputs: {
    model: link('MODEL'),
    eta: float({ default: 1.0, min: -10.0, max: 10.0, step: 0.01 }),
    norm_threshold: float({ default: 5.0, min: 0.0, max: 50.0, step: 0.1 }),
    momentum: float({ default: 0.0, min: -5.0, max: 1.0, step: 0.01 }),
  },
  outputs: [output('MODEL')],
  run: ({ model, eta, norm_threshold, momentum }) => [
    withPreCfg(model, adaptiveProjectedGuidance({ eta, threshold: norm_threshold, momentum })),
  ],
});

const epsilonScalingNode = node({
  name: 'Epsilon Scaling',
  category: 'model_patches/unet',
  module: 'comfy_extras.nodes_eps',
  modern: true,
  description: 'Divides the predicted noise by a factor.',
  inputs: {
    model: link('MODEL'),
    scaling_factor: float({ default: 1.005, min: 0.5, max: 1.5, step: 0.001, display: 'number' }),
  },
  outputs: [output('MODEL')],
  run: ({ model, scaling_factor }) => [withPostCfg(model, epsilonScaling(scaling_factor))],
});

const differentialDiffusion = node({
  name: 'DifferentialDiffusion',
  displayName: 'Differential Diffusion',
  category: '_for_testing',
  module: 'comfy_extras.nodes_differential_diffusion',
  modern: true,
  experimental: true,
  description: 'Lets the gray values of the noise mask decide how early each position may change.',
  inputs: {
    model: link('MODEL'),
    strength: optional(float({ default: 1.0, min: 0.0, max: 1.0, step: 0.01 })),
  },
  outputs: [output('MODEL')],
  run({ model, strength = 1 }) {
    const { sampling } = model;
    const maskAt: DiffusionModel['maskAt'] = (mask, sigma, sigmas) => {
      const last = sampling.timestepOf(Math.max(sampling.sigmaMin, sigmas.at(-1)!));
      const first = sampling.timestepOf(sigmas[0]!);
      const threshold = first === last ? 0 : (sampling.timestepOf(sigma) - last) / (first - last);
      return differentialDiffusionMask(mask, threshold, strength);
    };
    return [{ ...model, maskAt }];
  },
});

const mahiroNode = node({
  name: 'Mahiro',
  displayName: 'Mahiro is so cute that she deserves a better guidance function!! (。・ω・。)',
  category: '_for_testing',
  module: 'comfy_extras.nodes_mahiro',
  modern: true,
  experimental: true,
  description: 'Guides more towards the prompt than away from the negative prompt.',
  inputs: { model: link('MODEL') },
  outputs: patched,
  run: ({ model }) => [withPostCfg(model, mahiro)],
});

const renormCfgNode = node({
  name: 'RenormCFG',
  category: 'advanced/model',
  module: 'comfy_extras.nodes_lumina2',
  modern: true,
  description:
    'Guides only below a noise level, and limits the norm to that of the prediction with the prompt.',
  inputs: {
    model: link('MODEL'),
    cfg_trunc: float({ default: 100, min: 0.0, max: 100.0, step: 0.01 }),
    renorm_cfg: float({ default: 1.0, min: 0.0, max: 100.0, step: 0.01 }),
  },
  outputs: [output('MODEL')],
  run: ({ model, cfg_trunc, renorm_cfg }) => [withCfg(model, renormCfg(cfg_trunc, renorm_cfg))],
});

const freScaNode = node({
  name: 'FreSca',
  displayName: 'FreSca',
  category: '_for_testing',
  module: 'comfy_extras.nodes_fresca',
  modern: true,
  experimental: true,
  description: 'Scales the low and the high frequencies of the guidance separately.',
  inputs: {
    model: link('MODEL'),
    scale_low: float({ default: 1.0, min: 0, max: 10, step: 0.01 }),
    scale_high: float({ default: 1.25, min: 0, max: 10, step: 0.01 }),
    freq_cutoff: int({ default: 20, min: 1, max: 10000, step: 1 }),
  },
  outputs: [output('MODEL')],
  run: ({ model, scale_low, scale_high, freq_cutoff }) => [
    withPreCfg(model, freSca(scale_low, scale_high, freq_cutoff)),
  ],
});

const framewiseGuidance = (name: string, description: string, guidance: typeof linearFrameScale): AnyNode =>
  node({
    name,
    displayName: name,
    category: 'sampling/video_models',
    module: 'comfy_extras.nodes_video_model',
    description,
    inputs: {
      model: link('MODEL', undefined),
      min_cfg: float({ default: 1.0, min: 0.0, max: 100.0, step: 0.5, round: 0.01 }),
    },
    outputs: [output('MODEL')],
    run: ({ model, min_cfg }) => [withCfg(model, guidance(min_cfg))],
  });

const perpNegNode = node({
  name: 'PerpNeg',
  displayName: 'Perp-Neg (DEPRECATED by PerpNegGuider)',
  category: '_for_testing',
  module: 'comfy_extras.nodes_perpneg',
  modern: true,
  deprecated: true,
  experimental: true,
  description: 'Uses the part of the negative prompt that is perpendicular to the positive one.',
  inputs: {
    model: link('MODEL'),
    empty_conditioning: link('CONDITIONING'),
    neg_scale: float({ default: 1.0, min: 0.0, max: 100.0, step: 0.01 }),
  },
  outputs: [output('MODEL')],
  run: ({ model, empty_conditioning, neg_scale }) => [
    withGuidance(model, (guidance) => ({
      ...guidance,
      extraPrompt: empty_conditioning,
      cfg: ({ cond, uncond, extra, scale }) => perpNeg(cond, uncond, extra ?? uncond, scale, neg_scale),
    })),
  ],
});

export const guidanceNodes: AnyNode[] = [
  perpNegNode,
  mahiroNode,
  renormCfgNode,
  freScaNode,
  framewiseGuidance(
    'VideoLinearCFGGuidance',
    'Increases the guidance from the first image of a batch to the last.',
    linearFrameScale,
  ),
  framewiseGuidance(
    'VideoTriangleCFGGuidance',
    'Makes the guidance strongest in the middle of a batch of images.',
    triangleFrameScale,
  ),
  rescaleCfgNode,
  cfgNormNode,
  cfgZeroStarNode,
  tcfg,
  apg,
  epsilonScalingNode,
  differentialDiffusion,
];
