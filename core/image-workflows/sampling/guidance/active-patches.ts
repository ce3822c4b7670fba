import type { ActivePatches } from '../../values/graph-patch.ts';
import type { Guidance, GuidanceValues } from '../../values/guidance.ts';

/** The active patches for one list of prompts, and the activations that they capture during the pass. */
export interface PatchedPass {
  readonly active: ActivePatches;
  readonly values: Pick<GuidanceValues, 'captured'>;
}

/** The patches that guidance needs in the uncond pass. Undefined when it needs none. */
export function uncondPatches(guidance: Guidance, sigma: number): PatchedPass | undefined {
  const switches = guidance.patchesWithoutPrompt?.(sigma);
  const capture = activationCapture(guidance);
  if (!switches || switches.size === 0) return capture;
  return { active: { ...capture?.active, switches }, values: capture?.values ?? {} };
}

/** Captures activations without switching any patch on. Undefined when guidance needs none. */
export function activationCapture({ capturesActivations }: Guidance): PatchedPass | undefined {
  if (!capturesActivations) return undefined;
  const captured: Readonly<Record<string, GuidanceValues['x']>>[] = [];
  return { active: { onCapture: (values) => captured.push(values) }, values: { captured } };
}
