/** The upscalers of latents compared with torch (test/diffusers/scripts/hunyuan_files.py). */
import { expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { answeredWeights } from '#test/support/model-files/answered-weights.ts';
import { expectNear } from '#test/support/model-files/exported-numbers.ts';
import { weightsFor, writeWeights } from '#test/support/model-files/weight-files.ts';
import { folderOfWeights } from '../../models/checkpoints/folder-of-weights.ts';
import { readWeightFile } from '../../models/weight-files/read-weight-file.ts';
import type { LatentUpscaleModel } from '../../values/image-models.ts';
import type { Latent } from '../../values/latent.ts';
import { hunyuanVideo15Nodes } from './hunyuan15.ts';

const never = new AbortController().signal;
const host = await weightsHost();

async function run<T>(name: string, inputs: object): Promise<T> {
  const node = hunyuanVideo15Nodes.find((each) => each.name === name)!;
  const [result] = (await node.run(inputs as never, { host, signal: never } as never)) as [T];
  return result;
}

test.each(['720', '1080'])('latents of %s rows', { timeout: 60_000 }, async (rows) => {
  const { weights, inputs, answers } = await answeredWeights(`hunyuan/hunyuan_upscaler_${rows}`);
  await writeWeights(host.files, `models/latent_upscale_models/${rows}.safetensors`, weights);
  const model_name = `${rows}.safetensors`;
  const { table } = await readWeightFile(host.files, `models/latent_upscale_models/${model_name}`);
  expect(folderOfWeights(table)).toBe('latent_upscale_models');
  const model = await run<LatentUpscaleModel>('LatentUpscaleModelLoader', { model_name });
  expectNear(await model.sharpen(inputs.latent!, never), answers.sharpened!);
  const samples: Latent = { samples: inputs.latent! };
  const size = { upscale_method: 'bilinear', width: 128, height: 0, crop: 'disabled' };
  const larger = await run<Latent>('HunyuanVideo15LatentUpscaleWithModel', { model, samples, ...size });
  // The other side is 128 · 4 / 5 pixels.
  expect(larger.samples.shape).toEqual([1, 4, 3, 6, 8]);
  const unchanged = { model, samples, ...size, width: 0 };
  expect(await run('HunyuanVideo15LatentUpscaleWithModel', unchanged)).toBe(samples);
  const wide = { shape: [1, 5, 1, 1, 1], data: new Float32Array(5) };
  await expect(model.sharpen(wide, never)).rejects.toThrow('takes latents of 4 channels, and these have 5');
});

test('other files are no upscalers of latents', async () => {
  const path = 'models/latent_upscale_models/ltx.safetensors';
  await writeWeights(host.files, path, weightsFor({ 'post_upsample_res_blocks.0.conv2.bias': [4] }));
  await expect(run('LatentUpscaleModelLoader', { model_name: 'ltx.safetensors' })).rejects.toThrow(
    'ltx.safetensors is no upscaler of latents that runs here',
  );
});
