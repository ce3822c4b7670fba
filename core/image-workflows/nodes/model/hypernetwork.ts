import type { WorkflowFiles } from '../../files/workflow-files.ts';
import { readHypernetwork } from '../../models/patches/hypernetwork-file.ts';
import { hypernetworkPatch } from '../../models/patches/hypernetwork-patch.ts';
import { choice, float, link } from '../kernel/inputs.ts';
import { node, output } from '../kernel/node-type.ts';
import { patchNetwork } from './patch-network.ts';

const hypernetworkNames = (files: WorkflowFiles): Promise<string[]> => files.models('hypernetworks');

export const hypernetworkLoader = node({
  name: 'HypernetworkLoader',
  displayName: 'HypernetworkLoader',
  category: 'loaders',
  module: 'comfy_extras.nodes_hypernetwork',
  description:
    'Loads a hypernetwork of the folder hypernetworks: small networks that change the input of the attention of a UNet.',
  inputs: {
    model: link('MODEL', undefined),
    hypernetwork_name: choice(hypernetworkNames),
    strength: float({ default: 1.0, min: -10.0, max: 10.0, step: 0.01 }),
  },
  outputs: [output('MODEL')],
  async run({ model, hypernetwork_name, strength }, context) {
    if (strength === 0) return [model];
    const hypernetwork = await readHypernetwork(context.host, hypernetwork_name);
    return [await patchNetwork(model, hypernetworkPatch(hypernetwork, strength), context)];
  },
});
