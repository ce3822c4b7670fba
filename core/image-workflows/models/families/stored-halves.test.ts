/** Every network from a file of 16-bit floats runs on GPUs whose shaders have none, apart from reading the weights. */
import { expect, test } from 'vitest';
import { halfNodes } from '#core/tensors/half-nodes.ts';
import { createTestHost } from '#test/support/host/test-host.ts';
import { readNumbers } from '#test/support/model-files/exported-numbers.ts';
import type { Shapes } from '#test/support/model-files/weight-files.ts';
import { loadNetwork } from '../checkpoints/standalone-parts.ts';

/** A safetensors file of zeros in 16 bits. */
function halvesOf(shapes: Shapes): Uint8Array {
  let at = 0;
  const entries = Object.entries(shapes).map(([name, shape]) => {
    const start = at;
    at += 2 * shape.reduce((product, side) => product * side, 1);
    return [name, { dtype: 'F16', shape, data_offsets: [start, at] }];
  });
  const header = new TextEncoder().encode(JSON.stringify(Object.fromEntries(entries)));
  const bytes = new Uint8Array(8 + header.length + at);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(header.length), true);
  bytes.set(header, 8);
  return bytes;
}

async function readsHalves(shapes: Shapes): Promise<void> {
  const host = createTestHost();
  await host.files.write('models/diffusion_models/halves.safetensors', halvesOf(shapes));
  const { network } = await loadNetwork(host, 'halves.safetensors');
  expect(halfNodes(await network.graph!.source.outline()).length).toBeGreaterThan(10);
}

test.each(['sd3', 'flux', 'fill', 'chroma', 'auraflow'])('%s', async (kind) => {
  const { [kind]: answer } = await readNumbers<Record<string, { shapes: Shapes }>>(
    'original_transformers.json',
  );
  await readsHalves(answer!.shapes);
});

test.each([
  'audio/ace_transformer',
  'audio/audio_transformer',
  'flux2',
  'flux2_klein',
  'hidream',
  'hunyuan_dit',
  'hunyuan_video',
  'lumina/omnigen2',
  'lumina2',
  'pixart_alpha',
  'qwen_image',
  'shapes/hunyuan3d',
  'videos/cosmos1',
  'videos/cosmos_predict2',
  'videos/ltxv',
  'videos/mochi',
  'videos/wan_i2v',
  'videos/wan_vace',
  'z_image',
])('%s', async (name) => {
  await readsHalves((await readNumbers<{ weights: Shapes }>(`weight_files/${name}.json`)).weights);
});
