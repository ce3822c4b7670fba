/** T2I adapters in files of weights, compared with those of diffusers (test/diffusers/scripts/weight_files.py). */
import { expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { answeredWeights } from '#test/support/model-files/answered-weights.ts';
import { expectNear } from '#test/support/model-files/exported-numbers.ts';
import { writeWeights } from '#test/support/model-files/weight-files.ts';
import type { ControlResidual } from '../../values/network.ts';
import { type FloatTensor, full, zeros } from '../../values/tensor.ts';
import { unetGraph } from '../families/unet/unet-graph.ts';
import { onnxNetwork } from '../networks/onnx-network.ts';
import { unetLayout } from '../networks/unet-layout.ts';
import { readWeightFile } from '../weight-files/read-weight-file.ts';
import { WeightFileGraphs } from '../weight-files/weight-file-graphs.ts';
import { withoutPrefix } from '../weight-files/weight-table.ts';
import { loadControlNet } from './control-net.ts';

const SLOW = { timeout: 120_000 };
const never = new AbortController().signal;
const SD = [2, 5, 8, 11].map((block) => `input_block_residual_${block}`);
const SDXL = [...[3, 5, 8].map((block) => `input_block_residual_${block}`), 'mid_block_additional_residual'];

const host = await weightsHost('here');

/** [1, channels, height, width] to [1, height, width, 3]: a single channel is repeated. */
function asImage({ shape: [, channels = 1, height = 1, width = 1], data }: FloatTensor): FloatTensor {
  const image = zeros([1, height, width, 3]);
  for (let at = 0; at < image.data.length; at++)
    image.data[at] = data[((at % 3) % channels) * height * width + Math.floor(at / 3)]!;
  return image;
}

test.each([
  { name: 't2i_full', places: SD, size: [3, 4], brighter: 0.5 },
  { name: 't2i_light', places: SD, size: [3, 4], brighter: 0.5 },
  { name: 't2i_full_xl', places: SDXL, size: [6, 8], brighter: 0 },
])('$name', SLOW, async ({ name, places, size, brighter }) => {
  const { weights, inputs, answers } = await answeredWeights(name);
  await writeWeights(host.files, `models/controlnet/${name}.safetensors`, weights);
  const net = await loadControlNet(host, `${name}.safetensors`);
  const image = asImage({ ...inputs.image!, data: inputs.image!.data.map((value) => value + brighter) });
  const prompt = { tensor: zeros([1, 3, 8]), options: {} };
  const [residuals] = await net.residuals(zeros([2, 4, ...size]), 5, [prompt], image, never);
  expect(residuals!.map(({ input }) => input)).toEqual(places);
  for (const [index, { shape, data }] of residuals!.entries()) {
    expect(data.slice(data.length / 2)).toEqual(data.slice(0, data.length / 2));
    expectNear({ shape: [1, ...shape.slice(1)], data }, answers[index]!);
  }
  const [again] = await net.residuals(zeros([2, 4, ...size]), 4, [prompt], image, never);
  expect(again).toBe(residuals);
});

test.each([
  ['sd', SD],
  ['xl', SDXL],
])('the blocks of a UNet take them: %s', SLOW, async (kind, places) => {
  const { weights, inputs, answers } = await answeredWeights('adapted_unet');
  await writeWeights(host.files, 'models/unet/adapted.safetensors', weights);
  const graphs = new WeightFileGraphs(
    host,
    await readWeightFile(host.files, 'models/unet/adapted.safetensors'),
  );
  const table = withoutPrefix(graphs.file.table, `${kind}.`);
  const graph = graphs.graph(kind, table, () => unetGraph(table, { heads: 4 }));
  const network = onnxNetwork(
    graph,
    unetLayout(() => []),
  );
  const control = places.map((input, index): ControlResidual => ({ ...inputs[`${kind} ${index}`]!, input }));
  const prompt = { tensor: inputs.text!, options: {} };
  const [adapted, plain] = await network.predict(inputs.x!, 321, [{ ...prompt, control }, prompt], never);
  expectNear(adapted, answers[kind]!, 1e-4);
  expect(adapted!.data).not.toEqual(plain!.data);
  // A control net adds to the same middle.
  const skips = new Array(kind === 'sd' ? 13 : 10).fill(zeros([1, 1, 1, 1]));
  const both = [...skips.slice(1), { ...full(control[3]!.shape, 0) }, ...control];
  const [same] = await network.predict(inputs.x!, 321, [{ ...prompt, control: both }], never);
  expectNear(same, answers[kind]!, 1e-4);
  const wrong = [{ ...control[0]!, input: 'input_block_residual_99' }];
  await expect(network.predict(inputs.x!, 321, [{ ...prompt, control: wrong }], never)).rejects.toThrow(
    'the T2I adapter changes input_block_residual_99',
  );
});
