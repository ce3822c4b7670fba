import type { Host } from '#core/host';
import type { WorkflowFiles } from '../../files/workflow-files.ts';
import type { ClipVisionModel } from '../../values/vision.ts';
import { graphsOf } from '../graphs/graph-registry.ts';
import { ImageModelFolder } from '../model-files/image-model-folder.ts';
import { isWeightFile, modelNames } from '../model-files/model-names.ts';
import { openClipVision } from '../vision/clip-vision.ts';
import { NETWORK_WEIGHTS, networkWeightsIn, openDiffusersWeights } from './diffusers-weights.ts';
import { type Checkpoint, openCheckpoint } from './open-checkpoint.ts';
import { openCheckpointFile } from './open-checkpoint-file.ts';

const NETWORKS = ['unet/model.onnx', 'transformer/model.onnx', ...NETWORK_WEIGHTS];

export const checkpointNames = (files: WorkflowFiles): Promise<string[]> =>
  modelNames(files, 'checkpoints', NETWORKS);
export const diffusersNames = (files: WorkflowFiles): Promise<string[]> =>
  modelNames(files, 'diffusers', NETWORKS);

/**
 * Opens a checkpoint and unloads the others. Rejects for missing and unsupported models, with a remedy in the message.
 */
export const loadCheckpoint = (host: Host, name: string): Promise<Checkpoint> =>
  load(host, 'models/checkpoints', name);
export const loadDiffusers = (host: Host, name: string): Promise<Checkpoint> =>
  load(host, 'models/diffusers', name);

/** Opens a checkpoint. The graphs of other checkpoints stay in memory. */
export const readCheckpoint = (host: Host, name: string): Promise<Checkpoint> =>
  read(host, 'models/checkpoints', name);

/** A checkpoint with its vision encoder: in its file, or in its `image_encoder`. Undefined when it has none. */
export async function loadUnclipCheckpoint(
  host: Host,
  name: string,
): Promise<Checkpoint & { clipVision: ClipVisionModel | undefined }> {
  const checkpoint = await loadCheckpoint(host, name);
  if (await isWeightFile(host, `models/checkpoints/${name}`))
    return { ...checkpoint, clipVision: checkpoint.clipVision };
  const folder = new ImageModelFolder(host, `models/checkpoints/${name}`);
  const encoder = folder.subfolder('image_encoder');
  const hasEncoder = await encoder.has('model.onnx');
  return {
    ...checkpoint,
    clipVision: hasEncoder ? await openClipVision(encoder, folder.subfolder('feature_extractor')) : undefined,
  };
}

async function read(host: Host, folder: string, name: string): Promise<Checkpoint> {
  const path = `${folder}/${name}`;
  if (await isWeightFile(host, path)) return openCheckpointFile(host, path);
  const network = await networkWeightsIn(host, path);
  return network ? openDiffusersWeights(host, path, network) : openCheckpoint(host, path);
}

async function load(host: Host, folder: string, name: string): Promise<Checkpoint> {
  const checkpoint = await read(host, folder, name);
  await graphsOf(host).keepOnly(folder, name);
  return checkpoint;
}
