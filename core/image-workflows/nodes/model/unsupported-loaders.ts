/**
 * Loaders of models that no network here can use. Editors look these classes up at their start, and list the files of
 * their folders. A graph with them fails at the loader.
 */
import type { WorkflowFiles } from '../../files/workflow-files.ts';
import { choice } from '../kernel/inputs.ts';
import { type AnyNode, node } from '../kernel/node-type.ts';

const filesOf = (folder: string) => (files: WorkflowFiles) => files.models(folder);

const audioEncoderLoader = node({
  name: 'AudioEncoderLoader',
  category: 'loaders',
  module: 'comfy_extras.nodes_audio_encoder',
  modern: true,
  description: 'Lists the audio encoders of the folder audio_encoders. They do not run yet.',
  inputs: { audio_encoder_name: choice(filesOf('audio_encoders')) },
  outputs: [{ type: 'AUDIO_ENCODER' }],
  run({ audio_encoder_name }) {
    throw new Error(
      `${audio_encoder_name} cannot be loaded: only video models that follow audio use audio encoders, and none of them runs here. Remove the nodes of the audio encoder from the graph`,
    );
  },
});

/** The loaders in the order of `/object_info`. */
export const unsupportedLoaders: AnyNode[] = [audioEncoderLoader];
