/** Style models, which turn an image into tokens of a prompt: Flux Redux (ReduxImageEncoder) and T2I style adapters. */
import { type FilePath, type Host, ModelUnsupported } from '#core/host';
import type { WorkflowFiles } from '../../files/workflow-files.ts';
import type { ModelGraph } from '../../values/model-graph.ts';
import type { StyleModel } from '../../values/vision.ts';
import { graphsOf } from '../graphs/graph-registry.ts';
import { feed, toFloatTensor } from '../graphs/session-tensors.ts';
import { isWeightFile, modelNames } from '../model-files/model-names.ts';
import { describeContents } from '../weight-files/describe-contents.ts';
import { readWeightFile } from '../weight-files/read-weight-file.ts';
import { WeightFileGraphs } from '../weight-files/weight-file-graphs.ts';
import { reduxGraph } from './redux-graph.ts';
import { styleAdapterGraph } from './style-adapter-graph.ts';

const FOLDER = 'models/style_models';
const HOW = `export its ReduxImageEncoder (or style adapter) with torch.onnx.export, tokens in and tokens out, and put the .onnx file into ${FOLDER}`;

export const styleModelNames = (files: WorkflowFiles): Promise<string[]> =>
  modelNames(files, 'style_models', ['model.onnx'], true);

async function openGraph(host: Host, name: string): Promise<ModelGraph> {
  const path: FilePath = `${FOLDER}/${name}`;
  if (!(await isWeightFile(host, path))) return graphsOf(host).at(path);
  const file = await readWeightFile(host.files, path);
  const { table } = file;
  const graphs = new WeightFileGraphs(host, file);
  if (table.has('style_embedding')) return graphs.graph('style', table, () => styleAdapterGraph(table));
  if (table.has('redux_up.weight')) return graphs.graph('redux', table, () => reduxGraph(table));
  throw new ModelUnsupported(
    `${name} is neither Flux Redux nor the style adapter of T2I-Adapter: ${describeContents(file)}. For other style models, ${HOW}`,
  );
}

/** Rejects for weights of other models than Redux and the style adapter, and for graphs with more than one input. */
export async function loadStyleModel(host: Host, name: string): Promise<StyleModel> {
  const graph = await openGraph(host, name);
  const { inputs, initializers } = await graph.source.outline();
  // Older exporters list weights among the inputs.
  const weights = new Set(initializers.map((initializer) => initializer.name));
  const realInputs = inputs.filter((input) => !weights.has(input));
  if (realInputs.length !== 1)
    throw new Error(
      `${name} is no style model: its graph takes ${realInputs.join(', ')} instead of tokens alone. To make one, ${HOW}`,
    );
  return {
    async tokens({ lastHiddenState }, signal) {
      const session = await graph.session(signal);
      const slot = session.inputs.find((input) => input.name === realInputs[0])!;
      const width = slot.shape.at(-1);
      const inputWidth = lastHiddenState.shape.at(-1);
      if (typeof width === 'number' && width !== inputWidth)
        throw new TypeError(
          `the style model ${name} takes tokens of ${width} numbers; the vision encoder's have ${inputWidth}: load the CLIP vision model that it was trained with (for Flux Redux SigLIP so400m, 384 pixels)`,
        );
      const outputs = await session.run({ [slot.name]: feed(slot, lastHiddenState) }, signal);
      const tokens = toFloatTensor(Object.values(outputs)[0]!);
      if (tokens.shape.length !== 3)
        throw new Error(
          `the style model ${name} makes [${tokens.shape.join(', ')}] instead of [images, tokens, width]: ${HOW}`,
        );
      return tokens;
    },
  };
}
