/** The sampling nodes that need no other node for noise, guidance and noise levels. */

import { cfgGuider } from '../../sampling/guidance/guiders.ts';
import { seededNoiseSource, zeroNoiseSource } from '../../sampling/initial-noise.ts';
import { SAMPLERS } from '../../sampling/samplers/samplers.ts';
import { samplerSigmas, sliceSigmas } from '../../sampling/schedules/sampler-sigmas.ts';
import { SCHEDULERS } from '../../sampling/schedules/schedulers.ts';
import { seed } from '../kernel/common-inputs.ts';
import { choice, float, int, link } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';
import { namedSampler, runSampler } from './run-sampler.ts';

const steps = () => int({ default: 20, min: 1, max: 10000 });
const cfg = () => float({ default: 8.0, min: 0.0, max: 100.0, step: 0.1, round: 0.01 });
const samplers = Object.keys(SAMPLERS);
const schedulers = Object.keys(SCHEDULERS);

const kSampler = node({
  name: 'KSampler',
  displayName: 'KSampler',
  category: 'sampling',
  module: 'nodes',
  description:
    'Creates an image from noise, or changes one: removes noise step by step, guided by the prompts.',
  inputs: {
    model: link('MODEL'),
    seed: seed(),
    steps: steps(),
    cfg: cfg(),
    sampler_name: choice(samplers, {}),
    scheduler: choice(schedulers, {}),
    positive: link('CONDITIONING'),
    negative: link('CONDITIONING'),
    latent_image: link('LATENT'),
    denoise: float({ default: 1.0, min: 0.0, max: 1.0, step: 0.01 }),
  },
  outputs: [output('LATENT')],
  async run(
    { model, seed, steps, cfg, sampler_name, scheduler, positive, negative, latent_image, denoise },
    context,
  ) {
    const sigmas = samplerSigmas(model.sampling, { sampler: sampler_name, scheduler, steps, denoise });
    const guider = cfgGuider(model, positive, negative, cfg);
    const sampler = namedSampler(sampler_name);
    const { latent } = await runSampler(
      { guider, noise: seededNoiseSource(seed), sampler, sigmas, latent: latent_image },
      context,
    );
    return [latent];
  },
});

const kSamplerAdvanced = node({
  name: 'KSamplerAdvanced',
  displayName: 'KSampler (Advanced)',
  category: 'sampling',
  module: 'nodes',
  description: 'Runs a range of the sampling steps, so that another node can continue with the rest.',
  inputs: {
    model: link('MODEL', undefined),
    add_noise: choice(['enable', 'disable']),
    noise_seed: seed(),
    steps: steps(),
    cfg: cfg(),
    sampler_name: choice(samplers),
    scheduler: choice(schedulers),
    positive: link('CONDITIONING', undefined),
    negative: link('CONDITIONING', undefined),
    latent_image: link('LATENT', undefined),
    start_at_step: int({ default: 0, min: 0, max: 10000 }),
    end_at_step: int({ default: 10000, min: 0, max: 10000 }),
    return_with_leftover_noise: choice(['disable', 'enable']),
  },
  outputs: [output('LATENT')],
  async run(values, context) {
    const { model, sampler_name, scheduler, steps } = values;
    const allSigmas = samplerSigmas(model.sampling, { sampler: sampler_name, scheduler, steps, denoise: 1 });
    const sigmas = sliceSigmas(allSigmas, {
      start: values.start_at_step,
      end: values.end_at_step,
      leavesNoise: values.return_with_leftover_noise === 'enable',
    });
    const noise =
      values.add_noise === 'disable'
        ? { ...zeroNoiseSource, seed: values.noise_seed }
        : seededNoiseSource(values.noise_seed);
    const guider = cfgGuider(model, values.positive, values.negative, values.cfg);
    const { latent } = await runSampler(
      { guider, noise, sampler: namedSampler(sampler_name), sigmas, latent: values.latent_image },
      context,
    );
    return [latent];
  },
});

export const kSamplerNodes: AnyNode[] = [kSampler, kSamplerAdvanced];
