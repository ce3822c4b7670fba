/** Empty latents to start from, for each kind of model. */
import { zeros } from '../../values/tensor.ts';
import { int } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

const batch = () => int({ default: 1, min: 1, max: 4096 });

export const latentCreateNodes: AnyNode[] = [
  node({
    name: 'EmptyLatentImage',
    displayName: 'Empty Latent Image',
    description: 'Creates empty latents for a sampler to fill.',
    category: 'latent',
    module: 'nodes',
    inputs: {
      width: int({ default: 512, min: 16, max: 16384, step: 8 }),
      height: int({ default: 512, min: 16, max: 16384, step: 8 }),
      batch_size: batch(),
    },
    outputs: [output('LATENT', undefined, { tooltip: 'Latents of zeros.' })],
    run: ({ width, height, batch_size }) => [
      { samples: zeros([batch_size, 4, Math.floor(height / 8), Math.floor(width / 8)]) },
    ],
  }),
  node({
    name: 'EmptySD3LatentImage',
    category: 'latent/sd3',
    module: 'comfy_extras.nodes_sd3',
    modern: true,
    inputs: {
      width: int({ default: 1024, min: 16, max: 16384, step: 16 }),
      height: int({ default: 1024, min: 16, max: 16384, step: 16 }),
      batch_size: batch(),
    },
    outputs: [output('LATENT')],
    run: ({ width, height, batch_size }) => [
      { samples: zeros([batch_size, 16, Math.floor(height / 8), Math.floor(width / 8)]) },
    ],
  }),
];
