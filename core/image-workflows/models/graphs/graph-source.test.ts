import { expect, test } from 'vitest';
import { encodeProtobuf, protobufMessage } from '#core/tensors/onnx-file/encode-protobuf.ts';
import { TestClock } from '#test/support/host/test-clock.ts';
import { createTestHost } from '#test/support/host/test-host.ts';
import { constantField } from './graph-fields.ts';
import { graphsOf } from './graph-registry.ts';

test('reads a file again when it was written later, even with the same size', async () => {
  const clock = new TestClock();
  const host = createTestHost({ clock });
  const write = (name: string) =>
    host.files.write(
      'models/vae/a/model.onnx',
      encodeProtobuf(protobufMessage([7, protobufMessage(constantField(name, 'F32', [2], [1, 2]))])),
    );
  const { source } = graphsOf(host).at('models/vae/a');
  await write('one');
  const first = await source.outline();
  expect(first.initializers.map(({ name }) => name)).toEqual(['one']);
  expect(await source.outline()).toBe(first);
  await clock.advance(1000);
  await write('two');
  const second = await source.outline();
  expect(second.size).toBe(first.size);
  expect(second.initializers.map(({ name }) => name)).toEqual(['two']);
});
