import type { Host } from '#core/host';
import type { WorkflowFiles } from '../../files/workflow-files.ts';
import type { ClipVisionModel } from '../../values/vision.ts';
import { graphsOf } from '../graphs/graph-registry.ts';
import { ModelFolder } from '../model-files/model-folder.ts';
import { modelNames, rejectBareWeights } from '../model-files/model-names.ts';
import { openClipVision } from '../vision/clip-vision.ts';
import { type Checkpoint, openCheckpoint } from './open-checkpoint.ts';

const NETWORKS = ['unet/model.onnx', 'transformer/model.onnx'];

export const checkpointNames = (files: WorkflowFiles): Promise<string[]> =>
  modelNames(files, 'checkpoints', NETWORKS);
export const diffusersNames = (files: WorkflowFiles): Promise<string[]> =>
  modelNames(files, 'diffusers', NETWORKS);

/** Throws for names that there are not and models that do not run here, with what to do about it. */
export const loadCheckpoint = (host: Host, name: string): Promise<Checkpoint> =>
  load(host, 'models/checkpoints', name);
export const loadDiffusers = (host: Host, name: string): Promise<Checkpoint> =>
  load(host, 'models/diffusers', name);

/** The same without a word about what is used: graphs of other models stay in memory. */
export const readCheckpoint = (host: Host, name: string): Promise<Checkpoint> =>
  read(host, 'models/checkpoints', name);

/** With the vision encoder that lies in the checkpoint's `image_encoder`; undefined where there is none. */
export async function loadUnclipCheckpoint(
  host: Host,
  name: string,
): Promise<Checkpoint & { clipVision: ClipVisionModel | undefined }> {
  const checkpoint = await loadCheckpoint(host, name);
  const folder = new ModelFolder(host, `models/checkpoints/${name}`);
  const encoder = folder.at('image_encoder');
  const hasEncoder = await encoder.has('model.onnx');
  return {
    ...checkpoint,
    clipVision: hasEncoder ? await openClipVision(encoder, folder.at('feature_extractor')) : undefined,
  };
}

async function read(host: Host, folder: string, name: string): Promise<Checkpoint> {
  await rejectBareWeights(host, folder, name);
  return openCheckpoint(host, `${folder}/${name}`);
}

async function load(host: Host, folder: string, name: string): Promise<Checkpoint> {
  const checkpoint = await read(host, folder, name);
  await graphsOf(host).keepOnly(folder, name);
  return checkpoint;
}
