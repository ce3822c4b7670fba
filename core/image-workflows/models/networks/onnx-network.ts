/** Diffusion networks as ONNX graphs. Prompts of equal length run as one batch. */
import type { Tensor, TensorSession } from '#core/host';
import type { AnyAdapter } from '../../values/adapter.ts';
import type { GraphPatch, GraphPatchParts } from '../../values/graph-patch.ts';
import type { ModelGraph } from '../../values/model-graph.ts';
import { type DiffusionNetwork, type NetworkPrompt, residualKind } from '../../values/network.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { applyAnyAdapter } from '../adapters/apply-adapter.ts';
import { toFloatTensor } from '../graphs/session-tensors.ts';

/** One run of a network: `x` under each of the prompts, which have equally many tokens. */
export interface NetworkInput {
  session: TensorSession;
  x: FloatTensor;
  timestep: number;
  prompts: readonly NetworkPrompt[];
}

/** The inputs and outputs of one kind of network. */
export interface NetworkLayout {
  feeds(input: NetworkInput): Record<string, Tensor>;
  /** Possible names of the output. The first one that the graph has is used. */
  readonly outputs: readonly string[];
  /** Prompts with other keys do not run as one batch. Default: all have the same. */
  groupKey?(prompt: NetworkPrompt): string;
  /** Converts an output [prompts x batch, …] to latents [prompts x batch, channels, height, width] as large as `x`. */
  toLatent?(output: FloatTensor, x: FloatTensor): FloatTensor;
}

/** A patch in a graph, with the feeds for its inputs. */
interface AppliedPatch extends Pick<GraphPatchParts, 'feeds'> {
  readonly patch: GraphPatch;
}

/** @param patches those that the graph already contains. */
export function onnxNetwork(
  graph: ModelGraph,
  layout: NetworkLayout,
  patches: readonly AppliedPatch[] = [],
): DiffusionNetwork {
  return {
    async predict(x, timestep, prompts, signal) {
      const results = new Map<NetworkPrompt, FloatTensor>();
      for (const group of groupPrompts(prompts, layout)) {
        const session = await graph.session(signal);
        const outputs = await runBatch(layout, patches, { session, x, timestep, prompts: group }, signal);
        for (const [index, prompt] of group.entries()) results.set(prompt, outputs[index]!);
      }
      return prompts.map((prompt) => results.get(prompt)!);
    },
    async run({ x, timestep, prompt, added }, outputs, signal) {
      const session = await graph.session(signal);
      const feeds = layout.feeds({ session, x, timestep, prompts: [prompt] });
      return session.run({ ...feeds, ...added }, signal, [...outputs]);
    },
    async outputName() {
      const { outputs } = await graph.source.outline();
      return layout.outputs.find((name) => outputs.includes(name)) ?? outputs[0]!;
    },
    graph,
    patches: patches.map(({ patch }) => patch),
    withGraph: (other) => onnxNetwork(other, layout, patches),
    async withPatch(patch, signal) {
      if (patches.some((applied) => applied.patch.key === patch.key))
        return onnxNetwork(graph, layout, patches);
      const outline = await graph.source.outline();
      const { fields = [], insertions = [], feeds } = await patch.build(outline, signal);
      if (fields.length + insertions.length === 0) return onnxNetwork(graph, layout, patches);
      // The size is a part of the key: in a file that was exported again, nodes lie at other offsets.
      const changed = graph.withChange({ key: `${patch.key} ${outline.size}`, fields, insertions });
      return onnxNetwork(changed, layout, [...patches, { patch, ...(feeds && { feeds }) }]);
    },
    prepare: (signal) => graph.prepare(signal),
    async withAdapter(adapter: AnyAdapter, strength: number) {
      const part = { name: 'network', target: 'network' } as const;
      return onnxNetwork(await applyAnyAdapter(graph, adapter, part, strength), layout, patches);
    },
  };
}

/** The outputs for the prompts of one batch, each in the shape of `x`. */
async function runBatch(
  layout: NetworkLayout,
  patches: readonly AppliedPatch[],
  input: NetworkInput,
  signal: AbortSignal,
): Promise<FloatTensor[]> {
  const { session, x, timestep, prompts } = input;
  const listed = layout.outputs.find((name) => session.outputs.some((output) => output.name === name));
  const outputName = listed ?? session.outputs[0]!.name;
  const { switches = new Set<string>(), onCapture } = prompts[0]?.activePatches ?? {};
  const feeds = layout.feeds(input);
  for (const { feeds: patchFeeds } of patches)
    Object.assign(feeds, patchFeeds?.({ x, timestep, sigma: prompts[0]?.sigma, switches }));
  const captured = onCapture ? patches.flatMap(({ patch }) => patch.outputs ?? []) : [];
  const outputs = await session.run(feeds, signal, [outputName, ...captured]);
  onCapture?.(Object.fromEntries(captured.map((name) => [name, toFloatTensor(outputs[name]!)])));
  const output = toFloatTensor(outputs[outputName]!);
  const { data } = layout.toLatent?.(output, x) ?? output;
  const size = data.length / prompts.length;
  if (size !== x.data.length)
    throw new Error(
      `the model's output is [${output.shape.join(', ')}], which does not fit latents [${x.shape.join(', ')}]`,
    );
  return prompts.map((_, index) => ({
    shape: x.shape,
    data: data.slice(index * size, (index + 1) * size),
  }));
}

/**
 * Groups the prompts that can run as one batch. They have the same number of tokens, the same active patches, and
 * references of the same sizes. Either all or none have control residuals, and all the same kinds.
 */
function groupPrompts(prompts: readonly NetworkPrompt[], layout: NetworkLayout): NetworkPrompt[][] {
  const groups = new Map<string, NetworkPrompt[]>();
  const activePatches: unknown[] = [];
  for (const prompt of prompts) {
    const { references } = prompt;
    if (!activePatches.includes(prompt.activePatches)) activePatches.push(prompt.activePatches);
    const key = [
      prompt.tensor.shape.slice(1).join('x'),
      references?.latents.map(({ shape }) => shape.slice(2).join('x')).join(),
      references?.placement,
      prompt.vision?.shape[1],
      Object.entries(prompt.videoInputs ?? {}).map(([name, { shape }]) => `${name} ${shape.join('x')}`),
      prompt.options.timing?.frameRate,
      prompt.control?.map(residualKind).join(),
      activePatches.indexOf(prompt.activePatches),
      layout.groupKey?.(prompt),
    ].join(' ');
    const group = groups.get(key);
    if (group) group.push(prompt);
    else groups.set(key, [prompt]);
  }
  return [...groups.values()];
}
