/** Networks that predict noise, velocity or a picture, as ONNX graphs: all prompts of one length go through as one batch. */
import type { Tensor, TensorSession } from '#core/host';
import type { AnyAdapter } from '../../values/adapter.ts';
import type { GraphPatch, GraphPatchParts } from '../../values/graph-patch.ts';
import type { ModelGraph } from '../../values/model-graph.ts';
import type { DiffusionNetwork, NetworkPrompt } from '../../values/network.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { applyAnyAdapter } from '../adapters/apply-adapter.ts';
import { toFloatTensor } from '../graphs/session-tensors.ts';

/** What one run of a network is asked for: `x` for each of the prompts, which have as many tokens as one another. */
export interface NetworkInput {
  session: TensorSession;
  x: FloatTensor;
  timestep: number;
  prompts: readonly NetworkPrompt[];
}

/** How a kind of network is fed. */
export interface NetworkLayout {
  feeds(input: NetworkInput): Record<string, Tensor>;
  /** Names of the output, the first one that there is. */
  readonly outputs: readonly string[];
  /** [prompts x batch, …] as the graph gives it -> in the shape of `x`, one for each prompt and picture. */
  toLatent?(output: FloatTensor, x: FloatTensor): FloatTensor;
}

/** A change that a graph has, with what its inputs get in a run. */
interface AppliedPatch extends Pick<GraphPatchParts, 'feeds'> {
  readonly change: GraphPatch;
}

/** `inside`: changes that the graph already has. */
export function onnxNetwork(
  graph: ModelGraph,
  layout: NetworkLayout,
  inside: readonly AppliedPatch[] = [],
): DiffusionNetwork {
  async function run(
    x: FloatTensor,
    timestep: number,
    prompts: readonly NetworkPrompt[],
    signal: AbortSignal,
  ): Promise<FloatTensor[]> {
    const session = await graph.session(signal);
    const named = layout.outputs.find((name) => session.outputs.some((output) => output.name === name));
    const output = named ?? session.outputs[0]!.name;
    const { switches = new Set<string>(), onCapture: taken } = prompts[0]?.activePatches ?? {};
    const feeds = layout.feeds({ session, x, timestep, prompts });
    for (const made of inside)
      Object.assign(feeds, made.feeds?.({ x, timestep, sigma: prompts[0]?.sigma, switches }));
    const wanted = taken ? inside.flatMap(({ change }) => change.outputs ?? []) : [];
    const outputs = await session.run(feeds, signal, [output, ...wanted]);
    if (taken) taken(Object.fromEntries(wanted.map((name) => [name, toFloatTensor(outputs[name]!)])));
    const given = toFloatTensor(outputs[output]!);
    const { data } = layout.toLatent?.(given, x) ?? given;
    const size = data.length / prompts.length;
    if (size !== x.data.length)
      throw new Error(
        `the model answers with [${given.shape.join(', ')}], which does not fit latents [${x.shape.join(', ')}]`,
      );
    return prompts.map((_, index) => ({
      shape: x.shape,
      data: data.slice(index * size, (index + 1) * size),
    }));
  }
  return {
    async predict(x, timestep, prompts, signal) {
      const results = new Map<NetworkPrompt, FloatTensor>();
      for (const group of grouped(prompts)) {
        const outputs = await run(x, timestep, group, signal);
        for (const [index, prompt] of group.entries()) results.set(prompt, outputs[index]!);
      }
      return prompts.map((prompt) => results.get(prompt)!);
    },
    graph,
    patches: inside.map(({ change }) => change),
    withGraph: (other) => onnxNetwork(other, layout, inside),
    async withPatch(change, signal) {
      if (inside.some((made) => made.change.key === change.key)) return onnxNetwork(graph, layout, inside);
      const outline = await graph.source.outline();
      const { fields = [], insertions = [], feeds } = await change.build(outline, signal);
      if (fields.length + insertions.length === 0) return onnxNetwork(graph, layout, inside);
      // A file that was exported anew has its nodes elsewhere.
      const changed = graph.withChange({ key: `${change.key} ${outline.size}`, fields, insertions });
      return onnxNetwork(changed, layout, [...inside, { change, ...(feeds && { feeds }) }]);
    },
    prepare: (signal) => graph.prepare(signal),
    async withAdapter(adapter: AnyAdapter, strength: number) {
      return onnxNetwork(
        await applyAnyAdapter(graph, adapter, { name: 'network', target: 'network' }, strength),
        layout,
        inside,
      );
    },
  };
}

/** Those that can run as one batch: as many tokens, references of the same sizes, the same in force, and either all or none with a control net. */
function grouped(prompts: readonly NetworkPrompt[]): NetworkPrompt[][] {
  const groups = new Map<string, NetworkPrompt[]>();
  const inForce: unknown[] = [];
  for (const prompt of prompts) {
    if (!inForce.includes(prompt.activePatches)) inForce.push(prompt.activePatches);
    const beside = prompt.references?.latents.map(({ shape }) => shape.slice(2).join('x')) ?? [];
    const key = `${prompt.tensor.shape.slice(1).join('x')} ${beside.join()} ${prompt.references?.placing}${prompt.control ? ' controlled' : ''} ${inForce.indexOf(prompt.activePatches)}`;
    const group = groups.get(key);
    if (group) group.push(prompt);
    else groups.set(key, [prompt]);
  }
  return [...groups.values()];
}
