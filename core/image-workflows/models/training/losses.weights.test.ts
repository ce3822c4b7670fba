/** Derivatives of loss functions in a graph against differences of the functions. */
import { expect, test } from 'vitest';
import { GraphBuilder } from '#core/tensors';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { outputField } from '../graphs/graph-fields.ts';
import { graphsOf } from '../graphs/graph-registry.ts';
import { NodeBuilder } from '../patches/node-builder.ts';
import { LOSSES, type LossName } from './losses.ts';

const never = new AbortController().signal;
const host = await weightsHost('here');

test('the derivatives', async () => {
  const empty = new GraphBuilder(new Map());
  empty.node('Identity', ['difference'], {}, 'unused');
  const bytes = empty.buildModel([{ name: 'difference', type: 'float32', shape: [6] }], []);
  const part = { role: 'weights' as const, name: 'model.onnx', size: bytes.length, bytes };
  const graph = graphsOf(host).built('losses', async () => [part]);
  const build = new NodeBuilder(await graph.source.outline(), 'loss');
  const names = Object.keys(LOSSES) as LossName[];
  const outputs = names.map((name) => LOSSES[name].derivative(build, 'difference'));
  const fields = [...build.fields, ...outputs.map((name) => outputField(name, 'F32'))];
  const session = await graph.withChange({ key: 'losses', fields }).session(never);
  const data = Float32Array.of(-3, -0.7, -0.2, 0.3, 0.9, 2);
  const results = await session.run({ difference: { type: 'float32', shape: [6], data } }, never, outputs);
  for (const [index, name] of names.entries())
    for (const [at, difference] of data.entries()) {
      const { of } = LOSSES[name];
      const slope = (of(difference + 1e-4) - of(difference - 1e-4)) / 2e-4;
      expect(Number(results[outputs[index]!]!.data[at]), `${name} of ${difference}`).toBeCloseTo(slope, 4);
    }
});
