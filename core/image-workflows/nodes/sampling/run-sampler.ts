import { type SampleOptions, sample } from '../../sampling/sample.ts';
import { SAMPLERS } from '../../sampling/samplers/samplers.ts';
import type { Latent } from '../../values/latent.ts';
import type { SamplerFunction } from '../../values/sampler.ts';
import type { NodeContext } from '../kernel/node-context.ts';
import { latentPreview } from './latent-preview.ts';

/** Throws for a name that there is not. */
export function namedSampler(name: string): SamplerFunction {
  const entry = SAMPLERS[name];
  if (!entry) throw new Error(`there is no sampler "${name}"`);
  return { name, sampler: entry.make(), ownMaskNoise: entry.ownMaskNoise === true };
}

/** Samples as a node: tells each step, and gives the latent with everything that travelled along, as result and as last seen. */
export async function runSampler(
  options: Omit<SampleOptions, 'signal' | 'onStep'>,
  context: NodeContext,
): Promise<{ latent: Latent; denoised: Latent }> {
  const { samples, denoised } = await sample({
    ...options,
    signal: context.signal,
    async onStep({ value, max, denoised }) {
      const { latent } = options.guider.model;
      const preview = context.wantsPreviews
        ? await latentPreview(denoised(), latent, context.host.imageCodecs)
        : undefined;
      await context.progress(value, max, preview);
    },
  });
  return { latent: { ...options.latent, samples }, denoised: { ...options.latent, samples: denoised } };
}
