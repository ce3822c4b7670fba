/** Networks whose prompts pass through further graphs, once for each prompt and size of latents. */
import type { DiffusionNetwork, NetworkPrompt, PromptOptions } from '../../values/network.ts';
import type { FloatTensor } from '../../values/tensor.ts';

/** The parts of a prompt that a conversion replaces. */
export type ConvertedParts = Pick<NetworkPrompt, 'tensor'> & Partial<Pick<NetworkPrompt, 'videoInputs'>>;

/** @param shape of the latents of one run. Rejects with the engine's error, or for prompts that do not fit the model. */
export type PromptConversion = (
  prompt: NetworkPrompt,
  shape: readonly number[],
  signal: AbortSignal,
) => Promise<ConvertedParts>;

interface Converted {
  readonly tensor: FloatTensor;
  readonly sides: string;
  readonly parts: Promise<ConvertedParts>;
}

/** The network with a conversion of its prompts. A prompt of several steps is converted at the first. */
export function withConvertedPrompts(network: DiffusionNetwork, convert: PromptConversion): DiffusionNetwork {
  const cache = new WeakMap<PromptOptions, Converted>();
  const converted = async (prompt: NetworkPrompt, shape: readonly number[], signal: AbortSignal) => {
    const { tensor, options } = prompt;
    const sides = shape.join('x');
    let recent = cache.get(options);
    if (recent?.tensor !== tensor || recent.sides !== sides) {
      recent = { tensor, sides, parts: convert(prompt, shape, signal) };
      cache.set(options, recent);
      // A failure or a canceled run does not count for the next one.
      recent.parts.catch(() => cache.delete(options));
    }
    const { videoInputs, ...parts } = await recent.parts;
    return {
      ...prompt,
      ...parts,
      ...(videoInputs && { videoInputs: { ...prompt.videoInputs, ...videoInputs } }),
    };
  };
  const again = (changed: DiffusionNetwork) => withConvertedPrompts(changed, convert);
  const { run, withGraph, withPatch, withAdapter } = network;
  return {
    ...network,
    async predict(x, timestep, prompts, signal) {
      const ready: NetworkPrompt[] = [];
      for (const prompt of prompts) ready.push(await converted(prompt, x.shape, signal));
      return network.predict(x, timestep, ready, signal);
    },
    ...(run && {
      async run(input, outputs, signal) {
        const prompt = await converted(input.prompt, input.x.shape, signal);
        return run({ ...input, prompt }, outputs, signal);
      },
    }),
    ...(withGraph && { withGraph: (graph) => again(withGraph(graph)) }),
    ...(withPatch && { withPatch: async (patch, signal) => again(await withPatch(patch, signal)) }),
    ...(withAdapter && {
      withAdapter: async (adapter, strength) => again(await withAdapter(adapter, strength)),
    }),
  };
}
