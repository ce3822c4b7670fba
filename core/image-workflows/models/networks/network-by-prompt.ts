/** Networks that run some prompts with another graph of the same weights. */
import type { DiffusionNetwork, NetworkPrompt } from '../../values/network.ts';
import type { FloatTensor } from '../../values/tensor.ts';

/** The usual network, with another one for the prompts that `isOther` finds. Each opens when it is needed. */
export function networkByPrompt(
  usual: DiffusionNetwork,
  other: DiffusionNetwork,
  isOther: (prompt: NetworkPrompt) => boolean,
): DiffusionNetwork {
  const both = (changedUsual: DiffusionNetwork, changedOther: DiffusionNetwork) =>
    networkByPrompt(changedUsual, changedOther, isOther);
  return {
    ...usual,
    async predict(x, timestep, prompts, signal) {
      const results = new Map<NetworkPrompt, FloatTensor>();
      for (const [network, chosen] of [
        [usual, prompts.filter((prompt) => !isOther(prompt))],
        [other, prompts.filter(isOther)],
      ] as const) {
        if (chosen.length === 0) continue;
        const outputs = await network.predict(x, timestep, chosen, signal);
        for (const [index, prompt] of chosen.entries()) results.set(prompt, outputs[index]!);
      }
      return prompts.map((prompt) => results.get(prompt)!);
    },
    withPatch: async (patch, signal) =>
      both(await usual.withPatch!(patch, signal), await other.withPatch!(patch, signal)),
    withAdapter: async (adapter, strength) =>
      both(await usual.withAdapter!(adapter, strength), await other.withAdapter!(adapter, strength)),
  };
}
