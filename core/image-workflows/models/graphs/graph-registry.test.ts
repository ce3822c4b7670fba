import { expect, test } from 'vitest';
import { createTestHost } from '#test/support/host/test-host.ts';
import { graphsOf } from './graph-registry.ts';

test('forgets the graphs at a path, below it and above it, but no sibling', async () => {
  const graphs = graphsOf(createTestHost());
  const at = () =>
    ['models/vae/a', 'models/vae/a/vae_decoder', 'models/vae/ab', 'models/vae/b'].map((path) =>
      graphs.at(path),
    );
  const [first, second, third, fourth] = at();
  await graphs.forget('models/vae/a');
  const after = at();
  expect(after.map((graph, index) => graph === [first, second, third, fourth][index])).toEqual([
    ...[false, false, true, true],
  ]);
  await graphs.forget('models/vae/a/vae_decoder/model.onnx');
  expect(graphs.at('models/vae/a/vae_decoder')).not.toBe(after[1]);
  expect(graphs.at('models/vae/b')).toBe(fourth);
});
