/** Nodes that save models with all changes of their weights, as folders of the output. Loaders list them afterwards. */

import { modelPathOf } from '../../files/model-folders.ts';
import { joinPath } from '../../files/paths.ts';
import { graphsOf } from '../../models/graphs/graph-registry.ts';
import { addCheckpoint, addEncoder, addNetwork, addVae } from '../../models/saving/model-parts.ts';
import { ModelWriter } from '../../models/saving/model-writer.ts';
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

/** Saves the parts that `add` registers, in a folder with the next free number. */
async function save(
  prefix: string,
  context: NodeContext,
  add: (writer: ModelWriter) => void | Promise<void>,
): Promise<void> {
  const { files, host, signal } = context;
  const { name, subfolder, counter } = await files.target(prefix, 'output');
  const folder = joinPath('output', subfolder, `${name}_${String(counter).padStart(5, '0')}_`);
  const writer = new ModelWriter(host.files, folder);
  await add(writer);
  await writer.write(metadataTexts(context), percentReporter(context), signal);
  // A deleted model may have had the same name, and its graphs may still be cached.
  const modelPath = modelPathOf(folder);
  if (modelPath !== undefined) await graphsOf(host).forget(modelPath);
}

const modelSave = node({
  ...shared,
  name: 'ModelSave',
  displayName: 'ModelSave',
  description:
    'Saves a diffusion model with all changes of its weights as a folder of the output. Load Diffusion Model lists the models in output/diffusion_models.',
  inputs: {
    model: link('MODEL', undefined),
    filename_prefix: string({ default: 'diffusion_models/ComfyUI' }),
  },
  async run({ model, filename_prefix }, context) {
    await save(filename_prefix, context, (writer) => addNetwork(writer, model, ''));
    return {};
  },
});

const checkpointSave = node({
  ...shared,
  name: 'CheckpointSave',
  displayName: 'Save Checkpoint',
  description:
    'Saves a diffusion model with its text encoder and autoencoder, and all changes of their weights, as a folder of the output. Load Checkpoint lists the models in output/checkpoints.',
  inputs: {
    model: link('MODEL', undefined),
    clip: link('CLIP', undefined),
    vae: link('VAE', undefined),
    filename_prefix: string({ default: 'checkpoints/ComfyUI' }),
  },
  async run({ model, clip, vae, filename_prefix }, context) {
    await save(filename_prefix, context, (writer) =>
      addCheckpoint(writer, context.host.files, { model, clip, vae }),
    );
    return {};
  },
});

const clipSave = node({
  ...shared,
  name: 'CLIPSave',
  displayName: 'CLIPSave',
  description:
    'Saves each text encoder of a model with all changes of its weights as a folder of the output. Load CLIP lists the encoders in output/clip.',
  inputs: { clip: link('CLIP', undefined), filename_prefix: string({ default: 'clip/ComfyUI' }) },
  async run({ clip, filename_prefix }, context) {
    for (const name of clip.graphs.keys())
      await save(`${filename_prefix}_${FILE_NAMES[name] ?? name}`, context, (writer) =>
        addEncoder(writer, context.host.files, clip, name, { part: '', tokenizer: 'tokenizer' }),
      );
    return {};
  },
});

/** File names of encoders, where they differ from the encoder's name. */
const FILE_NAMES: Readonly<Record<string, string>> = { l: 'clip_l', g: 'clip_g' };

const vaeSave = node({
  ...shared,
  name: 'VAESave',
  displayName: 'VAESave',
  description:
    'Saves an autoencoder as a folder of the output. Load VAE lists the autoencoders in output/vae.',
  inputs: { vae: link('VAE', undefined), filename_prefix: string({ default: 'vae/ComfyUI_vae' }) },
  async run({ vae, filename_prefix }, context) {
    await save(filename_prefix, context, (writer) => addVae(writer, vae));
    return {};
  },
});

export const modelSavingNodes: AnyNode[] = [modelSave, checkpointSave, clipSave, vaeSave];
