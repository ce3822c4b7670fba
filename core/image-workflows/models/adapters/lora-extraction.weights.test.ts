/** Adapters extracted from the difference of two models, and control nets stored as differences to a model. */

import { beforeAll, expect, test } from 'vitest';
import { readSafetensors } from '#core/tensors/read-safetensors.ts';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { writeExported } from '#test/support/model-files/exported-model.ts';
import { writeWithWeights } from '#test/support/model-files/graph-weights.ts';
import { mergeModels } from '../../nodes/model/merge-models.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { ModelGraph } from '../../values/model-graph.ts';
import { type FloatTensor, full, zeros } from '../../values/tensor.ts';
import { loadNetwork } from '../checkpoints/standalone-parts.ts';
import { loadControlNet, loadDiffControlNet } from '../control/control-net.ts';
import { graphsOf } from '../graphs/graph-registry.ts';
import { mergeGraphs } from '../graphs/merge-graphs.ts';
import { networkParameters } from '../graphs/network-parameters.ts';
import { applyAdapter } from './apply-adapter.ts';
import { type ExtractionOptions, type ExtractionSource, writeExtractedLora } from './lora-extraction.ts';
import { readAdapter } from './read-adapter.ts';

const SLOW = { timeout: 120_000 };
const never = new AbortController().signal;
const NETWORKS = 'models/diffusion_models';
const ENCODERS = 'models/text_encoders';
const host = await weightsHost('here');

beforeAll(async () => {
  const { files } = host;
  for (const [name, folder] of [
    ['unet', NETWORKS],
    ['sd3', NETWORKS],
    ['text_encoder', ENCODERS],
  ] as const) {
    await writeExported(files, name, `${folder}/${name}`);
    // Other constants, such as position tables, stay equal in both models.
    const parameters = [...networkParameters(await graphsOf(host).at(`${folder}/${name}`).source.outline())];
    const weights = new Set(
      parameters.flatMap(([name, { initializer }]) => (/weight$|bias$/.test(name) ? [initializer.name] : [])),
    );
    const other = (weight: string, numbers: Float32Array) =>
      numbers.map((value, i) => (weights.has(weight) ? value * 0.9 + Math.sin(i) * 0.05 : value));
    await writeWithWeights(files, `${folder}/${name}`, `${folder}/${name}-other`, other);
  }
  await writeExported(files, 'controlnet', 'models/controlnet/whole');
});

const wave = (shape: number[]): FloatTensor => {
  const tensor = zeros(shape);
  for (let i = 0; i < tensor.data.length; i++) tensor.data[i] = Math.cos(i * 0.7);
  return tensor;
};
async function answer(model: DiffusionModel): Promise<FloatTensor> {
  const options = { guidance: 7.5, pooled: wave([1, 5]), sizes: { height: 32, width: 48 } };
  const x = wave([1, model.latent.channels, 6, 4]);
  const time = model.latent.channels === 16 ? 0.4 : 321;
  return (await model.network.predict(x, time, [{ tensor: wave([1, 5, 6]), options }], never))[0]!;
}
const distance = (a: FloatTensor, b: FloatTensor) =>
  a.data.reduce((max, value, i) => Math.max(max, Math.abs(value - b.data[i]!)), 0);

async function extract(
  name: string,
  graph: ModelGraph,
  nameOf: ExtractionSource['nameOf'],
  options: Partial<ExtractionOptions> = {},
): Promise<string[]> {
  const path = `models/loras/${name}.safetensors`;
  await writeExtractedLora(
    host.files,
    path,
    [{ graph, what: 'model', nameOf }],
    { rank: 4096, kind: 'standard', withBiases: true, ...options },
    { texts: {}, signal: never },
    async () => {},
  );
  const { size } = (await host.files.stat(path))!;
  return (await readSafetensors(size, (start, end) => host.files.read(path, start, end))).map(
    ({ name }) => name,
  );
}
const kohyas = (module: string) => `lora_unet_${module.replaceAll('.', '_')}`;
const dotted = (module: string) => `transformer.${module}`;

test.each([
  ['unet', kohyas, 'standard'],
  ['unet', kohyas, 'full_diff'],
  ['sd3', dotted, 'standard'],
  ['sd3', dotted, 'full_diff'],
] as const)(
  '%s: a model with the full difference as an adapter is the second model (%#)',
  SLOW,
  async (name, nameOf, kind) => {
    const [first, second] = [await loadNetwork(host, name), await loadNetwork(host, `${name}-other`)];
    const difference = await mergeModels(second, first, () => () => ({ first: 1, second: -1 }));
    const names = await extract('all', difference.network.graph!, nameOf, { kind });
    expect(names.some((tensorName) => tensorName.endsWith('.diff_b'))).toBe(true);
    expect(names.some((tensorName) => tensorName.endsWith('.lora_up.weight'))).toBe(kind === 'standard');
    const network = await first.network.withAdapter!(await readAdapter(host, 'all.safetensors'), 1);
    const [expected, actual] = [await answer(second), await answer({ ...first, network })];
    expect(distance(await answer(first), expected)).toBeGreaterThan(1e-2);
    // The adapter stores differences of up to 0.1 in half precision.
    expect(distance(actual, expected)).toBeLessThan(2e-3);
  },
);

test('a higher rank approximates the difference better', SLOW, async () => {
  const [first, second] = [await loadNetwork(host, 'sd3'), await loadNetwork(host, 'sd3-other')];
  const difference = await mergeModels(second, first, () => () => ({ first: 1, second: -1 }));
  const expected = await answer(second);
  const errors: number[] = [];
  for (const rank of [1, 4, 64]) {
    await extract('some', difference.network.graph!, dotted, { rank });
    const network = await first.network.withAdapter!(await readAdapter(host, 'some.safetensors'), 1);
    errors.push(distance(await answer({ ...first, network }), expected));
  }
  expect(errors[1]).toBeLessThan(errors[0]!);
  expect(errors[2]).toBeLessThan(errors[1]! / 5);
});

test('extracts the difference of text encoders without biases', SLOW, async () => {
  const at = (name: string) => graphsOf(host).at(`${ENCODERS}/${name}`);
  const [first, second] = [at('text_encoder'), at('text_encoder-other')];
  const shares = () => () => ({ first: 1, second: -1 });
  const difference = await mergeGraphs(second, first, 'text encoders', shares);
  const names = await extract(
    'text',
    difference,
    (module) => `lora_te_text_model_${module.replaceAll('.', '_')}`,
    {
      withBiases: false,
    },
  );
  expect(names.filter((name) => /diff/.test(name))).toEqual([]);
  const adapted = await applyAdapter(first, await readAdapter(host, 'text.safetensors'), 0, 1);
  const otherParameters = networkParameters(await second.source.outline());
  let compared = 0;
  for (const [name, { constant: value }] of networkParameters(await first.source.outline())) {
    if (!/proj\.weight|fc\d\.weight|embedding\.weight/.test(name)) continue;
    const [own, other] = [
      await adapted.numbers(value, never),
      await second.numbers(otherParameters.get(name)!.constant, never),
    ];
    for (const [i, number] of own.entries()) expect(Math.abs(number - other[i]!)).toBeLessThan(2e-4);
    compared++;
  }
  expect(compared).toBeGreaterThan(5);
});

test('an aborted extraction leaves no file', SLOW, async () => {
  const { network } = await loadNetwork(host, 'sd3');
  const stop = new AbortController();
  const work = writeExtractedLora(
    host.files,
    'models/loras/never.safetensors',
    [{ graph: network.graph!, what: 'model', nameOf: dotted }],
    { rank: 4, kind: 'standard', withBiases: true },
    { texts: {}, signal: stop.signal },
    async (share) => {
      if (share > 0.3) stop.abort(new Error('enough'));
    },
  );
  await expect(work).rejects.toThrow('enough');
  expect(await host.files.names('models/loras')).not.toContain('never.safetensors');
  expect(await host.files.names('.unfinished')).toEqual([]);
});

test(
  'adds model weights to a control net of differences, and loads a full control net unchanged',
  SLOW,
  async () => {
    const { files } = host;
    const model = await loadNetwork(host, 'unet');
    const controlNet = graphsOf(host).at('models/controlnet/whole');
    const own = networkParameters(await controlNet.source.outline());
    const others = networkParameters(await model.network.graph!.source.outline());
    /** The model's weights by initializer name: equal weights share one initializer. */
    const modelWeights = new Map<string, Float32Array>();
    for (const [name, { initializer }] of own) {
      const other = others.get(name);
      if (other)
        modelWeights.set(initializer.name, await model.network.graph!.numbers(other.constant, never));
    }
    expect(modelWeights.size).toBeGreaterThan(10);
    await writeWithWeights(
      files,
      'models/controlnet/whole',
      'models/controlnet/difference',
      (name, numbers) => numbers.map((value, i) => value - (modelWeights.get(name)?.[i] ?? 0)),
    );
    const image = full([1, 48, 32, 3], 0.3);
    const residuals = async (net: Awaited<ReturnType<typeof loadControlNet>>) => {
      const prompts = [{ tensor: wave([1, 5, 6]), options: {} }];
      const [tensors] = await net.residuals(wave([1, 4, 6, 4]), 321, prompts, image, never);
      return { shape: [], data: Float32Array.from(tensors!.flatMap(({ data }) => [...data])) };
    };
    const expected = await residuals(await loadControlNet(host, 'whole'));
    expect(distance(await residuals(await loadControlNet(host, 'difference')), expected)).toBeGreaterThan(
      1e-3,
    );
    const added = await loadDiffControlNet(host, 'difference', model, never);
    expect(distance(await residuals(added), expected)).toBeLessThan(1e-5);
    const unchanged = await loadDiffControlNet(host, 'whole', model, never);
    expect(distance(await residuals(unchanged), expected)).toBe(0);
  },
);
