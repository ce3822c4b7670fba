/** Models, with what other nodes made of their weights, as folders in the output that loaders list from then on. */

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

/** Writes what `add` names into the next free folder of that name. */
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
  // One that was deleted may have had the same name.
  const seen = modelPathOf(folder);
  if (seen !== undefined) await graphsOf(host).forget(seen);
}

const modelSave = node({
  ...shared,
  name: 'ModelSave',
  displayName: 'ModelSave',
  description:
    'Keeps a diffusion model, with all changes of its weights, as a folder of the output. Load Diffusion Model lists those in diffusion_models.',
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
    'Keeps a diffusion model with its text encoder and autoencoder, with all changes of their weights, as a folder of the output. Load Checkpoint lists those in checkpoints.',
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
    'Keeps each text encoder of a model, with all changes of its weights, as a folder of the output. Load CLIP lists those in clip.',
  inputs: { clip: link('CLIP', undefined), filename_prefix: string({ default: 'clip/ComfyUI' }) },
  async run({ clip, filename_prefix }, context) {
    for (const name of clip.graphs.keys())
      await save(`${filename_prefix}_${FILE_NAMES[name] ?? name}`, context, (writer) =>
        addEncoder(writer, context.host.files, clip, name, { part: '', tokenizer: 'tokenizer' }),
      );
    return {};
  },
});

/** What encoders are called in names of files. */
const FILE_NAMES: Readonly<Record<string, string>> = { l: 'clip_l', g: 'clip_g' };

const vaeSave = node({
  ...shared,
  name: 'VAESave',
  displayName: 'VAESave',
  description: 'Keeps an autoencoder as a folder of the output. Load VAE lists those in vae.',
  inputs: { vae: link('VAE', undefined), filename_prefix: string({ default: 'vae/ComfyUI_vae' }) },
  async run({ vae, filename_prefix }, context) {
    await save(filename_prefix, context, (writer) => addVae(writer, vae));
    return {};
  },
});

export const modelSavingNodes: AnyNode[] = [modelSave, checkpointSave, clipSave, vaeSave];
