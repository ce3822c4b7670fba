import { type SampleOptions, sample } from '../../sampling/sample.ts';
import { SAMPLERS } from '../../sampling/samplers/samplers.ts';
import type { Latent } from '../../values/latent.ts';
import type { SamplerFunction } from '../../values/sampler.ts';
import type { NodeContext } from '../kernel/node-context.ts';
import { latentPreview } from './latent-preview.ts';

/** The sampler with a name and its default settings. Throws for an unknown name. */
export function namedSampler(name: string): SamplerFunction {
  const entry = SAMPLERS[name];
  if (!entry) throw new Error(`there is no sampler "${name}"`);
  return { name, sampler: entry.make(), ownMaskNoise: entry.ownMaskNoise === true };
}

/**
 * Samples and reports each step. Returns the latent with the members of the input latent, and the last prediction of
 * the clean latent.
 */
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
