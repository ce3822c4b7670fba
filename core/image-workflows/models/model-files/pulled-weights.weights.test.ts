/** Pulled files of weights are listed in the folders of their kinds, and run from where the pull stored them. */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Blobs, Digest } from '#core/host';
import { nodeTensorEngine } from '#shim/engines/onnx/index.ts';
import { onnxHost } from '#test/support/host/onnx-host.ts';
import { autoencoderShapes, renameWeights, weightsFor } from '#test/support/model-files/weight-files.ts';
import { encodeSafetensors } from '../../nodes/latent/safetensors.ts';
import { full } from '../../values/tensor.ts';
import { loadVae } from '../checkpoints/standalone-parts.ts';
import { graphsOf } from '../graphs/graph-registry.ts';
import { withPulledModels } from './pulled-models.ts';

async function storeBlob(blobs: Blobs, key: string, bytes: Uint8Array): Promise<Digest> {
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}` as const;
  const partial = await blobs.openPartial(key);
  await partial.append(bytes);
  await partial.commit(digest);
  await partial.close();
  return digest;
}

const never = new AbortController().signal;
const autoencoder = weightsFor(autoencoderShapes(4));
const lora = weightsFor({ 'lora_unet_x.lora_up.weight': [4, 2], 'lora_unet_x.lora_down.weight': [2, 4] });
const network = weightsFor({ 'model.diffusion_model.input_blocks.0.0.weight': [8, 4, 3, 3] });

test('an autoencoder, an adapter, a network and a checkpoint', { timeout: 120_000 }, async () => {
  const { host, home, remove } = await onnxHost();
  mkdirSync(join(home, 'blobs'));
  const pathOf = (digest: Digest) => join(home, 'blobs', digest.replace(':', '-'));
  const tensorEngine = nodeTensorEngine({ pathOf, placeOf: (path) => join(home, path) });
  let modifiedAt = 0;
  const pulled = await Promise.all(
    Object.entries({
      'vae.safetensors': encodeSafetensors(autoencoder, {}),
      'style.safetensors': encodeSafetensors(lora, {}),
      'unet.safetensors': encodeSafetensors(network, {}),
      'model.safetensors': encodeSafetensors(
        { ...network, ...renameWeights(autoencoder, (name) => `first_stage_model.${name}`) },
        {},
      ),
      'other.safetensors': encodeSafetensors(weightsFor({ other: [2, 2] }), {}),
      'published.safetensors': encodeSafetensors(weightsFor({ published: [2, 2] }), {}),
    }).map(async ([name, bytes]) => {
      const digest = await storeBlob(host.blobs, name, bytes);
      writeFileSync(pathOf(digest), bytes);
      const files = [{ role: 'weights' as const, name, digest, size: bytes.length }];
      modifiedAt++;
      const published = { 'published.safetensors': 'model_patches', 'vae.safetensors': 'checkpoints' }[name];
      const publishedFolder = published && { publishedFolder: published };
      return { name: `pulled-${name}`, isSingleFile: true, ...publishedFolder, files, modifiedAt };
    }),
  );
  const withModels = withPulledModels({ ...host, tensorEngine }, async () => pulled);
  try {
    const names = (kind: string) => withModels.files.names(`models/${kind}`);
    expect(await names('vae')).toEqual(['vae.safetensors']);
    expect(await names('loras')).toEqual(['style.safetensors']);
    expect(await names('diffusion_models')).toEqual(['unet.safetensors']);
    // Names of tensors count more than the name of a file.
    expect(await names('model_patches')).toEqual(['published.safetensors']);
    expect(await names('checkpoints')).toEqual(['model.safetensors', 'other.safetensors']);
    const samples = full([1, 4, 8, 8], 0.5);
    const image = await (await loadVae(withModels, 'vae.safetensors')).decode(samples, never);
    await host.files.write('models/vae/own.safetensors', encodeSafetensors(autoencoder, {}));
    const expected = await (await loadVae(host, 'own.safetensors')).decode(samples, never);
    expect([...image.data]).toEqual([...expected.data]);
  } finally {
    await graphsOf(withModels).unload();
    await graphsOf(host).unload();
    await remove();
  }
});
