/** UNets with labels compared with those of diffusers (test/diffusers/scripts/weight_files.py). */
import { expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { answeredWeights } from '#test/support/model-files/answered-weights.ts';
import { expectNear } from '#test/support/model-files/exported-numbers.ts';
import { writeWeights } from '#test/support/model-files/weight-files.ts';
import type { FloatTensor } from '../../../values/tensor.ts';
import { onnxNetwork } from '../../networks/onnx-network.ts';
import { unetLayout } from '../../networks/unet-layout.ts';
import { readWeightFile } from '../../weight-files/read-weight-file.ts';
import { WeightFileGraphs } from '../../weight-files/weight-file-graphs.ts';
import { unetGraph } from './unet-graph.ts';

const SLOW = { timeout: 120_000 };
const never = new AbortController().signal;
const seven: FloatTensor = { shape: [1], data: Float32Array.of(7) };
const host = await weightsHost();

test.each(['upscaler_unet', 'unclip_unet'])('%s', SLOW, async (name) => {
  const { weights, inputs, answers } = await answeredWeights(name);
  const path = `models/m/${name}.safetensors`;
  await writeWeights(host.files, path, weights);
  const file = await readWeightFile(host.files, path);
  const graph = new WeightFileGraphs(host, file).graph('unet', file.table, () =>
    unetGraph(file.table, { heads: 2 }),
  );
  const network = onnxNetwork(
    graph,
    unetLayout(() => []),
  );
  const prompt = { tensor: inputs.text!, options: {}, classLabels: inputs.labels ?? seven };
  // The first four channels are the latent, the others an image.
  const { shape, data } = inputs.x!;
  const cells = 4 * 4 * 6;
  const x = { shape: [1, 4, 4, 6], data: data.slice(0, cells) };
  const concat = { shape: [1, shape[1]! - 4, 4, 6], data: data.slice(cells) };
  const complete = shape[1] === 4 ? prompt : { ...prompt, concat };
  const [plain, none] = await network.predict(
    x,
    100,
    [
      complete,
      { ...complete, classLabels: { ...complete.classLabels, data: complete.classLabels.data.map(() => 0) } },
    ],
    never,
  );
  expectNear(plain, answers.plain!, 2e-5);
  expect(none!.data).not.toEqual(plain!.data);
});
