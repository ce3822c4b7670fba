/** Vision encoders: CLIP's (Radford et al., "Learning transferable visual models from natural language supervision", 2021) and SigLIP's (Zhai et al., "Sigmoid loss for language image pre-training", 2023), as transformers' graphs. */

import type { Host, TensorSession } from '#core/host';
import type { WorkflowFiles } from '../../files/workflow-files.ts';
import { imageRaster, rasterAt, rasterToImage } from '../../images/rasters.ts';
import type { JsonObject, ModelGraph } from '../../values/model-graph.ts';
import { type FloatTensor, zeros } from '../../values/tensor.ts';
import type { ClipVisionModel, ClipVisionOutput } from '../../values/vision.ts';
import { graphsOf } from '../graphs/graph-registry.ts';
import { feed, findSlot, requireSlot, toFloatTensor } from '../graphs/session-tensors.ts';
import { ModelFolder } from '../model-files/model-folder.ts';
import { modelNames, rejectBareWeights } from '../model-files/model-names.ts';
import { preprocessImage } from './preprocess-image.ts';
import { isSiglipGraph, penultimateLayer, preprocessingOf } from './vision-graph.ts';

const FOLDER = 'models/clip_vision';
const FOLDERS = ['image_encoder', 'vision_model', ''] as const;

export const clipVisionNames = (files: WorkflowFiles): Promise<string[]> =>
  modelNames(
    files,
    'clip_vision',
    FOLDERS.map((folder) => (folder ? `${folder}/model.onnx` : 'model.onnx')),
    true,
  );

/** Reads configurations only. Throws for weights without a graph, and for graphs that are no vision encoders. */
export async function loadClipVision(host: Host, name: string): Promise<ClipVisionModel> {
  await rejectBareWeights(host, FOLDER, name);
  const path = `${FOLDER}/${name}`;
  const isFile = name.endsWith('.onnx') && (await host.files.stat(path))?.kind === 'file';
  const folder = new ModelFolder(host, path);
  const encoder = isFile ? folder : folder.at((await folder.folderWithGraph(...FOLDERS)) ?? '');
  const model = await openClipVision(encoder, folder.at('feature_extractor'));
  await graphsOf(host).keepOnly(FOLDER, name);
  return model;
}

/** `encoder`: a folder with `model.onnx`, or an `.onnx` file; `preparing`: where `preprocessor_config.json` lies, if not beside the graph. */
export async function openClipVision(encoder: ModelFolder, preparing: ModelFolder): Promise<ClipVisionModel> {
  const { graph } = encoder;
  const { inputs } = await graph.source.outline();
  if (!inputs.includes('pixel_values'))
    throw new Error(
      `${encoder.path} is no vision encoder: its graph takes ${inputs.join(', ')}, not pixel_values. Export a CLIPVisionModelWithProjection or a SiglipVisionModel`,
    );
  const config = (await encoder.json('config.json')) ?? {};
  const colours =
    (await encoder.json('preprocessor_config.json')) ?? (await preparing.json('preprocessor_config.json'));
  return clipVision(graph, config, colours ?? {});
}

function clipVision(graph: ModelGraph, config: JsonObject, preparing: JsonObject): ClipVisionModel {
  async function look(
    image: FloatTensor,
    crop: 'center' | 'none',
    signal: AbortSignal,
  ): Promise<ClipVisionOutput> {
    const outline = await graph.source.outline();
    const isSiglip = isSiglipGraph(config, outline);
    const inner = penultimateLayer(outline);
    const session = await (inner?.change ? graph.withChange(inner.change) : graph).session(signal);
    const slot = requireSlot(session, 'pixel_values');
    const preparation = preprocessingOf(slot.shape, config, preparing, isSiglip);
    const pixels = await preprocessImage(image, preparation, crop, signal);
    const last = findSlot(session.outputs, 'last_hidden_state')?.name;
    if (last === undefined)
      throw new Error(
        `the vision encoder gives ${session.outputs.map(({ name }) => name).join(', ')} and no last_hidden_state: export it with that output`,
      );
    const embeds = findSlot(session.outputs, 'image_embeds')?.name;
    const wanted = [last, embeds, inner?.output].filter((name) => name !== undefined);
    const given = await session.run(feedsOf(session, slot.name, pixels), signal, wanted);
    const value = (name: string | undefined) =>
      name === undefined ? undefined : toFloatTensor(given[name]!);
    const lastHiddenState = value(last)!;
    return {
      lastHiddenState,
      imageEmbeds: value(embeds) ?? (isSiglip ? lastHiddenState : undefined),
      penultimateHiddenState: value(inner?.output),
    };
  }
  return {
    async encode(image, crop, signal) {
      const raster = imageRaster(image);
      const all: ClipVisionOutput[] = [];
      // One by one, which bounds the memory that they need.
      for (let index = 0; index < raster.batch; index++)
        all.push(await look(rasterToImage(rasterAt(raster, index)), crop, signal));
      const [first] = all as [ClipVisionOutput, ...ClipVisionOutput[]];
      return {
        lastHiddenState: joined(all.map(({ lastHiddenState }) => lastHiddenState)),
        imageEmbeds: first.imageEmbeds && joined(all.map(({ imageEmbeds }) => imageEmbeds!)),
        penultimateHiddenState:
          first.penultimateHiddenState &&
          joined(all.map(({ penultimateHiddenState }) => penultimateHiddenState!)),
      };
    },
    prepare(signal) {
      // As it will be used.
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

function feedsOf(session: TensorSession, name: string, pixels: FloatTensor) {
  return { [name]: feed(requireSlot(session, name), pixels) };
}

/** One after another along the batch. */
function joined(tensors: readonly FloatTensor[]): FloatTensor {
  const [first] = tensors;
  const made = zeros([tensors.length, ...first!.shape.slice(1)]);
  for (const [index, { data }] of tensors.entries()) made.data.set(data, index * data.length);
  return made;
}
