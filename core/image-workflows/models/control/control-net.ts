import type { Host, TensorSession } from '#core/host';
import type { WorkflowFiles } from '../../files/workflow-files.ts';
import { imageRaster, rasterToPlanes, repeatToBatch, withChannels } from '../../images/rasters.ts';
import { resize } from '../../images/resize/resize.ts';
import type { ConditioningEntry } from '../../values/conditioning.ts';
import type { ControlNet } from '../../values/control-net.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { ModelGraph } from '../../values/model-graph.ts';
import { type FloatTensor, zeros } from '../../values/tensor.ts';
import { graphsOf } from '../graphs/graph-registry.ts';
import { mergeGraphs } from '../graphs/merge-graphs.ts';
import { type NetworkParameter, networkParameters } from '../graphs/network-parameters.ts';
import { feed, findSlot, requireSlot } from '../graphs/session-tensors.ts';
import { modelNames, rejectBareWeights } from '../model-files/model-names.ts';
import { repeatBatch } from '../networks/batches.ts';
import { isBlockSample, isUnetResidual } from '../networks/control-residuals.ts';
import { unetFeeds } from '../networks/unet-layout.ts';
import { fullStrengthFeed, runForPrompts } from './control-outputs.ts';
import { transformerResiduals } from './transformer-control-net.ts';

const FOLDER = 'models/controlnet';
/** Pixels a latent cell. */
const SCALE = 8;

export const controlNetNames = (files: WorkflowFiles): Promise<string[]> =>
  modelNames(files, 'controlnet', ['model.onnx'], true);

/** A folder with `model.onnx`, or an `.onnx` file. Throws for weights without a graph, and for graphs of other kinds. */
export async function loadControlNet(host: Host, name: string): Promise<ControlNet> {
  return controlNet(await openGraph(host, name), undefined);
}

/** The same with the weights of a model added to those of the same names, where the file holds differences to them. */
export async function loadDiffControlNet(
  host: Host,
  name: string,
  { network }: DiffusionModel,
  signal: AbortSignal,
): Promise<ControlNet> {
  const graph = await openGraph(host, name);
  if (!network.graph) throw new Error('the weights of this model cannot be read');
  const isWhole = await hasWholeNorms(graph, signal);
  const both = { first: 1, second: 1 };
  return controlNet(
    isWhole ? graph : await mergeGraphs(graph, network.graph, 'networks', () => () => both),
    undefined,
  );
}

/** Norms multiply by numbers about 1; differences of such are about 0. */
const MIDDLE = 0.5;

/** Whether a graph has norms that are no differences. */
async function hasWholeNorms(graph: ModelGraph, signal: AbortSignal): Promise<boolean> {
  let [sum, count] = [0, 0];
  for (const [name, { constant: value }] of await namedParameters(graph)) {
    if (!/norm\w*\.weight$/.test(name)) continue;
    for (const number of await graph.numbers(value, signal)) {
      sum += Math.abs(number);
      count++;
    }
  }
  return count > 0 && sum / count > MIDDLE;
}

/** None where the graph does not name them, which adding tells. */
async function namedParameters(graph: ModelGraph): Promise<ReadonlyMap<string, NetworkParameter>> {
  const outline = await graph.source.outline();
  try {
    return networkParameters(outline);
  } catch {
    return new Map();
  }
}

/** Throws for weights without a graph, and for graphs of other kinds. */
async function openGraph(host: Host, name: string): Promise<ModelGraph> {
  await rejectBareWeights(host, FOLDER, name);
  const graph = graphsOf(host).at(`${FOLDER}/${name}`);
  const { outputs } = await graph.source.outline();
  if (!outputs.some(isUnetResidual) && !outputs.some(isBlockSample))
    throw new Error(
      `${name} is no control net in the diffusers layout: its graph gives ${outputs.join(', ')}, not down_block_… and mid_block_…, or controlnet_block_samples_…`,
    );
  return graph;
}

function controlNet(graph: ModelGraph, type: number | undefined): ControlNet {
  const onLatents = transformerResiduals(graph, type);
  async function run(
    x: FloatTensor,
    timestep: number,
    prompts: readonly Pick<ConditioningEntry, 'tensor' | 'options'>[],
    image: FloatTensor,
    signal: AbortSignal,
  ): Promise<FloatTensor[][]> {
    const session = await graph.session(signal);
    const batch = x.shape[0]!;
    const all = batch * prompts.length;
    const feeds = unetFeeds(session, repeatBatch(x, prompts.length), timestep, prompts, batch);
    const hint = requireSlot(session, 'controlnet_cond');
    feeds[hint.name] = feed(hint, repeatBatch(fitted(image, x.shape), prompts.length));
    Object.assign(feeds, fullStrengthFeed(session));
    const kind = findSlot(session.inputs, 'control_type');
    if (kind) feeds[kind.name] = feed(kind, chosen(all, Number(kind.shape.at(-1)) || 8, type));
    const asked = { session, names: residualNames(session), count: prompts.length, batch };
    return runForPrompts(asked, feeds, signal);
  }
  return {
    ofType: (index) => controlNet(graph, index),
    async residuals(x, timestep, prompts, image, signal, beside) {
      const isOnLatents = (await graph.source.outline()).outputs.some(isBlockSample);
      const ask = isOnLatents ? onLatents : run;
      const results: FloatTensor[][] = [];
      const byLength = new Map<string, number[]>();
      for (const [index, { tensor }] of prompts.entries()) {
        const key = tensor.shape.slice(1).join('x');
        byLength.set(key, [...(byLength.get(key) ?? []), index]);
      }
      for (const places of byLength.values()) {
        const group = places.map((place) => prompts[place]!);
        for (const [index, one] of (await ask(x, timestep, group, image, signal, beside)).entries())
          results[places[index]!] = one;
      }
      return results;
    },
  };
}

const residualNames = ({ outputs }: TensorSession): string[] =>
  outputs.map(({ name }) => name).filter(isUnetResidual);

/** [batch, 3, height, width] in the size of the picture that the latents stand for. */
function fitted(image: FloatTensor, [batch = 1, , height = 1, width = 1]: readonly number[]): FloatTensor {
  const raster = withChannels(imageRaster(image), 3);
  const sized = resize(raster, width * SCALE, height * SCALE, 'nearest-exact', 'center');
  return rasterToPlanes(repeatToBatch(sized, batch));
}

/** 1 at the kind that is wanted. */
function chosen(batch: number, kinds: number, type: number | undefined): FloatTensor {
  const made = zeros([batch, kinds]);
  if (type !== undefined) for (let i = 0; i < batch; i++) made.data[i * kinds + type] = 1;
  return made;
}
