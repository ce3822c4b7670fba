import type { ActivePatches } from '../../values/graph-patch.ts';
import type { Guidance, GuidanceValues } from '../../values/guidance.ts';

/** What is in force in the network for one list of prompts, and gets what is taken out of it. */
export interface PatchedPass {
  readonly active: ActivePatches;
  readonly values: Pick<GuidanceValues, 'captured'>;
}

/** What guidance wants where the model is asked without its prompt. undefined: nothing. */
export function uncondPatches(guidance: Guidance, sigma: number): PatchedPass | undefined {
  const switches = guidance.patchesWithoutPrompt?.(sigma);
  const taking = activationCapture(guidance);
  if (!switches || switches.size === 0) return taking;
  return { active: { ...taking?.active, switches }, values: taking?.values ?? {} };
}

/** The same of guiders whose prompts are all asked alike. */
export function activationCapture({ capturesActivations: takes }: Guidance): PatchedPass | undefined {
  if (!takes) return undefined;
  const taken: Readonly<Record<string, GuidanceValues['x']>>[] = [];
  return { active: { onCapture: (values) => taken.push(values) }, values: { captured: taken } };
}
