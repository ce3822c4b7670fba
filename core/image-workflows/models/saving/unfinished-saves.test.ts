import { expect, test } from 'vitest';
import { recordsSchema } from '#core/host';
import { createTestHost, type TestHost } from '#test/support/host/test-host.ts';
import { imageServer } from '#test/support/image-workflows/image-server.ts';
import { ModelWriter } from './model-writer.ts';

const never = new AbortController().signal;
const SAVED = 'output/sub/mine_00001_';

/** A writer for a model of two files. The second one is copied from `source`. */
function writer({ files }: TestHost, source: string): ModelWriter {
  const modelWriter = new ModelWriter(files, SAVED);
  modelWriter.json('vae_decoder/config.json', {});
  modelWriter.copy(source, 'vocab.json');
  return modelWriter;
}
const write = (modelWriter: ModelWriter) => modelWriter.write({}, async () => {}, never);

test('a starting server removes the model that a killed server left incomplete', async () => {
  const host = createTestHost({ schema: recordsSchema, clock: 'real' });
  await host.files.write('output/sub/other_00001_/model.onnx', new Uint8Array(1));
  const read = host.files.read.bind(host.files);
  let reached = () => {};
  const halfWritten = new Promise<void>((resolve) => {
    reached = resolve;
  });
  host.files.read = async (path, ...rest) => {
    if (path !== 'models/never') return read(path, ...rest);
    reached();
    return new Promise(() => {});
  };
  void write(writer(host, 'models/never'));
  await halfWritten;
  expect(await host.files.stat(`${SAVED}/vae_decoder/config.json`)).toBeDefined();
  const server = imageServer({ host });
  expect((await server.ask('GET', '/queue')).status).toBe(200);
  expect(await host.files.names('output/sub')).toEqual(['other_00001_']);
  expect(await host.files.names('unfinished')).toEqual([]);
  await server.close();
});

test('a complete model stays, a failed one leaves nothing, and neither leaves a note', async () => {
  const host = createTestHost({ schema: recordsSchema, clock: 'real' });
  await expect(write(writer(host, 'models/missing'))).rejects.toThrow('models/missing');
  expect(await host.files.names('output/sub')).toEqual([]);
  expect(await host.files.names('unfinished')).toEqual([]);
  await host.files.write('models/vocab.json', new Uint8Array(1));
  await write(writer(host, 'models/vocab.json'));
  expect(await host.files.names('unfinished')).toEqual([]);
  const server = imageServer({ host });
  expect((await server.ask('GET', '/queue')).status).toBe(200);
  expect(await host.files.stat(`${SAVED}/vocab.json`)).toBeDefined();
  await server.close();
});

test('a note on a path outside of the output folder removes nothing', async () => {
  const host = createTestHost({ schema: recordsSchema, clock: 'real' });
  await host.files.write('models/checkpoints/x/unet/model.onnx', new Uint8Array(1));
  await host.files.write('unfinished/a', new TextEncoder().encode('models/checkpoints/x'));
  const server = imageServer({ host });
  expect((await server.ask('GET', '/queue')).status).toBe(200);
  expect(await host.files.stat('models/checkpoints/x/unet/model.onnx')).toBeDefined();
  expect(await host.files.names('unfinished')).toEqual([]);
  await server.close();
});
