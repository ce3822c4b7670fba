import { expect, test } from 'vitest';
import { FileMissing, type GraphFile } from '#core/host';
import { createTestHost } from '#test/support/host/test-host.ts';
import { StoredFiles } from '../../files/stored-files.ts';
import { storedPath, withModelLocations } from './located-models.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

async function written() {
  const opened: GraphFile[][] = [];
  const host = {
    ...createTestHost(),
    tensorEngine: {
      name: 'none',
      async open(graph: GraphFile[]): Promise<never> {
        opened.push(graph);
        throw new Error('opened');
      },
    },
  };
  for (const path of [
    'models/checkpoints/own/unet/model.onnx',
    'models/checkpoints/both/unet/model.onnx',
    'output/checkpoints/both/unet/model.onnx',
    'output/checkpoints/sub/saved_00001_/unet/model.onnx',
    'output/loras/taken_00001_.safetensors',
    'output/clip/text_00001_/model.onnx',
    'output/picture_00001_.png',
  ])
    await host.files.write(path, bytes(path));
  return { host: withModelLocations(host), own: host, opened };
}

test('lists saved models among the models of their kind, each name once', async () => {
  const { host } = await written();
  const files = new StoredFiles(host);
  expect(await files.models('checkpoints')).toEqual([
    'both/unet/model.onnx',
    'own/unet/model.onnx',
    'sub/saved_00001_/unet/model.onnx',
  ]);
  expect(await files.models('loras')).toEqual(['taken_00001_.safetensors']);
  expect(await files.models('text_encoders')).toEqual(['text_00001_/model.onnx']);
  expect(await files.models('controlnet')).toEqual([]);
  expect((await host.files.names('models/checkpoints'))?.sort()).toEqual(['both', 'own', 'sub']);
  expect(await host.files.names('models/upscale_models')).toBeUndefined();
});

test('a model hides all files of a saved model of the same name', async () => {
  const { host, own } = await written();
  await own.files.write('output/checkpoints/both/vae_encoder/model.onnx', bytes('other'));
  await own.files.write('output/checkpoints/both/unet/config.json', bytes('{}'));
  const both = 'models/checkpoints/both';
  expect(await new StoredFiles(host).models('checkpoints')).not.toContain('both/vae_encoder/model.onnx');
  expect(await host.files.stat(`${both}/vae_encoder/model.onnx`)).toBeUndefined();
  expect(await host.files.names(both)).toEqual(['unet']);
  expect((await host.files.list(`${both}/unet`))?.map(({ path }) => path)).toEqual([
    `${both}/unet/model.onnx`,
  ]);
  await expect(host.files.read(`${both}/unet/config.json`)).rejects.toThrow(FileMissing);
});

test('a folder that is not a model hides no files of a saved model', async () => {
  const { host, own } = await written();
  await own.files.write('models/checkpoints/sub/mine/unet/model.onnx', bytes('mine'));
  await own.files.write('models/checkpoints/sub/notes.md', bytes('notes'));
  await own.files.write('models/checkpoints/sub/saved_00001_/unet.md', bytes('left over'));
  expect((await host.files.names('models/checkpoints/sub'))?.sort()).toEqual([
    'mine',
    'notes.md',
    'saved_00001_',
  ]);
  expect(await host.files.names('models/checkpoints/sub/saved_00001_')).toEqual(['unet']);
  const text = async (path: string) => new TextDecoder().decode(await host.files.read(path));
  expect(await text('models/checkpoints/sub/mine/unet/model.onnx')).toBe('mine');
  expect(await text('models/checkpoints/sub/notes.md')).toBe('notes');
  expect(await text('models/checkpoints/sub/saved_00001_/unet/model.onnx')).toBe(
    'output/checkpoints/sub/saved_00001_/unet/model.onnx',
  );
});

test('the next number is free among the models as well', async () => {
  const { host, own } = await written();
  const counter = async (prefix: string) => (await new StoredFiles(host).target(prefix, 'output')).counter;
  expect(await counter('clip/text')).toBe(2);
  await own.files.write('models/text_encoders/text_00004_/model.onnx', bytes('own'));
  await own.files.write('models/loras/sub/taken_00007_.safetensors', bytes('own'));
  expect(await counter('clip/text')).toBe(5);
  expect(await counter('loras/sub/taken')).toBe(8);
  expect(await counter('text')).toBe(1);
});

test('reads a saved model from the output folder, unless a model has its name', async () => {
  const { host } = await written();
  const read = async (path: string) => new TextDecoder().decode(await host.files.read(path));
  const saved = 'sub/saved_00001_/unet/model.onnx';
  expect(await read(`models/checkpoints/${saved}`)).toBe(`output/checkpoints/${saved}`);
  expect(await read('models/checkpoints/both/unet/model.onnx')).toBe(
    'models/checkpoints/both/unet/model.onnx',
  );
  expect(await host.files.stat(`models/checkpoints/${saved}`)).toMatchObject({
    path: `models/checkpoints/${saved}`,
    kind: 'file',
    size: `output/checkpoints/${saved}`.length,
  });
  expect(await storedPath(host, `models/checkpoints/${saved}`)).toBe(`output/checkpoints/${saved}`);
  expect(await storedPath(host, 'models/checkpoints/own')).toBe('models/checkpoints/own');
  await expect(host.files.read('models/checkpoints/none')).rejects.toThrow(FileMissing);
});

test('passes the stored path to engines', async () => {
  const { host, opened } = await written();
  const graph = (path: string): GraphFile => ({ role: 'weights', name: 'model.onnx', size: 1, path });
  const open = (path: string) =>
    host.tensorEngine!.open([graph(path)], { providers: ['wasm'] }, new AbortController().signal);
  await expect(open('models/text_encoders/text_00001_/model.onnx')).rejects.toThrow('opened');
  await expect(open('models/checkpoints/own/unet/model.onnx')).rejects.toThrow('opened');
  expect(opened).toEqual([
    [graph('output/clip/text_00001_/model.onnx')],
    [graph('models/checkpoints/own/unet/model.onnx')],
  ]);
});

test('deleting and moving use the path as it is', async () => {
  const { host, own } = await written();
  expect(await host.files.delete('models/loras/taken_00001_.safetensors')).toBe(false);
  await expect(host.files.move('models/loras/taken_00001_.safetensors', 'models/loras/x')).rejects.toThrow(
    FileMissing,
  );
  expect(await own.files.stat('output/loras/taken_00001_.safetensors')).toBeDefined();
  await host.files.delete('output/loras');
  expect(await host.files.stat('models/loras/taken_00001_.safetensors')).toBeUndefined();
});

async function withPlaces() {
  const host = createTestHost();
  for (const path of [
    'models/checkpoints/a.safetensors',
    'models/unet/old.safetensors',
    'external/all/checkpoints/a.safetensors',
    'external/all/checkpoints/sub/deep/b.safetensors',
    'external/all/unet/net.safetensors',
    'external/first/sub/b.safetensors',
    'external/first/a.safetensors',
    'external/first/model.safetensors/notes.txt',
    'external/ip/style.safetensors',
    'external/ip/readme.txt',
  ])
    await host.files.write(path, bytes(path));
  const modelPlaces = [
    { path: 'external/all' },
    { kind: 'checkpoints', path: 'external/first', isDefault: true },
    { kind: 'checkpoints', path: 'external/missing' },
    { kind: 'ipadapter', path: 'external/ip' },
  ];
  return withModelLocations({ ...host, modelPlaces });
}

test('lists the models of further places, with subfolders and under older names', async () => {
  const host = await withPlaces();
  const files = new StoredFiles(host);
  expect(await files.models('checkpoints')).toEqual([
    ...['a.safetensors', 'sub/b.safetensors', 'sub/deep/b.safetensors'],
  ]);
  expect(await files.models('unet')).toEqual(['net.safetensors', 'old.safetensors']);
  expect(await files.models('ipadapter')).toEqual(['readme.txt', 'style.safetensors']);
  await host.files.write('external/all/loras/late.safetensors', bytes('late'));
  expect(await files.models('loras')).toEqual(['late.safetensors']);
});

test('reads a model from the first place that has it', async () => {
  const host = await withPlaces();
  const at = (name: string) => storedPath(host, `models/checkpoints/${name}`);
  expect(await at('a.safetensors')).toBe('external/first/a.safetensors');
  expect(await at('sub/deep/b.safetensors')).toBe('external/all/checkpoints/sub/deep/b.safetensors');
  expect(await at('none.safetensors')).toBe('models/checkpoints/none.safetensors');
  for (const name of ['../loras/x', 'sub/../a.safetensors', '..'])
    await expect(at(name)).rejects.toThrow(TypeError);
  await host.files.write('models/checkpoints/a.safetensors', bytes('new'));
  expect(await at('a.safetensors')).toBe('external/first/a.safetensors');
});
