/**
 * Transformers whose weights have the names and the order of diffusers, with control nets, compared with the results of
 * diffusers (test/diffusers/scripts/transformer_control.py).
 */
import { beforeAll, expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { writeExported } from '#test/support/model-files/exported-model.ts';
import { expectNear, type Numbers, readNumbers, tensor } from '#test/support/model-files/exported-numbers.ts';
import { builtOver, exportedWeights } from '#test/support/model-files/exported-weights.ts';
import type { FloatTensor } from '../../../values/tensor.ts';
import { loadControlNet } from '../../control/control-net.ts';
import { onnxNetwork } from '../../networks/onnx-network.ts';
import { fluxLayout, sd3Layout } from '../../networks/transformer-layouts.ts';
import { fluxGraph } from './flux-graph.ts';
import { sd3Graph } from './sd3-graph.ts';

interface Answer {
  x: Numbers;
  text: Numbers;
  pooled: Numbers;
  seen: Numbers;
  plain: Numbers;
  told: Numbers;
}

const SLOW = { timeout: 120_000 };
const never = new AbortController().signal;
const host = await weightsHost('here');
let answers: { strength: number; sd3: Answer; flux: Answer };

beforeAll(async () => {
  for (const kind of ['sd3', 'flux']) {
    await writeExported(host.files, `${kind}_controlled`, `m/${kind}`);
    await writeExported(host.files, `${kind}_control`, `models/controlnet/${kind}`);
  }
  answers = await readNumbers('transformer_control.json');
});

const GRAPHS = {
  sd3: {
    layout: sd3Layout,
    timestep: 400,
    build: (weights: Parameters<typeof sd3Graph>[0]) =>
      sd3Graph(weights, { order: 'scale shift', headWidth: 4 }),
  },
  flux: {
    layout: fluxLayout,
    timestep: 0.4,
    build: (weights: Parameters<typeof fluxGraph>[0]) =>
      fluxGraph(weights, { order: 'scale shift', axes: { widths: [2, 2, 4], theta: 10_000 } }),
  },
};

test.each(['sd3', 'flux'] as const)('%s', SLOW, async (kind) => {
  const { layout, timestep, build } = GRAPHS[kind];
  const { x, text, pooled, plain } = answers[kind];
  const weights = await exportedWeights(host, `m/${kind}`);
  const network = onnxNetwork(
    builtOver(host, `m/${kind}`, () => build(weights)),
    layout,
  );
  const prompt = { tensor: tensor(text), options: { pooled: tensor(pooled), guidance: 3.5 } };
  const [output] = await network.predict(tensor(x), timestep, [prompt], never);
  expectNear(output, plain);
});

test('Flux with the residuals of a control net', SLOW, async () => {
  const { strength, flux } = answers;
  const { x, text, pooled, seen } = flux;
  const weights = await exportedWeights(host, 'm/flux');
  const network = onnxNetwork(
    builtOver(host, 'm/flux', () => GRAPHS.flux.build(weights)),
    fluxLayout,
  );
  const net = await loadControlNet(host, 'flux');
  const prompt = { tensor: tensor(text), options: { pooled: tensor(pooled), guidance: 3.5 } };
  const image: FloatTensor = { shape: [1, 32, 48, 3], data: new Float32Array(32 * 48 * 3) };
  const vae = {
    scale: 8,
    latentChannels: 16,
    encode: async () => tensor(seen),
    decode: async () => image,
  };
  const latent = { channels: 16, scaleFactor: 1, shiftFactor: 0 };
  const [residuals] = await net.residuals(tensor(x), 0.4, [prompt], image, never, { latent, vae });
  const control = residuals!.map((each) => ({ ...each, data: each.data.map((value) => value * strength) }));
  expect(control.map(({ isSingle }) => isSingle)).toContain(true);
  const [output] = await network.predict(tensor(x), 0.4, [{ ...prompt, control }], never);
  expectNear(output, flux.told);
});

test('Flux Kontext with a reference', SLOW, async () => {
  await writeExported(host.files, 'kontext', 'm/kontext');
  const weights = await exportedWeights(host, 'm/kontext');
  const { kontext } = await readNumbers<{ kontext: Record<string, Numbers> }>('vision.json');
  const { x, text, pooled, reference } = kontext;
  const network = onnxNetwork(
    builtOver(host, 'm/kontext', () => GRAPHS.flux.build(weights)),
    fluxLayout,
  );
  const prompt = { tensor: tensor(text!), options: { pooled: tensor(pooled!) } };
  const references = { latents: [tensor(reference!)], placement: 'offset' as const };
  const [output] = await network.predict(tensor(x!), 0.4, [{ ...prompt, references }], never);
  expectNear(output, kontext.told!);
});
