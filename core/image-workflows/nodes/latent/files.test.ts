import { afterEach, beforeEach, expect, it } from 'vitest';
import { imageServer } from '#test/support/image-workflows/image-server.ts';
import { decodeSafetensors, encodeSafetensors } from './safetensors.ts';

let server: ReturnType<typeof imageServer>;
beforeEach(() => {
  server = imageServer();
});
afterEach(() => server.close());

it('LoadLatent loads what SaveLatent saved', async () => {
  const saved = await server.run({
    '1': { class_type: 'EmptyLatentImage', inputs: { width: 16, height: 24, batch_size: 2 } },
    '2': { class_type: 'SaveLatent', inputs: { samples: ['1', 0], filename_prefix: 'l/x' } },
  });
  expect(saved.entry.outputs).toEqual({
    '2': { latents: [{ filename: 'x_00001_.latent', subfolder: 'l', type: 'output' }] },
  });
  const bytes = await server.host.files.read('output/l/x_00001_.latent');
  expect([...decodeSafetensors(bytes).keys()]).toEqual(['latent_tensor', 'latent_format_version_0']);
  await server.host.files.write('input/x.latent', bytes);
  const loaded = await server.run({
    '1': { class_type: 'LoadLatent', inputs: { latent: 'x.latent' } },
    '2': { class_type: 'PreviewAny', inputs: { source: ['1', 0] } },
  });
  expect(loaded.entry.outputs['2']!.text![0]).toContain('tensor of shape [2, 4, 3, 2]');
});

it('safetensors keep numbers and texts, and damaged files are refused', () => {
  const tensors = {
    a: { shape: [2, 2], data: Float32Array.of(1, -2.5, 3, 1e-7) },
    b: { shape: [0], data: new Float32Array() },
  };
  const bytes = encodeSafetensors(tensors, { prompt: '{"ü": 1}' });
  expect(new Map(Object.entries(tensors))).toEqual(decodeSafetensors(bytes));
  for (const cut of [0, 7, 20, bytes.length - 1])
    expect(() => decodeSafetensors(bytes.subarray(0, cut))).toThrow(/safetensors/);
});
