/** Patches of the folder model_patches: the style projector of USO, and control nets between blocks of Qwen-Image. */
import type { WorkflowFiles } from '../../files/workflow-files.ts';
import { openModelPatch } from '../../models/control/open-model-patch.ts';
import { leadingTokens } from '../../models/patches/leading-tokens.ts';
import { choice, float, link, optional } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';
import { patchNetwork } from './patch-network.ts';

const shared = { module: 'comfy_extras.nodes_model_patch', experimental: true } as const;

const modelPatchLoader = node({
  ...shared,
  name: 'ModelPatchLoader',
  displayName: 'ModelPatchLoader',
  category: 'advanced/loaders',
  description:
    'Loads a patch of the folder model_patches: the style projector of USO, or a control net of DiffSynth for Qwen-Image.',
  inputs: { name: choice((files: WorkflowFiles) => files.models('model_patches')) },
  outputs: [output('MODEL_PATCH')],
  run: async ({ name }, { host }) => [await openModelPatch(host, name)],
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
    if (!('tokens' in model_patch))
      throw new TypeError('this patch is a control net: style references need the style projector of USO');
    const tokens = await model_patch.tokens(clip_vision_output, context.signal);
    if (tokens.shape[0] !== 1)
      throw new TypeError(`the style is that of one image, and these are ${tokens.shape[0]}`);
    return [await patchNetwork(model, leadingTokens(tokens), context)];
  },
});

const blockControl = node({
  ...shared,
  name: 'QwenImageDiffsynthControlnet',
  displayName: 'QwenImageDiffsynthControlnet',
  category: 'advanced/loaders/qwen',
  description: 'Lets Qwen-Image follow an image: edges, depth, or an image of which a part is repainted.',
  inputs: {
    model: link('MODEL', undefined),
    model_patch: link('MODEL_PATCH', undefined),
    vae: link('VAE', undefined),
    image: link('IMAGE', undefined),
    strength: float({ default: 1.0, min: -10.0, max: 10.0, step: 0.01 }),
    mask: optional(link('MASK', undefined)),
  },
  outputs: [output('MODEL')],
  async run({ model, model_patch, vae, image, strength, mask }, { signal }) {
    if (!('control' in model_patch))
      throw new TypeError('this patch is a style projector: it takes no image to follow');
    const hint = { vae, image, strength, mask };
    return [{ ...model, network: await model_patch.control(model.network, hint, signal) }];
  },
});

/** The nodes in the order of `/object_info`. */
export const modelPatchNodes: AnyNode[] = [modelPatchLoader, blockControl, styleReference];
