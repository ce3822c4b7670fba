/** Guidance: how the denoised latents for the prompt and for the negative prompt become one. */
import type { Conditioning } from './conditioning.ts';
import type { ActivePatches } from './graph-patch.ts';
import type { FloatTensor } from './tensor.ts';

/** The inputs of guidance. All tensors but `x` are clean latents. */
export interface GuidanceValues {
  /** The noisy latent. */
  readonly x: FloatTensor;
  readonly sigma: number;
  /** The prediction for the prompt. */
  readonly cond: FloatTensor;
  /** The prediction for the negative or empty prompt. */
  readonly uncond: FloatTensor;
  /** The CFG scale. */
  readonly scale: number;
  /** The prediction for `Guidance.extraPrompt`. */
  readonly extra?: FloatTensor;
  /** Activations by output name, for each run of the network in the uncond pass. Needs `capturesActivations`. */
  readonly captured?: readonly Readonly<Record<string, FloatTensor>>[];
}

/** Changes to classifier-free guidance that nodes have set. */
export interface Guidance {
  /** Applied to the inputs, in order. */
  readonly preCfg: readonly ((values: GuidanceValues) => GuidanceValues)[];
  /** A third prompt that the network evaluates at each step. */
  readonly extraPrompt?: Conditioning;
  /** Replaces uncond + scale (cond - uncond). */
  readonly cfg?: (values: GuidanceValues) => FloatTensor;
  /** Applied to the result, in order. */
  readonly postCfg: readonly PostCfg[];
  /** Keys of graph patches that are switched on in the uncond pass. */
  readonly patchesWithoutPrompt?: (sigma: number) => ReadonlySet<string>;
  /** Whether `GuidanceValues.captured` is needed. */
  readonly capturesActivations?: boolean;
}

/** Changes the guided latent. `pass` runs the network again at the same noise level. */
export type PostCfg = ((
  values: GuidanceValues & { denoised: FloatTensor },
  pass: ModelPass,
) => FloatTensor | Promise<FloatTensor>) & {
  /** This guidance does not use `uncond`, so the network need not compute it. */
  readonly ignoresUncond?: true;
};

/** The clean latent for `x` under the prompt or the negative prompt, with the given graph patches active. */
export type ModelPass = (
  prompt: 'cond' | 'uncond',
  x: FloatTensor,
  active: ActivePatches,
) => Promise<FloatTensor>;
