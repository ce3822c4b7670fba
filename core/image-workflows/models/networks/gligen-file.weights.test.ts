/** GLIGEN's layers in their own file, compared with those of diffusers (test/diffusers/scripts/weight_files.py). */
import { expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { answeredWeights } from '#test/support/model-files/answered-weights.ts';
import { expectNear } from '#test/support/model-files/exported-numbers.ts';
import { writeWeights } from '#test/support/model-files/weight-files.ts';
import type { GligenBox, NetworkPrompt } from '../../values/network.ts';
import { type FloatTensor, zeros } from '../../values/tensor.ts';
import { unetGraph } from '../families/unet/unet-graph.ts';
import { readWeightFile } from '../weight-files/read-weight-file.ts';
import { WeightFileGraphs } from '../weight-files/weight-file-graphs.ts';
import { loadGligenModel } from './gligen-model.ts';
import { onnxNetwork } from './onnx-network.ts';
import { unetLayout } from './unet-layout.ts';

const SLOW = { timeout: 120_000 };
const never = new AbortController().signal;
const host = await weightsHost('here');

/** The weights whose names begin so, without it. */
const partOf = (weights: Record<string, FloatTensor>, prefix: string): Record<string, FloatTensor> =>
  Object.fromEntries(
    Object.entries(weights).flatMap(([name, tensor]) =>
      name.startsWith(prefix) ? [[name.slice(prefix.length), tensor]] : [],
    ),
  );

test('the layers of a file join those of a checkpoint', SLOW, async () => {
  const { weights, inputs, answers } = await answeredWeights('gligen');
  await writeWeights(host.files, 'models/gligen/boxes.safetensors', partOf(weights, 'gligen.'));
  await writeWeights(host.files, 'models/unet/base.safetensors', partOf(weights, 'base.'));
  const graphs = new WeightFileGraphs(host, await readWeightFile(host.files, 'models/unet/base.safetensors'));
  const { table } = graphs.file;
  const base = onnxNetwork(
    graphs.graph('unet', table, () => unetGraph(table, { heads: 8 })),
    unetLayout(() => []),
  );
  const phrase = (index: number): FloatTensor => ({
    shape: [1, 8],
    data: inputs.phrases!.data.slice(index * 8, index * 8 + 8),
  });
  const boxes: GligenBox[] = [
    { pooled: phrase(0), x: 4, y: 2, width: 8, height: 6 },
    { pooled: phrase(1), x: 0, y: 8, width: 8, height: 8 },
  ];
  const model = await loadGligenModel(host, 'boxes.safetensors');
  const network = await model.networkFor(base, never);
  const prompt: NetworkPrompt = { tensor: inputs.text!, options: {} };
  const prompts = [{ ...prompt, options: { gligen: { boxes } } }, prompt];
  const [seen, without] = await network.predict(inputs.x!, 321, prompts, never);
  expectNear(seen, answers.seen!, 1e-4);
  expect(without!.data).not.toEqual(seen!.data);
  expect((await base.predict(inputs.x!, 321, [prompt], never))[0]!.shape).toEqual([1, 4, 16, 16]);
});

test('a file of other weights is refused', async () => {
  await writeWeights(host.files, 'models/gligen/other.safetensors', {
    'input_blocks.0.0.weight': zeros([1]),
  });
  await expect(loadGligenModel(host, 'other.safetensors')).rejects.toThrow(
    'other.safetensors holds no layers of GLIGEN',
  );
});
