/** Latents saved to files and loaded from them. */
import { tensorOf, zeros } from '../../values/tensor.ts';
import { METADATA_INPUTS } from '../kernel/common-inputs.ts';
import { choice, link, string } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';
import { decodeSafetensors, encodeSafetensors } from './safetensors.ts';

/** Files without this tensor contain latents that are scaled for Stable Diffusion 1. */
const VERSION = 'latent_format_version_0';
const SD1_SCALE = 0.18215;

export const latentFileNodes: AnyNode[] = [
  node({
    name: 'SaveLatent',
    displayName: 'SaveLatent',
    description: 'Saves latents to a file of the output folder.',
    category: '_for_testing',
    module: 'nodes',
    isOutput: true,
    inputs: {
      samples: link('LATENT', undefined),
      filename_prefix: string({ default: 'latents/ComfyUI' }),
    },
    hidden: METADATA_INPUTS,
    outputs: [],
    run: async ({ samples, filename_prefix }, { files, promptJson, extraTexts }) => {
      const target = await files.target(filename_prefix, 'output');
      const metadata = { ...(promptJson !== undefined && { prompt: promptJson }), ...extraTexts };
      const bytes = encodeSafetensors({ latent_tensor: samples.samples, [VERSION]: zeros([0]) }, metadata);
      return { ui: { latents: [await files.save(target, 'output', 0, 'latent', bytes)] } };
    },
  }),
  node({
    name: 'LoadLatent',
    displayName: 'LoadLatent',
    description: 'Loads latents from a file of the input folder.',
    category: '_for_testing',
    module: 'nodes',
    inputs: {
      latent: choice(
        async (files) => (await files.names('input')).filter((name) => name.endsWith('.latent')),
        undefined,
      ),
    },
    outputs: [output('LATENT')],
    fingerprint: async ({ latent = '' }, { files }) => {
      const found = await files.find(latent);
      return found && (await files.digest(found.path));
    },
    validate: {
      inputs: ['latent'],
      check: async ({ latent = '' }, { files }) =>
        (await files.find(latent)) ? true : `Invalid latent file: ${latent}`,
    },
    run: async ({ latent }, { files }) => {
      const found = await files.find(latent);
      if (!found) throw new Error(`there is no latent file ${latent} in the input folder: upload it first`);
      const tensors = decodeSafetensors(await files.read(found.path));
      const stored = tensors.get('latent_tensor');
      if (!stored) throw new Error(`${latent} holds no latent: the tensor latent_tensor is missing`);
      const samples = tensors.has(VERSION)
        ? stored
        : tensorOf(
            stored.shape,
            stored.data.map((value) => value / SD1_SCALE),
          );
      return [{ samples }];
    },
  }),
];
