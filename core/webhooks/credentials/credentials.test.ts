import { expect, it } from 'vitest';
import { recordsSchema } from '#core/host';
import { createTestHost } from '#test/support/host/test-host.ts';
import { nodeTypes } from '../nodes/index.ts';
import { CredentialStore } from './credential-store.ts';
import { credentialTypes, dataSchema } from './credential-types.ts';

function setUp() {
  const host = createTestHost({ schema: recordsSchema });
  return { host, store: new CredentialStore(host) };
}

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: Error) => error,
  );

it('stores secrets encrypted and shows them to nodes only', async () => {
  const { host, store } = setUp();
  const info = await store.create('Shop', 'httpHeaderAuth', { name: 'X-Key', value: 'very-secret' });
  expect(Object.keys(info).sort()).toEqual(['createdAt', 'id', 'name', 'type', 'updatedAt']);
  const stored = JSON.stringify(await host.records.collection('credentials').list());
  expect(stored).not.toMatch(/very-secret|X-Key/);
  expect(stored).not.toContain(btoa('very-secret').slice(0, 10));
  expect(JSON.stringify(await store.list())).not.toContain('sealed');
  const found = await new CredentialStore(host).data('httpHeaderAuth', { id: info.id, name: '' });
  expect(found).toEqual({ name: 'X-Key', value: 'very-secret' });
});

it('finds the credential of an imported workflow by its name, unless two have the name', async () => {
  const { store } = setUp();
  await store.create('Shop', 'httpBasicAuth', { user: 'a', password: 'b' });
  const ask = () => store.data('httpBasicAuth', { id: 'of-another-server', name: 'Shop' });
  expect(await ask()).toEqual({ user: 'a', password: 'b' });
  await store.create('Shop', 'httpBasicAuth', { user: 'c', password: 'd' });
  expect(await ask()).toBeUndefined();
});

it('does not return data of another type', async () => {
  const { store } = setUp();
  const { id } = await store.create('Shop', 'httpBasicAuth', { user: 'a', password: 'b' });
  expect(await store.data('httpHeaderAuth', { id, name: 'Shop' })).toBeUndefined();
  await store.data('httpBasicAuth', { id, name: 'Shop' });
  expect(await store.data('httpHeaderAuth', { id, name: 'Shop' })).toBeUndefined();
});

it('returns changed data at once, and no deleted data', async () => {
  const { store } = setUp();
  const { id } = await store.create('Shop', 'httpBasicAuth', { user: 'a', password: 'b' });
  const ask = () => store.data('httpBasicAuth', { id, name: 'Shop' });
  await ask();
  await store.update(id, { data: { password: 'new' }, partial: true });
  expect(await ask()).toEqual({ user: 'a', password: 'new' });
  await store.update(id, { name: 'Shop 2', data: { user: 'only' } });
  expect(await ask()).toEqual({ user: 'only' });
  await store.delete(id);
  expect(await ask()).toBeUndefined();
  expect([await store.delete(id), await store.update(id, { name: 'x' })]).toEqual([undefined, undefined]);
});

it('reports that it cannot decrypt with another key, or a changed record', async () => {
  const { host, store } = setUp();
  const { id } = await store.create('Shop', 'httpBasicAuth', { user: 'a', password: 'b' });
  const other = new CredentialStore({ ...host, keys: createTestHost().keys });
  const lost = await failure(other.data('httpBasicAuth', { id, name: 'Shop' }));
  expect(lost?.message).toBe('The credential "Shop" cannot be decrypted');
  const docs = host.records.collection<Record<string, unknown>>('credentials');
  const doc = await docs.get(id);
  await docs.put(id, { ...doc, type: 'httpDigestAuth' });
  const swapped = await failure(store.data('httpDigestAuth', { id, name: 'Shop' }));
  expect(swapped?.message).toContain('cannot be decrypted');
});

it.each([
  ['nope', {}, 'req.body.type is not a known type'],
  ['httpBasicAuth', { user: 1 }, 'request/body/data/user must be string'],
  [
    'httpBasicAuth',
    { users: 'x' },
    'request/body/data/users is not known to httpBasicAuth (it has: user, password)',
  ],
  ['jwtAuth', { algorithm: 'HS1' }, /must be equal to one of the allowed values: HS256/],
])('refuses %s %j', async (type, data, message) => {
  const { store } = setUp();
  expect(await failure(store.create('x', type, data))).toMatchObject({
    status: 400,
    message: typeof message === 'string' ? message : expect.stringMatching(message),
  });
});

it('describes the data of each type', () => {
  const jwt = credentialTypes.find(({ name }) => name === 'jwtAuth')!;
  expect(dataSchema(jwt)).toMatchObject({
    additionalProperties: false,
    properties: { keyType: { type: 'string', enum: ['passphrase', 'pemKey'] }, secret: { type: 'string' } },
    required: [],
  });
});

it('has every type that a node uses', () => {
  const used = nodeTypes.flatMap(({ credentials = [] }) => credentials.map(({ type }) => type));
  const available = credentialTypes.map(({ name }) => name);
  expect(used.filter((type) => !available.includes(type))).toEqual([]);
});
