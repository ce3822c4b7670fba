/** Changes to how a model is guided. */
import {
  noiseScaledDown,
  normLimited,
  projected,
  rescaled,
  tangentiallyDamped,
  thresholded,
  zeroStar,
} from '../../sampling/guidance/cfg-variants.ts';
import { renormalized, rising, towardsPrompt, triangular } from '../../sampling/guidance/frame-scales.ts';
import { frequenciesScaled } from '../../sampling/guidance/fresca.ts';
import { perpendicular } from '../../sampling/guidance/guiders.ts';
import type { Guidance, ModelPatch } from '../../values/sampling.ts';
import { float, int, link, optional } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

const withGuidance = (model: ModelPatch, change: (guidance: Guidance) => Guidance): ModelPatch => ({
  ...model,
  guidance: change(model.guidance),
});
const after = (model: ModelPatch, change: Guidance['after'][number]): ModelPatch =>
  withGuidance(model, (guidance) => ({ ...guidance, after: [...guidance.after, change] }));
const before = (model: ModelPatch, change: Guidance['before'][number]): ModelPatch =>
  withGuidance(model, (guidance) => ({ ...guidance, before: [...guidance.before, change] }));
const combined = (model: ModelPatch, combine: NonNullable<Guidance['combine']>): ModelPatch =>
  withGuidance(model, (guidance) => ({ ...guidance, combine }));
const patched = [output('MODEL', 'patched_model')];

const rescaleCfg = node({
  name: 'RescaleCFG',
  displayName: 'RescaleCFG',
  category: 'advanced/model',
  module: 'comfy_extras.nodes_model_advanced',
  description: 'Keeps strong guidance from making pictures too bright or too flat.',
  inputs: {
    model: link('MODEL', undefined),
    multiplier: float({ default: 0.7, min: 0.0, max: 1.0, step: 0.01 }),
  },
  outputs: [output('MODEL')],
  run: ({ model, multiplier }) => [
    withGuidance(model, (guidance) => ({ ...guidance, combine: rescaled(multiplier) })),
  ],
});

const cfgNorm = node({
  name: 'CFGNorm',
  category: 'advanced/guidance',
  module: 'comfy_extras.nodes_cfg',
  modern: true,
  experimental: true,
  description: 'Guidance may turn a latent, not make it longer.',
  inputs: {
    model: link('MODEL'),
    strength: float({ default: 1.0, min: 0.0, max: 100.0, step: 0.01 }),
  },
  outputs: patched,
  run: ({ model, strength }) => [after(model, normLimited(strength))],
});

const cfgZeroStar = node({
  name: 'CFGZeroStar',
  category: 'advanced/guidance',
  module: 'comfy_extras.nodes_cfg',
  modern: true,
  description: 'Scales the part without the prompt so that it fits the one with it best.',
  inputs: { model: link('MODEL') },
  outputs: patched,
  run: ({ model }) => [after(model, zeroStar)],
});

const tcfg = node({
  name: 'TCFG',
  displayName: 'Tangential Damping CFG',
  category: 'advanced/guidance',
  module: 'comfy_extras.nodes_tcfg',
  modern: true,
  description: 'Takes from the part without the prompt what has nothing to do with the one with it.',
  inputs: { model: link('MODEL') },
  outputs: patched,
  run: ({ model }) => [before(model, tangentiallyDamped)],
});

const apg = node({
  name: 'APG',
  displayName: 'Adaptive Projected Guidance',
  category: 'sampling/custom_sampling',
  module: 'comfy_extras.nodes_apg',
  modern: true,
  description: 'Guidance with less of the part that only strengthens what is there.',
  inputs: {
    model: link('MODEL'),
    eta: float({ default: 1.0, min: -10.0, max: 10.0, step: 0.01 }),
    norm_threshold: float({ default: 5.0, min: 0.0, max: 50.0, step: 0.1 }),
    momentum: float({ default: 0.0, min: -5.0, max: 1.0, step: 0.01 }),
  },
  outputs: [output('MODEL')],
  run: ({ model, eta, norm_threshold, momentum }) => [
    before(model, projected({ eta, threshold: norm_threshold, momentum })),
  ],
});

const epsilonScaling = node({
  name: 'Epsilon Scaling',
  category: 'model_patches/unet',
  module: 'comfy_extras.nodes_eps',
  modern: true,
  description: 'Takes a little less noise for seen than the model says.',
  inputs: {
    model: link('MODEL'),
    scaling_factor: float({ default: 1.005, min: 0.5, max: 1.5, step: 0.001, display: 'number' }),
  },
  outputs: [output('MODEL')],
  run: ({ model, scaling_factor }) => [after(model, noiseScaledDown(scaling_factor))],
});

const differentialDiffusion = node({
  name: 'DifferentialDiffusion',
  displayName: 'Differential Diffusion',
  category: '_for_testing',
  module: 'comfy_extras.nodes_differential_diffusion',
  modern: true,
  experimental: true,
  description: 'Greys of the noise mask say how early a cell may change.',
  inputs: {
    model: link('MODEL'),
    strength: optional(float({ default: 1.0, min: 0.0, max: 1.0, step: 0.01 })),
  },
  outputs: [output('MODEL')],
  run({ model, strength = 1 }) {
    const { sampling } = model;
    const maskAt: ModelPatch['maskAt'] = (mask, sigma, sigmas) => {
      const last = sampling.timestepOf(Math.max(sampling.sigmaMin, sigmas.at(-1)!));
      const first = sampling.timestepOf(sigmas[0]!);
      const threshold = first === last ? 0 : (sampling.timestepOf(sigma) - last) / (first - last);
      return thresholded(mask, threshold, strength);
    };
    return [{ ...model, maskAt }];
  },
});

const mahiro = node({
  name: 'Mahiro',
  displayName: 'Mahiro is so cute that she deserves a better guidance function!! (。・ω・。)',
  category: '_for_testing',
  module: 'comfy_extras.nodes_mahiro',
  modern: true,
  experimental: true,
  description: 'Guides more into the direction of the prompt than away from the negative one.',
  inputs: { model: link('MODEL') },
  outputs: patched,
  run: ({ model }) => [after(model, towardsPrompt)],
});

const renormCfg = node({
  name: 'RenormCFG',
  category: 'advanced/model',
  module: 'comfy_extras.nodes_lumina2',
  modern: true,
  description: 'Guides below a noise level only, and not to a greater length than the prompt alone.',
  inputs: {
    model: link('MODEL'),
    cfg_trunc: float({ default: 100, min: 0.0, max: 100.0, step: 0.01 }),
    renorm_cfg: float({ default: 1.0, min: 0.0, max: 100.0, step: 0.01 }),
  },
  outputs: [output('MODEL')],
  run: ({ model, cfg_trunc, renorm_cfg }) => [combined(model, renormalized(cfg_trunc, renorm_cfg))],
});

const freSca = node({
  name: 'FreSca',
  displayName: 'FreSca',
  category: '_for_testing',
  module: 'comfy_extras.nodes_fresca',
  modern: true,
  experimental: true,
  description: 'Strengths of their own for coarse and fine differences that guidance makes.',
  inputs: {
    model: link('MODEL'),
    scale_low: float({ default: 1.0, min: 0, max: 10, step: 0.01 }),
    scale_high: float({ default: 1.25, min: 0, max: 10, step: 0.01 }),
    freq_cutoff: int({ default: 20, min: 1, max: 10000, step: 1 }),
  },
  outputs: [output('MODEL')],
  run: ({ model, scale_low, scale_high, freq_cutoff }) => [
    before(model, frequenciesScaled(scale_low, scale_high, freq_cutoff)),
  ],
});

const framewise = (name: string, description: string, guidance: typeof rising): AnyNode =>
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
    run: ({ model, min_cfg }) => [combined(model, guidance(min_cfg))],
  });

const perpNeg = node({
  name: 'PerpNeg',
  displayName: 'Perp-Neg (DEPRECATED by PerpNegGuider)',
  category: '_for_testing',
  module: 'comfy_extras.nodes_perpneg',
  modern: true,
  deprecated: true,
  experimental: true,
  description: 'Of the negative prompt only what does not lie in the direction of the positive one counts.',
  inputs: {
    model: link('MODEL'),
    empty_conditioning: link('CONDITIONING'),
    neg_scale: float({ default: 1.0, min: 0.0, max: 100.0, step: 0.01 }),
  },
  outputs: [output('MODEL')],
  run: ({ model, empty_conditioning, neg_scale }) => [
    withGuidance(model, (guidance) => ({
      ...guidance,
      besides: empty_conditioning,
      combine: ({ cond, uncond, besides, scale }) =>
        perpendicular(cond, uncond, besides ?? uncond, scale, neg_scale),
    })),
  ],
});

export const guidanceNodes: AnyNode[] = [
  perpNeg,
  mahiro,
  renormCfg,
  freSca,
  framewise(
    'VideoLinearCFGGuidance',
    'Guidance that grows from the first picture of a batch to the last.',
    rising,
  ),
  framewise(
    'VideoTriangleCFGGuidance',
    'Guidance that is strongest in the middle of a batch of pictures.',
    triangular,
  ),
  rescaleCfg,
  cfgNorm,
  cfgZeroStar,
  tcfg,
  apg,
  epsilonScaling,
  differentialDiffusion,
];
