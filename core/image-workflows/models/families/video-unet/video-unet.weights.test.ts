/** The networks of Stable Video Diffusion compared with those of diffusers (test/diffusers/scripts/video_files.py). */
import { expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { answeredWeights } from '#test/support/model-files/answered-weights.ts';
import { expectNear } from '#test/support/model-files/exported-numbers.ts';
import { writeWeights } from '#test/support/model-files/weight-files.ts';
import { imageRaster, rasterToPlanes } from '../../../images/rasters.ts';
import { map } from '../../../sampling/tensor-math.ts';
import type { NetworkPrompt } from '../../../values/network.ts';
import { type FloatTensor, zeros } from '../../../values/tensor.ts';
import { loadVae } from '../../checkpoints/standalone-parts.ts';
import { onnxNetwork } from '../../networks/onnx-network.ts';
import { unetLayout } from '../../networks/unet-layout.ts';
import { readWeightFile } from '../../weight-files/read-weight-file.ts';
import { WeightFileGraphs } from '../../weight-files/weight-file-graphs.ts';
import { ldmUnet } from '../unet/ldm-unet-names.ts';
import { unetGraph } from '../unet/unet-graph.ts';

const SLOW = { timeout: 120_000 };
const never = new AbortController().signal;
const host = await weightsHost();

/** The channels [start, end) of every frame. */
function channelsOf({ shape, data }: FloatTensor, start: number, end: number): FloatTensor {
  const [frames = 1, channels = 1, ...sides] = shape;
  const cells = data.length / (frames * channels);
  const result = zeros([frames, end - start, ...sides]);
  for (let frame = 0; frame < frames; frame++) {
    const from = frame * channels * cells;
    const part = data.subarray(from + start * cells, from + end * cells);
    result.data.set(part, frame * part.length);
  }
  return result;
}

test('the UNet, for two prompts at once', SLOW, async () => {
  const { weights, inputs, answers } = await answeredWeights('video_unet');
  await writeWeights(host.files, 'models/m/video.safetensors', weights);
  const file = await readWeightFile(host.files, 'models/m/video.safetensors');
  const table = ldmUnet(file.table, 'vector');
  const graph = new WeightFileGraphs(host, file).graph('unet', table, () =>
    unetGraph(table, { headWidth: 16 }),
  );
  const network = onnxNetwork(
    graph,
    unetLayout(() => []),
  );
  const prompt: NetworkPrompt = {
    tensor: inputs.text!,
    options: {},
    concat: channelsOf(inputs.x!, 4, 8),
    classLabels: inputs.labels!,
  };
  const empty = { ...prompt, tensor: zeros([1, 1, 16]), concat: zeros([1, 4, 4, 6]) };
  const [other, plain] = await network.predict(channelsOf(inputs.x!, 0, 4), 0.3, [empty, prompt], never);
  expectNear(plain, answers.plain!, 2e-5);
  expect(other!.data).not.toEqual(plain!.data);
});

test('the decoder sees all frames', SLOW, async () => {
  const { weights, inputs, answers } = await answeredWeights('video_decoder');
  await writeWeights(host.files, 'models/vae/video.safetensors', weights);
  const vae = await loadVae(host, 'video.safetensors');
  expect([vae.latentChannels, vae.scale]).toEqual([4, 2]);
  const images = await vae.decode(inputs.latent!, never, { isWhole: false });
  const pixels = map((value) => value * 2 - 1, rasterToPlanes(imageRaster(images)));
  expectNear(pixels, answers.plain!, 2e-5);
});
