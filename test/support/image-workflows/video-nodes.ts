/** Nodes of videos with an autoencoder whose results can be foreseen. */
import { nodeTypes } from '#core/image-workflows/nodes/index.ts';
import type { NodeContext } from '#core/image-workflows/nodes/kernel/node-context.ts';
import type { Conditioning } from '#core/image-workflows/values/conditioning.ts';
import type { VaeModel } from '#core/image-workflows/values/image-models.ts';
import { zeros } from '#core/image-workflows/values/tensor.ts';

/** An autoencoder whose latents have the first color of every eighth pixel, in every channel. */
export const vaeOf = (latentChannels: number, scale: number): VaeModel => ({
  latentChannels,
  scale,
  async encode({ shape: [frames = 1, height = 1, width = 1, colors = 3], data }) {
    const steps = Math.floor((frames - 1) / 4) + 1;
    const [rows, columns] = [height / scale, width / scale];
    const latent = zeros([1, latentChannels, steps, rows, columns]);
    for (let at = 0; at < latent.data.length; at++) {
      const [column, row] = [at % columns, Math.floor(at / columns) % rows];
      const frame = (Math.floor(at / (columns * rows)) % steps) * 4;
      latent.data[at] = data[((frame * height + row * scale) * width + column * scale) * colors]!;
    }
    return latent;
  },
  decode: async () => zeros([1, 1, 1, 3]),
});

export const prompt = (): Conditioning => [{ tensor: zeros([1, 2, 4]), options: {} }];

/** Runs a node with small sizes, unless `values` has others. */
export async function runVideoNode(name: string, values: Record<string, unknown>) {
  const type = nodeTypes.find((each) => each.name === name)!;
  const all = { positive: prompt(), negative: prompt(), batch_size: 1, width: 32, height: 16, length: 9 };
  const context = { signal: new AbortController().signal } as NodeContext;
  return (await type.run({ vae: vaeOf(16, 8), ...all, ...values }, context)) as unknown[];
}

/** The options of a prompt's first entry. */
export const optionsOf = (value: unknown) => (value as Conditioning)[0]!.options;
