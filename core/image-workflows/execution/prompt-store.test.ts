import { describe, expect, it } from 'vitest';
import { recordsSchema } from '#core/host';
import { MemoryRecords } from '#test/support/host/memory-records.ts';
import { promptOf } from '#test/support/image-workflows/prompt-fixtures.ts';
import { PromptStore, withoutSecrets } from './prompt-store.ts';

const graph = { '9': { class_type: 'A', inputs: { value: 2 } }, '1': { class_type: 'B' } };

function openStore() {
  const records = new MemoryRecords(recordsSchema);
  return { records, store: new PromptStore(records), raw: records.collection<object>('promptQueue') };
}

describe('PromptStore', () => {
  it('returns a prompt as it was stored', async () => {
    const { store } = openStore();
    const prompt = promptOf(graph, {
      id: 'x',
      number: -2.5,
      numberJson: '-2.5',
      extraData: new Map([['client_id', 'me']]),
      outputs: ['1'],
      createdAt: 5,
      sequence: 7,
      attempts: 1,
    });
    await store.put(prompt);
    expect(await store.load()).toEqual([prompt]);
  });

  it('returns prompts by their order of arrival, not by key', async () => {
    const { store } = openStore();
    for (const sequence of [10, 9, 100]) await store.put(promptOf(graph, { id: `p${sequence}`, sequence }));
    expect((await store.load()).map(({ id }) => id)).toEqual(['p9', 'p10', 'p100']);
  });

  it('stores no secrets, and no client where there is none', async () => {
    const { store, raw } = openStore();
    const extraData = new Map([
      ['api_key_comfy_org', 'key'],
      ['auth_token_comfy_org', 'token'],
      ['other', 'kept'],
    ]);
    await store.put(promptOf(graph, { extraData, clientId: undefined }));
    const [record] = await raw.list();
    expect(record!.key).toBe('1');
    expect(record!.doc).toMatchObject({ extraJson: '{"other": "kept"}' });
    expect(Object.keys(record!.doc)).not.toContain('clientId');
    expect((await store.load())[0]).toMatchObject({
      clientId: undefined,
      extraData: new Map([['other', 'kept']]),
    });
    expect(extraData.size).toBe(3);
  });

  it('deletes records that cannot be read, and returns the others', async () => {
    const { store, raw } = openStore();
    await store.put(promptOf(graph, { id: 'good', sequence: 3 }));
    await store.put(promptOf(graph, { sequence: 1, graphJson: 'no json' }));
    await store.put(promptOf(graph, { sequence: 2, graphJson: '{"1": {}}' }));
    expect((await store.load()).map(({ id }) => id)).toEqual(['good']);
    expect(await raw.list()).toHaveLength(1);
  });

  it('reads extra data that is no object as empty', async () => {
    const { store, raw } = openStore();
    await store.put(promptOf(graph));
    const [record] = await raw.list();
    await raw.put(record!.key, { ...record!.doc, extraJson: '[1]' });
    expect((await store.load())[0]!.extraData).toEqual(new Map());
  });

  it('names the changes that store and delete a prompt', async () => {
    const { records, store } = openStore();
    const [first, second] = [promptOf(graph, { sequence: 1 }), promptOf(graph, { id: 'q', sequence: 2 })];
    await store.put(first);
    await records.write([store.deletionOf(first), store.changeOf(second)]);
    expect(await store.load()).toEqual([second]);
    await store.delete(second);
    expect(await store.load()).toEqual([]);
  });
});

it('withoutSecrets keeps the order of the rest', () => {
  const extraData = new Map([
    ['b', 1n],
    ['api_key_comfy_org', 2n],
    ['a', 3n],
  ]);
  expect([...withoutSecrets(extraData)]).toEqual([
    ['b', 1n],
    ['a', 3n],
  ]);
});
