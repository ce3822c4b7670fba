import { expect, test } from 'vitest';
import type { Digest } from '#core/host';
import { neverAborted } from '#test/support/host/never-aborted.ts';
import { collect, registryUnderTest } from '#test/support/local-models/registry-host.ts';
import { tinyPart } from '#test/support/model-files/split-gguf.ts';
import { tinyGguf } from '#test/support/model-files/tiny-gguf.ts';
import { tinyLora } from '#test/support/model-files/tiny-lora.ts';
import type { CreateRequest } from '../model-registry.ts';

const WEIGHTS = tinyGguf();
const LORA = tinyLora({ width: 32, strength: 1 });
const EMPTY: Omit<CreateRequest, 'model'> = { licences: [], parameters: {}, messages: [], info: {} };

/** A registry without network, and the digests of uploaded files. */
async function fixture() {
  const { host, registry } = registryUnderTest({
    fetch: () => new Response('none', { status: 404 }),
  });
  const put = async (bytes: Uint8Array) => (await host.blobs.put(bytes)).digest;
  const files: Record<'weights' | 'other' | 'lora', Digest> = {
    weights: await put(WEIGHTS),
    other: await put(tinyGguf({ contextLength: 77 })),
    lora: await put(LORA),
  };
  const create = (request: Partial<CreateRequest>, signal = neverAborted) =>
    collect(registry.create({ ...EMPTY, model: 'new', ...request }, signal));
  const find = (name: string) => registry.find(registry.parse(name));
  return { host, create, find, files };
}

type Files = Awaited<ReturnType<typeof fixture>>['files'];

test('derives a model, whose texts replace those of its base', async () => {
  const { create, find, files } = await fixture();
  const base = {
    files: [['w.gguf', files.weights]] as [string, Digest][],
    system: 'Old',
    template: 'T {{ .Prompt }}',
  };
  const first = await create({ ...base, model: 'base', parameters: { temperature: 1, top_k: 3 } });
  expect(first.error).toBeUndefined();
  const { lines, error } = await create({
    from: 'base',
    system: 'New',
    licences: ['', 'MIT'],
    parameters: { temperature: 0.5 },
    renderer: '',
    info: { model_family: 'fam', quantization_level: '', parameter_size: 7, capabilities: ['vision', 7] },
  });
  expect([error, lines.at(-1)]).toEqual([undefined, { status: 'success' }]);
  expect(await find('new')).toMatchObject({
    system: 'New',
    template: 'T {{ .Prompt }}',
    licences: ['MIT'],
    parameters: { temperature: 0.5, top_k: 3 },
    parentModel: 'base:latest',
  });
  expect((await find('new'))!.config).toMatchObject({
    family: 'fam',
    families: ['fam'],
    capabilities: ['vision'],
  });
  expect((await find('new'))!.config).not.toHaveProperty('renderer');
});

test('creates a model with an adapter', async () => {
  const { create, find, files } = await fixture();
  const { error } = await create({ files: [['w', files.weights]], adapters: [['a', files.lora]] });
  expect(error).toBeUndefined();
  expect((await find('new'))!.files.map(({ role }) => role)).toEqual(['weights', 'adapter']);
});

test('creates a model of two parts, and another one from it', async () => {
  const { host, create, find } = await fixture();
  const part = async (index: number): Promise<[string, Digest]> => {
    const { digest } = await host.blobs.put(tinyPart(index, 2));
    return [`w-${index}.gguf`, digest];
  };
  const [first, second] = [await part(0), await part(1)];
  expect((await create({ model: 'parts', files: [second, first] })).error).toBeUndefined();
  expect((await create({ from: 'parts', system: 'New' })).error).toBeUndefined();
  for (const name of ['parts', 'new'])
    expect((await find(name))!.files).toMatchObject([
      { role: 'weights', digest: first[1] },
      { role: 'part', digest: second[1] },
    ]);
});

test.each<[string, (files: Files) => Partial<CreateRequest>, number, string]>([
  ['a name that is invalid', () => ({ model: 'a b' }), 400, 'invalid model name'],
  ['neither base nor files', () => ({}), 400, "neither 'from' or 'files' was specified"],
  ['an empty base', () => ({ from: '' }), 400, "neither 'from' or 'files' was specified"],
  ['an empty list of files', () => ({ files: [] }), 400, 'unknown type'],
  ['a base with an invalid name', () => ({ from: 'a b' }), 400, 'invalid model name'],
  ['a base in the cloud', () => ({ from: 'base:cloud' }), 403, 'ollama cloud is disabled'],
  [
    'two models',
    ({ weights, other }) => ({
      files: [
        ['a', weights],
        ['b', other],
      ],
    }),
    400,
    'more than one model is among the files',
  ],
  [
    'two adapters',
    ({ weights, lora }) => ({
      files: [['w', weights]],
      adapters: [
        ['a', lora],
        ['b', lora],
      ],
    }),
    400,
    'only one adapter is currently supported',
  ],
  [
    'an adapter that is a model',
    ({ weights, other }) => ({ files: [['w', weights]], adapters: [['a.gguf', other]] }),
    400,
    'a.gguf is no adapter',
  ],
  [
    'a template that is damaged',
    ({ weights }) => ({ files: [['w', weights]], template: '{{ if }' }),
    400,
    'template error: ',
  ],
  [
    'a quantization of quantized weights',
    ({ weights }) => ({ files: [['w', weights]], quantize: 'q4_K_M' }),
    500,
    'quantization is only supported for F16, BF16 and F32 models',
  ],
])('refuses %s, and installs nothing', async (_, request, status, message) => {
  const { host, create, files } = await fixture();
  const { error } = await create(request(files));
  expect(error).toMatchObject({ status });
  expect(error!.message).toContain(message);
  expect(await host.records.collection('models').list()).toEqual([]);
  expect(host.blobs.blobs.size).toBe(3);
});

test('a base that cannot be pulled is an error', async () => {
  const { create, find } = await fixture();
  const { lines, error } = await create({ from: 'models.test/me/missing' });
  expect(error).toBeDefined();
  expect(lines).not.toContainEqual({ status: 'success' });
  expect(await find('new')).toBeUndefined();
});

test('a cancellation installs nothing', async () => {
  const { create, find, files } = await fixture();
  const reason = new Error('interrupted');
  const { error } = await create({ files: [['w', files.weights]] }, AbortSignal.abort(reason));
  expect(error).toBe(reason);
  expect(await find('new')).toBeUndefined();
});
