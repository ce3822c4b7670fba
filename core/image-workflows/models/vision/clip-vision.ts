/**
 * Vision encoders: CLIP (Radford et al., "Learning transferable visual models from natural language supervision", 2021)
 * and SigLIP (Zhai et al., "Sigmoid loss for language image pre-training", 2023), as graphs of transformers' models and in files of weights.
 */
import type { FilePath, Host } from '#core/host';
import type { WorkflowFiles } from '../../files/workflow-files.ts';
import { imageRaster, rasterAt, rasterToImage } from '../../images/rasters.ts';
import { toBatch } from '../../values/batches.ts';
import type { JsonConfig, ModelGraph } from '../../values/model-graph.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import type { ClipVisionModel, ClipVisionOutput } from '../../values/vision.ts';
import { graphsOf } from '../graphs/graph-registry.ts';
import { feed, findSlot, requireSlot, toFloatTensor } from '../graphs/session-tensors.ts';
import { ImageModelFolder } from '../model-files/image-model-folder.ts';
import { isWeightFile, modelNames } from '../model-files/model-names.ts';
import { readWeightFile } from '../weight-files/read-weight-file.ts';
import { WeightFileGraphs } from '../weight-files/weight-file-graphs.ts';
import { clipVisionGraph } from './clip-vision-graph.ts';
import { dinoGraph } from './dino-graph.ts';
import { preprocessImage } from './preprocess-image.ts';
import {
  findVisionEncoder,
  recognizeVisionEncoder,
  type VisionEncoderWeights,
} from './recognize-vision-encoder.ts';
import {
  DINO_COLORS,
  isSiglipGraph,
  LANGUAGE_TOKENS,
  penultimateLayer,
  preprocessingOf,
  STYLE_STATES,
} from './vision-graph.ts';

const FOLDER = 'models/clip_vision';
const PARTS = ['image_encoder', 'vision_model', ''] as const;

export const clipVisionNames = (files: WorkflowFiles): Promise<string[]> =>
  modelNames(
    files,
    'clip_vision',
    PARTS.map((part) => (part ? `${part}/model.onnx` : 'model.onnx')),
    true,
  );

/** Reads configurations and tables only. Rejects for files and graphs that are no vision encoders. */
export async function loadClipVision(host: Host, name: string): Promise<ClipVisionModel> {
  const model = await readClipVision(host, name);
  await graphsOf(host).keepOnly(FOLDER, name);
  return model;
}

async function readClipVision(host: Host, name: string): Promise<ClipVisionModel> {
  const path = `${FOLDER}/${name}`;
  if (await isWeightFile(host, path)) return openClipVisionFile(host, path);
  const isFile = name.endsWith('.onnx') && (await host.files.stat(path))?.kind === 'file';
  const folder = new ImageModelFolder(host, path);
  const encoder = isFile ? folder : folder.subfolder((await folder.folderWithGraph(...PARTS)) ?? '');
  return openClipVision(encoder, folder.subfolder('feature_extractor'));
}

async function openClipVisionFile(host: Host, path: FilePath): Promise<ClipVisionModel> {
  const file = await readWeightFile(host.files, path);
  return openWeights(new WeightFileGraphs(host, file), recognizeVisionEncoder(file));
}

/** The vision encoder in a checkpoint. Undefined: there is none. */
export function openBundledVision(graphs: WeightFileGraphs): ClipVisionModel | undefined {
  const found = findVisionEncoder(graphs.file.table);
  return found && openWeights(graphs, found);
}

function openWeights(graphs: WeightFileGraphs, found: VisionEncoderWeights): ClipVisionModel {
  const { weights, kind } = found;
  const graph = graphs.graph('vision', weights, () =>
    found.kind === 'dino' ? dinoGraph(weights) : clipVisionGraph(weights, found),
  );
  return clipVision(graph, { model_type: kind }, kind === 'dino' ? DINO_COLORS : {});
}

/**
 * Opens a vision encoder. Rejects when its graph takes no images.
 *
 * @param encoder a folder with `model.onnx`, or an `.onnx` file.
 * @param preprocessor a folder with `preprocessor_config.json`, used when there is none next to the graph.
 */
export async function openClipVision(
  encoder: ImageModelFolder,
  preprocessor: ImageModelFolder,
): Promise<ClipVisionModel> {
  const { graph } = encoder;
  const { inputs } = await graph.source.outline();
  if (!inputs.includes('pixel_values'))
    throw new Error(
      `${encoder.path} is no vision encoder: its graph takes ${inputs.join(', ')}, not pixel_values. Export a CLIPVisionModelWithProjection or a SiglipVisionModel`,
    );
  const config = (await encoder.readJson('config.json')) ?? {};
  const preprocessing =
    (await encoder.readJson('preprocessor_config.json')) ??
    (await preprocessor.readJson('preprocessor_config.json'));
  return clipVision(graph, config, preprocessing ?? {});
}

function clipVision(graph: ModelGraph, config: JsonConfig, preprocessing: JsonConfig): ClipVisionModel {
  async function encodeImage(
    image: FloatTensor,
    crop: 'center' | 'none',
    signal: AbortSignal,
  ): Promise<ClipVisionOutput> {
    const outline = await graph.source.outline();
    const isSiglip = isSiglipGraph(config, outline);
    const penultimate = penultimateLayer(outline);
    const session = await (penultimate?.change ? graph.withChange(penultimate.change) : graph).session(
      signal,
    );
    const slot = requireSlot(session, 'pixel_values');
    const options = preprocessingOf(slot.shape, config, preprocessing, isSiglip);
    const pixels = await preprocessImage(image, options, crop, signal);
    const last = findSlot(session.outputs, 'last_hidden_state')?.name;
    if (last === undefined)
      throw new Error(
        `the vision encoder has the outputs ${session.outputs.map(({ name }) => name).join(', ')} and no last_hidden_state: export it with that output`,
      );
    const embeds = findSlot(session.outputs, 'image_embeds')?.name;
    const words = findSlot(session.outputs, LANGUAGE_TOKENS)?.name;
    const style = findSlot(session.outputs, STYLE_STATES)?.name;
    const names = [last, embeds, words, style, penultimate?.output].filter((name) => name !== undefined);
    const outputs = await session.run({ [slot.name]: feed(slot, pixels) }, signal, names);
    const tensor = (name: string | undefined) =>
      name === undefined ? undefined : toFloatTensor(outputs[name]!);
    const lastHiddenState = tensor(last)!;
    return {
      lastHiddenState,
      imageEmbeds: tensor(embeds) ?? (isSiglip ? lastHiddenState : undefined),
      penultimateHiddenState: tensor(penultimate?.output),
      languageTokens: tensor(words),
      styleStates: tensor(style),
    };
  }
  return {
    async encode(image, crop, signal) {
      const raster = imageRaster(image);
      const outputs: ClipVisionOutput[] = [];
      // Images are encoded one by one, which limits the memory that they need.
      for (let index = 0; index < raster.batch; index++)
        outputs.push(await encodeImage(rasterToImage(rasterAt(raster, index)), crop, signal));
      const join = (name: keyof ClipVisionOutput) =>
        outputs[0]![name] &&
        toBatch(
          outputs.map((output) => output[name]!),
          1,
        );
      return {
        lastHiddenState: join('lastHiddenState')!,
        imageEmbeds: join('imageEmbeds'),
        penultimateHiddenState: join('penultimateHiddenState'),
        languageTokens: join('languageTokens'),
        styleStates: join('styleStates'),
      };
    },
    graph,
    prepare(signal) {
      // `encodeImage` opens the graph with the same change.
      graph.source
        .outline()
        .then((outline) => {
          const change = penultimateLayer(outline)?.change;
          (change ? graph.withChange(change) : graph).prepare(signal);
        })
        .catch(() => {});
    },
  };
}
