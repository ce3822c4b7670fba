import { link } from '#core/image-workflows/nodes/kernel/inputs.ts';
import { type AnyNode, node } from '#core/image-workflows/nodes/kernel/node-type.ts';
import type { Latent } from '#core/image-workflows/values/latent.ts';

/** A node that stores the last latent that it received, until a test takes it. */
export function latentProbe(): { node: AnyNode; take(): Latent | undefined } {
  let seen: Latent | undefined;
  return {
    node: node({
      name: 'Probe',
      category: 'test',
      module: 'test',
      isOutput: true,
      inputs: { latent: link('LATENT') },
      outputs: [],
      run({ latent }) {
        seen = latent;
        return [];
      },
    }),
    take() {
      const taken = seen;
      seen = undefined;
      return taken;
    },
  };
}
