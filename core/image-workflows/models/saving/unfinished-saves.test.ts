import { expect, test } from 'vitest';
import { recordsSchema } from '#core/host';
import { createTestHost, type TestHost } from '#test/support/host/test-host.ts';
import { imageServer } from '#test/support/image-workflows/image-server.ts';
import { ModelWriter } from './model-writer.ts';

const never = new AbortController().signal;
const SAVED = 'output/sub/mine_00001_';

/** Of a model of two files, the second of which is `source`. */
function writer({ files }: TestHost, source: string): ModelWriter {
  const made = new ModelWriter(files, SAVED);
  made.json('vae_decoder/config.json', {});
  made.copy(source, 'vocab.json');
  return made;
}
const write = (made: ModelWriter) => made.write({}, async () => {}, never);

test('what a server left that was killed while it saved a model is gone when the next has started', async () => {
  const host = createTestHost({ schema: recordsSchema, clock: 'real' });
  await host.files.write('output/sub/other_00001_/model.onnx', new Uint8Array(1));
  const read = host.files.read.bind(host.files);
  let reached = () => {};
  const half = new Promise<void>((resolve) => {
    reached = resolve;
  });
  host.files.read = async (path, ...rest) => {
    if (path !== 'models/never') return read(path, ...rest);
    reached();
    return new Promise(() => {});
  };
  void write(writer(host, 'models/never'));
  await half;
  expect(await host.files.stat(`${SAVED}/vae_decoder/config.json`)).toBeDefined();
  const server = imageServer({ host });
  expect((await server.ask('GET', '/queue')).status).toBe(200);
  expect(await host.files.names('output/sub')).toEqual(['other_00001_']);
  expect(await host.files.names('unfinished')).toEqual([]);
  await server.close();
});

test('a model that is whole stays, one that failed leaves nothing, and neither leaves a note', async () => {
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

test('a note that names something else than output removes nothing', async () => {
  const host = createTestHost({ schema: recordsSchema, clock: 'real' });
  await host.files.write('models/checkpoints/x/unet/model.onnx', new Uint8Array(1));
  await host.files.write('unfinished/a', new TextEncoder().encode('models/checkpoints/x'));
  const server = imageServer({ host });
  expect((await server.ask('GET', '/queue')).status).toBe(200);
  expect(await host.files.stat('models/checkpoints/x/unet/model.onnx')).toBeDefined();
  expect(await host.files.names('unfinished')).toEqual([]);
  await server.close();
});
