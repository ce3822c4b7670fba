/** Nodes that sample with noise, guider, sampler and sigmas as separate inputs. */
import { basicGuider, cfgGuider, dualGuider, perpNegGuider } from '../../sampling/guidance/guiders.ts';
import { seededNoiseSource, zeroNoiseSource } from '../../sampling/initial-noise.ts';
import { addNoise } from '../../sampling/sample.ts';
import { seed } from '../kernel/common-inputs.ts';
import { boolean, choice, float, link } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';
import { runSampler } from './run-sampler.ts';

const MODULE = 'comfy_extras.nodes_custom_sampler';
const scale = () => float({ default: 8.0, min: 0.0, max: 100.0, step: 0.1, round: 0.01 });
const model = () => link('MODEL', undefined);
const conditioning = () => link('CONDITIONING', undefined);
const results = [output('LATENT', 'output'), output('LATENT', 'denoised_output')];

const samplerCustom = node({
  name: 'SamplerCustom',
  displayName: 'SamplerCustom',
  category: 'sampling/custom_sampling',
  module: MODULE,
  description: 'Samples with a sampler and noise levels of your choice.',
  inputs: {
    model: model(),
    add_noise: boolean({ default: true }),
    noise_seed: seed(),
    cfg: scale(),
    positive: conditioning(),
    negative: conditioning(),
    sampler: link('SAMPLER', undefined),
    sigmas: link('SIGMAS', undefined),
    latent_image: link('LATENT', undefined),
  },
  outputs: results,
  async run(
    { model, add_noise, noise_seed, cfg, positive, negative, sampler, sigmas, latent_image },
    context,
  ) {
    const noise = add_noise ? seededNoiseSource(noise_seed) : { ...zeroNoiseSource, seed: noise_seed };
    const guider = cfgGuider(model, positive, negative, cfg);
    const { latent, denoised } = await runSampler(
      { guider, noise, sampler, sigmas: sigmas.data, latent: latent_image },
      context,
    );
    return [latent, denoised];
  },
});

const samplerCustomAdvanced = node({
  name: 'SamplerCustomAdvanced',
  displayName: 'SamplerCustomAdvanced',
  category: 'sampling/custom_sampling',
  module: MODULE,
  description: 'Samples with a guider, a sampler, noise levels and noise of your choice.',
  inputs: {
    noise: link('NOISE', undefined),
    guider: link('GUIDER', undefined),
    sampler: link('SAMPLER', undefined),
    sigmas: link('SIGMAS', undefined),
    latent_image: link('LATENT', undefined),
  },
  outputs: results,
  async run({ noise, guider, sampler, sigmas, latent_image }, context) {
    const { latent, denoised } = await runSampler(
      { guider, noise, sampler, sigmas: sigmas.data, latent: latent_image },
      context,
    );
    return [latent, denoised];
  },
});

const randomNoise = node({
  name: 'RandomNoise',
  displayName: 'RandomNoise',
  category: 'sampling/custom_sampling/noise',
  module: MODULE,
  description: 'Creates the noise of a seed.',
  inputs: { noise_seed: seed() },
  outputs: [output('NOISE')],
  run: ({ noise_seed }) => [seededNoiseSource(noise_seed)],
});

const disableNoise = node({
  name: 'DisableNoise',
  displayName: 'DisableNoise',
  category: 'sampling/custom_sampling/noise',
  module: MODULE,
  description: 'Adds no noise, for latents that contain noise already.',
  inputs: {},
  outputs: [output('NOISE')],
  run: () => [zeroNoiseSource],
});

const addNoiseNode = node({
  name: 'AddNoise',
  displayName: 'AddNoise',
  category: '_for_testing/custom_sampling/noise',
  module: MODULE,
  description: 'Adds noise to a latent: the difference between the first and the last noise level.',
  inputs: {
    model: model(),
    noise: link('NOISE', undefined),
    sigmas: link('SIGMAS', undefined),
    latent_image: link('LATENT', undefined),
  },
  outputs: [output('LATENT')],
  run: ({ model, noise, sigmas, latent_image }) => [
    { ...latent_image, samples: addNoise(model, noise, sigmas.data, latent_image) },
  ],
});

const basic = node({
  name: 'BasicGuider',
  displayName: 'BasicGuider',
  category: 'sampling/custom_sampling/guiders',
  module: MODULE,
  description: 'Guides with one prompt.',
  inputs: { model: model(), conditioning: conditioning() },
  outputs: [output('GUIDER')],
  run: ({ model, conditioning }) => [basicGuider(model, conditioning)],
});

const cfg = node({
  name: 'CFGGuider',
  displayName: 'CFGGuider',
  category: 'sampling/custom_sampling/guiders',
  module: MODULE,
  description: 'Guides towards the positive prompt and away from the negative one.',
  inputs: { model: model(), positive: conditioning(), negative: conditioning(), cfg: scale() },
  outputs: [output('GUIDER')],
  run: ({ model, positive, negative, cfg }) => [cfgGuider(model, positive, negative, cfg)],
});

const dual = node({
  name: 'DualCFGGuider',
  displayName: 'DualCFGGuider',
  category: 'sampling/custom_sampling/guiders',
  module: MODULE,
  description: 'Guides with two prompts, each with its own strength, and a negative prompt.',
  inputs: {
    model: model(),
    cond1: conditioning(),
    cond2: conditioning(),
    negative: conditioning(),
    cfg_conds: scale(),
    cfg_cond2_negative: scale(),
    style: choice(['regular', 'nested']),
  },
  outputs: [output('GUIDER')],
  run: ({ model, cond1, cond2, negative, cfg_conds, cfg_cond2_negative, style }) => [
    dualGuider(
      model,
      [cond1, cond2, negative],
      { between: cfg_conds, negative: cfg_cond2_negative },
      style === 'nested',
    ),
  ],
});

const perpendicular = node({
  name: 'PerpNegGuider',
  category: '_for_testing',
  module: 'comfy_extras.nodes_perpneg',
  modern: true,
  experimental: true,
  description: 'Uses the part of the negative prompt that is perpendicular to the positive one.',
  inputs: {
    model: link('MODEL'),
    positive: link('CONDITIONING'),
    negative: link('CONDITIONING'),
    empty_conditioning: link('CONDITIONING'),
    cfg: scale(),
    neg_scale: float({ default: 1.0, min: 0.0, max: 100.0, step: 0.01 }),
  },
  outputs: [output('GUIDER')],
  run: ({ model, positive, negative, empty_conditioning, cfg, neg_scale }) => [
    perpNegGuider(model, { positive, negative, empty: empty_conditioning }, cfg, neg_scale),
  ],
});

export const customSamplingNodes: AnyNode[] = [
  samplerCustom,
  samplerCustomAdvanced,
  randomNoise,
  disableNoise,
  addNoiseNode,
  basic,
  cfg,
  dual,
  perpendicular,
];
