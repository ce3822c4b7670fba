import type { Host } from '../../host/host.ts';
import type { WorkflowFiles } from '../files/workflow-files.ts';
import { type Checkpoint, openCheckpoint } from './checkpoint.ts';
import { graphsOf } from './graphs.ts';
import { modelNames, refuseWeights } from './model-names.ts';

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

async function read(host: Host, folder: string, name: string): Promise<Checkpoint> {
  await refuseWeights(host, folder, name);
  return openCheckpoint(host, `${folder}/${name}`);
}

async function load(host: Host, folder: string, name: string): Promise<Checkpoint> {
  const checkpoint = await read(host, folder, name);
  await graphsOf(host).keepOnly(folder, name);
  return checkpoint;
}
