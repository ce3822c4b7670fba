/** Control nets of UNets (ControlNetModel of diffusers), and the entry point to those of transformers. */
import type { FilePath, Host, TensorSession } from '#core/host';
import type { WorkflowFiles } from '../../files/workflow-files.ts';
import { repeatBatch } from '../../values/batches.ts';
import type { ControlNet } from '../../values/control-net.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { ModelGraph } from '../../values/model-graph.ts';
import { type FloatTensor, zeros } from '../../values/tensor.ts';
import { graphsOf } from '../graphs/graph-registry.ts';
import { mergeGraphs } from '../graphs/merge-graphs.ts';
import { type NetworkParameter, networkParameters } from '../graphs/network-parameters.ts';
import { feed, findSlot, requireSlot } from '../graphs/session-tensors.ts';
import { isWeightFile, modelNames } from '../model-files/model-names.ts';
import { isBlockSample, isUnetResidual } from '../networks/control-residuals.ts';
import { unetFeeds } from '../networks/unet-layout.ts';
import { controlLora } from './control-lora.ts';
import { fullStrengthFeed, runForPrompts } from './control-outputs.ts';
import { fitHint } from './hint-image.ts';
import {
  type ControlFile,
  type ControlLoraFile,
  openControlFile,
  type Sd35ControlFile,
} from './open-control-file.ts';
import { sd35ControlNet } from './sd35-control.ts';
import { adapterResiduals, isT2iAdapter } from './t2i-adapter.ts';
import type { TransformerControl } from './transformer-control-files.ts';
import { transformerResiduals } from './transformer-control-net.ts';

const FOLDER = 'models/controlnet';
/** Kinds of images of the latest published union. */
const USUAL_KINDS = 8;

export const controlNetNames = (files: WorkflowFiles): Promise<string[]> =>
  modelNames(files, 'controlnet', ['model.onnx'], true);

/**
 * `name`: a folder with `model.onnx`, an `.onnx` file, or a file of weights. Rejects for graphs and weights of other
 * kinds. Reads tables only.
 */
export async function loadControlNet(host: Host, name: string): Promise<ControlNet> {
  const opened = await openGraph(host, name);
  if ('lora' in opened) return controlLora(host, opened.lora, (graph) => controlNet(graph, undefined));
  if ('sd35' in opened)
    return sd35ControlNet(host, opened.sd35, (graph, control) => controlNet(graph, undefined, control));
  return controlNet(opened.graph, undefined, opened.transformer);
}

/** A control net whose file stores differences to a model's weights. Other files are loaded as they are. */
export async function loadDiffControlNet(
  host: Host,
  name: string,
  { network }: DiffusionModel,
  signal: AbortSignal,
): Promise<ControlNet> {
  const opened = await openGraph(host, name);
  if ('lora' in opened || 'sd35' in opened) return loadControlNet(host, name);
  const { graph, hasDifferences = await looksLikeDifferences(graph, signal) } = opened;
  if (!network.graph) throw new Error('the weights of this model cannot be read');
  if (!hasDifferences) return controlNet(graph, undefined, opened.transformer);
  const sum = { first: 1, second: 1 };
  return controlNet(await mergeGraphs(graph, network.graph, 'networks', () => () => sum), undefined);
}

/** The weights of a norm are about 1, differences of such weights about 0. */
const NORM_THRESHOLD = 0.5;

/** Whether a graph stores differences, judged by the weights of its norms. */
async function looksLikeDifferences(graph: ModelGraph, signal: AbortSignal): Promise<boolean> {
  let [sum, count] = [0, 0];
  for (const [name, { constant }] of await namedParameters(graph)) {
    if (!/norm\w*\.weight$/.test(name)) continue;
    for (const number of await graph.numbers(constant, signal)) {
      sum += Math.abs(number);
      count++;
    }
  }
  return !(count > 0 && sum / count > NORM_THRESHOLD);
}

/**
 * The named parameters of a graph. They are empty when the graph does not name them: the merge then reports an error.
 */
async function namedParameters(graph: ModelGraph): Promise<ReadonlyMap<string, NetworkParameter>> {
  const outline = await graph.source.outline();
  try {
    return networkParameters(outline);
  } catch {
    return new Map();
  }
}

type OpenedControl = (Partial<ControlFile> & { graph: ModelGraph }) | ControlLoraFile | Sd35ControlFile;

async function openGraph(host: Host, name: string): Promise<OpenedControl> {
  const path: FilePath = `${FOLDER}/${name}`;
  if (await isWeightFile(host, path)) return openControlFile(host, path);
  const graph = graphsOf(host).at(path);
  const { outputs } = await graph.source.outline();
  if (!outputs.some(isUnetResidual) && !outputs.some(isBlockSample) && !isT2iAdapter(outputs))
    throw new Error(
      `${name} is no control net in the diffusers layout: the outputs of its graph are ${outputs.join(', ')}, not down_block_… and mid_block_…, or controlnet_block_samples_…`,
    );
  return { graph };
}

/** @param type the kind of hint image, for a union of several control nets. */
function controlNet(
  graph: ModelGraph,
  type: number | undefined,
  transformer?: TransformerControl,
): ControlNet {
  const runUnet = unetResiduals(graph, type);
  const runTransformer = transformerResiduals(graph, type, transformer);
  const runAdapter = adapterResiduals(graph);
  return {
    ofType: (index) => controlNet(graph, index, transformer),
    async residuals(x, timestep, prompts, image, signal, latentInputs) {
      const { outputs } = await graph.source.outline();
      if (isT2iAdapter(outputs)) return runAdapter(x, timestep, prompts, image, signal);
      const isForTransformer = outputs.some(isBlockSample);
      const run = isForTransformer ? runTransformer : runUnet;
      const results: FloatTensor[][] = [];
      // Prompts of equal length run as one batch.
      const byLength = new Map<string, number[]>();
      for (const [index, { tensor }] of prompts.entries()) {
        const key = tensor.shape.slice(1).join('x');
        byLength.set(key, [...(byLength.get(key) ?? []), index]);
      }
      for (const indices of byLength.values()) {
        const group = indices.map((index) => prompts[index]!);
        const residuals = await run(x, timestep, group, image, signal, latentInputs);
        for (const [index, tensors] of residuals.entries()) results[indices[index]!] = tensors;
      }
      return results;
    },
  };
}

/** The residuals of a UNet's control net. All prompts must have the same length. */
function unetResiduals(graph: ModelGraph, type: number | undefined): ControlNet['residuals'] {
  return async (x, timestep, prompts, image, signal) => {
    const session = await graph.session(signal);
    const batch = x.shape[0]!;
    const count = prompts.length;
    const feeds = unetFeeds(session, repeatBatch(x, count), timestep, prompts, batch);
    const hint = requireSlot(session, 'controlnet_cond');
    feeds[hint.name] = feed(hint, repeatBatch(fitHint(image, x.shape), count));
    Object.assign(feeds, fullStrengthFeed(session));
    const kind = findSlot(session.inputs, 'control_type');
    if (kind)
      feeds[kind.name] = feed(kind, oneHot(batch * count, Number(kind.shape.at(-1)) || USUAL_KINDS, type));
    return runForPrompts({ session, names: residualNames(session), count, batch }, feeds, signal);
  };
}

const residualNames = ({ outputs }: TensorSession): string[] =>
  outputs.map(({ name }) => name).filter(isUnetResidual);

/** [batch, kinds]: 1 for the kind `type`, or zeros without one. */
function oneHot(batch: number, kinds: number, type: number | undefined): FloatTensor {
  if (type !== undefined && type >= kinds)
    throw new RangeError(
      `this control net takes ${kinds} kinds of images, and the selected kind is number ${type + 1}: select another one`,
    );
  const result = zeros([batch, kinds]);
  if (type !== undefined) for (let i = 0; i < batch; i++) result.data[i * kinds + type] = 1;
  return result;
}
