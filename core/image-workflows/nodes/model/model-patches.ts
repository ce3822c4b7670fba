/** Patches of the folder model_patches: the style projector of USO. */
import type { WorkflowFiles } from '../../files/workflow-files.ts';
import { leadingTokens } from '../../models/patches/leading-tokens.ts';
import { loadStyleProjector } from '../../models/vision/style-projector.ts';
import { choice, link } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';
import { patchNetwork } from './patch-network.ts';

const shared = { module: 'comfy_extras.nodes_model_patch', experimental: true } as const;

const modelPatchLoader = node({
  ...shared,
  name: 'ModelPatchLoader',
  displayName: 'ModelPatchLoader',
  category: 'advanced/loaders',
  description: 'Loads a patch of the folder model_patches: the style projector of USO.',
  inputs: { name: choice((files: WorkflowFiles) => files.models('model_patches')) },
  outputs: [output('MODEL_PATCH')],
  run: async ({ name }, { host }) => [await loadStyleProjector(host, name)],
});

const styleReference = node({
  ...shared,
  name: 'USOStyleReference',
  displayName: 'USOStyleReference',
  category: 'advanced/model_patches/flux',
  description: 'Shows Flux the style of an image: tokens of the style come before those of each prompt.',
  inputs: {
    model: link('MODEL', undefined),
    model_patch: link('MODEL_PATCH', undefined),
    clip_vision_output: link('CLIP_VISION_OUTPUT', undefined),
  },
  outputs: [output('MODEL')],
  async run({ model, model_patch, clip_vision_output }, context) {
    const tokens = await model_patch.tokens(clip_vision_output, context.signal);
    if (tokens.shape[0] !== 1)
      throw new TypeError(`the style is that of one image, and these are ${tokens.shape[0]}`);
    return [await patchNetwork(model, leadingTokens(tokens), context)];
  },
});

/** The nodes in the order of `/object_info`. */
export const modelPatchNodes: AnyNode[] = [modelPatchLoader, styleReference];
