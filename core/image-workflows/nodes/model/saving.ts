/**
 * Nodes that save models with all changes of their weights. Models from files of weights become one safetensors file,
 * graphs a folder. Loaders list both afterwards.
 */

import { modelPathOf } from '../../files/model-folders.ts';
import { joinPath } from '../../files/paths.ts';
import { graphsOf } from '../../models/graphs/graph-registry.ts';
import {
  encoderParts,
  isStored,
  networkPart,
  standaloneEncoder,
  trainingMarks,
  vaeParts,
} from '../../models/saving/checkpoint-parts.ts';
import { addCheckpoint, addEncoder, addNetwork, addVae } from '../../models/saving/model-parts.ts';
import { modelSpec } from '../../models/saving/model-spec.ts';
import { ModelWriter } from '../../models/saving/model-writer.ts';
import { visionPart } from '../../models/saving/vision-part.ts';
import { type WeightSave, writeWeights } from '../../models/saving/write-weights.ts';
import { METADATA_INPUTS } from '../kernel/common-inputs.ts';
import { link, string } from '../kernel/inputs.ts';
import type { NodeContext } from '../kernel/node-context.ts';
import { type AnyNode, node } from '../kernel/node-type.ts';
import { percentReporter } from '../kernel/progress-reporter.ts';
import { metadataTexts } from '../kernel/save-files.ts';

const shared = {
  category: 'advanced/model_merging',
  module: 'comfy_extras.nodes_model_merging',
  isOutput: true,
  hidden: METADATA_INPUTS,
  outputs: [],
} as const;

/** Saves graphs that `add` registers, in a folder with the next free number. */
async function saveFolder(
  prefix: string,
  context: NodeContext,
  add: (writer: ModelWriter) => void | Promise<void>,
): Promise<void> {
  const folder = (await nextPath(prefix, context)).path;
  const writer = new ModelWriter(context.host.files, folder);
  await add(writer);
  await writer.write(metadataTexts(context), percentReporter(context), context.signal);
  await forgetGraphs(folder, context);
}

type Saved = Pick<WeightSave, 'parts' | 'marks'> & { texts?: (title: string) => Record<string, string> };

/** Saves weights in a file with the next free number. */
async function saveFile(prefix: string, context: NodeContext, { parts, marks, texts }: Saved): Promise<void> {
  const next = await nextPath(prefix, context);
  const path = `${next.path}.safetensors`;
  const metadata = { ...texts?.(next.title), ...metadataTexts(context) };
  const save = { path, parts, texts: metadata, ...(marks && { marks }) };
  await writeWeights(context.host.files, save, percentReporter(context), context.signal);
  await forgetGraphs(path, context);
}

async function nextPath(prefix: string, { files }: NodeContext): Promise<{ path: string; title: string }> {
  const { name, subfolder, counter } = await files.target(prefix, 'output');
  const path = joinPath('output', subfolder, `${name}_${String(counter).padStart(5, '0')}_`);
  return { path, title: `${name} ${counter}` };
}

/** A deleted model may have had the same name, and its graphs may still be cached. */
async function forgetGraphs(path: string, { host }: NodeContext): Promise<void> {
  const modelPath = modelPathOf(path);
  if (modelPath !== undefined) await graphsOf(host).forget(modelPath);
}

const modelSave = node({
  ...shared,
  name: 'ModelSave',
  displayName: 'ModelSave',
  description:
    'Saves a diffusion model with all changes of its weights in the output. Load Diffusion Model lists the models in output/diffusion_models.',
  inputs: {
    model: link('MODEL', undefined),
    filename_prefix: string({ default: 'diffusion_models/ComfyUI' }),
  },
  async run({ model, filename_prefix }, context) {
    if (isStored(model.network.graph))
      await saveFile(filename_prefix, context, {
        parts: [networkPart(model, false)],
        marks: trainingMarks(model),
        texts: (title) => modelSpec(model, title),
      });
    else await saveFolder(filename_prefix, context, (writer) => addNetwork(writer, model, ''));
    return {};
  },
});

const checkpointSave = node({
  ...shared,
  name: 'CheckpointSave',
  displayName: 'Save Checkpoint',
  description:
    'Saves a diffusion model with its text encoder and autoencoder, and all changes of their weights, in the output. Load Checkpoint lists the models in output/checkpoints.',
  inputs: {
    model: link('MODEL', undefined),
    clip: link('CLIP', undefined),
    vae: link('VAE', undefined),
    filename_prefix: string({ default: 'checkpoints/ComfyUI' }),
  },
  async run({ model, clip, vae, filename_prefix }, context) {
    if (isSingleFile([model.network.graph, ...clip.graphs.values(), vae.graphs?.decoder]))
      await saveFile(filename_prefix, context, {
        parts: [
          networkPart(model, true),
          ...encoderParts(clip, model),
          ...vaeParts(vae, model.family?.name ?? ''),
        ],
        marks: trainingMarks(model),
        texts: (title) => modelSpec(model, title),
      });
    else
      await saveFolder(filename_prefix, context, (writer) =>
        addCheckpoint(writer, context.host.files, { model, clip, vae }),
      );
    return {};
  },
});

/**
 * Whether all graphs of a model lie in files of weights. False: all are graphs of their own.
 * @throws when some do, and others do not
 */
function isSingleFile(graphs: readonly Parameters<typeof isStored>[0][]): boolean {
  const [first = false, ...rest] = graphs.map(isStored);
  if (rest.some((each) => each !== first))
    throw new Error(
      'some parts of this model come from files of weights, others from exported graphs: they cannot become one checkpoint. Save each with ModelSave, CLIPSave and VAESave',
    );
  return first;
}

const imageOnlyCheckpointSave = node({
  ...shared,
  name: 'ImageOnlyCheckpointSave',
  displayName: 'ImageOnlyCheckpointSave',
  module: 'comfy_extras.nodes_video_model',
  description:
    'Saves a diffusion model that images guide with its vision encoder and autoencoder as one file of the output.',
  inputs: {
    model: link('MODEL', undefined),
    clip_vision: link('CLIP_VISION', undefined),
    vae: link('VAE', undefined),
    filename_prefix: string({ default: 'checkpoints/ComfyUI' }),
  },
  async run({ model, clip_vision, vae, filename_prefix }, context) {
    const { graph } = clip_vision;
    if (!isSingleFile([model.network.graph, graph, vae.graphs?.decoder]))
      throw new Error(
        'exported graphs cannot become one checkpoint with a vision encoder: load the parts from files of weights',
      );
    await saveFile(filename_prefix, context, {
      parts: [networkPart(model, true), visionPart(graph!), ...vaeParts(vae, model.family?.name ?? '')],
      marks: trainingMarks(model),
      texts: (title) => modelSpec(model, title),
    });
    return {};
  },
});

const clipSave = node({
  ...shared,
  name: 'CLIPSave',
  displayName: 'CLIPSave',
  description:
    'Saves each text encoder of a model with all changes of its weights in the output. Load CLIP lists the encoders in output/clip.',
  inputs: { clip: link('CLIP', undefined), filename_prefix: string({ default: 'clip/ComfyUI' }) },
  async run({ clip, filename_prefix }, context) {
    for (const [name, graph] of clip.graphs) {
      const prefix = `${filename_prefix}_${FILE_NAMES[name] ?? name}`;
      if (isStored(graph)) await saveFile(prefix, context, { parts: [standaloneEncoder(graph)] });
      else
        await saveFolder(prefix, context, (writer) =>
          addEncoder(writer, context.host.files, clip, name, { part: '', tokenizer: 'tokenizer' }),
        );
    }
    return {};
  },
});

/** File names of encoders, where they differ from the encoder's name. */
const FILE_NAMES: Readonly<Record<string, string>> = { l: 'clip_l', g: 'clip_g' };

const vaeSave = node({
  ...shared,
  name: 'VAESave',
  displayName: 'VAESave',
  description: 'Saves an autoencoder in the output. Load VAE lists the autoencoders in output/vae.',
  inputs: { vae: link('VAE', undefined), filename_prefix: string({ default: 'vae/ComfyUI_vae' }) },
  async run({ vae, filename_prefix }, context) {
    if (isStored(vae.graphs?.decoder)) await saveFile(filename_prefix, context, { parts: vaeParts(vae) });
    else await saveFolder(filename_prefix, context, (writer) => addVae(writer, vae));
    return {};
  },
});

export const modelSavingNodes: AnyNode[] = [
  modelSave,
  checkpointSave,
  imageOnlyCheckpointSave,
  clipSave,
  vaeSave,
];
