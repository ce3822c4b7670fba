import { expect, test, vi } from 'vitest';
import { recordsSchema } from '#core/host';
import { createRegistry } from '#core/local-models';
import { createTestHost } from '#test/support/host/test-host.ts';
import { lazyImageWorkflowsApi } from './image-workflows-api.ts';

const localApis = { fetch: async () => new Response() };

test('modules of nodes are imported from the setting, if the platform can', async () => {
  const host = createTestHost({ schema: recordsSchema, settings: { TABD_IMAGE_NODES: 'mine.js' } });
  const registry = createRegistry(host);
  const importModule = vi.fn(async () => ({}));
  const api = lazyImageWorkflowsApi(host, registry, localApis, importModule);
  expect(importModule).not.toHaveBeenCalled();
  expect((await api.router()).api.name).toBe('image-workflows');
  expect(importModule).toHaveBeenCalledExactlyOnceWith('mine.js');
  await api.close();
  const without = lazyImageWorkflowsApi(host, registry, localApis, undefined);
  await without.router();
  await without.close();
});

test('records that cannot be read are logged', async () => {
  const host = createTestHost({ schema: recordsSchema });
  vi.spyOn(host.records, 'collection').mockImplementation(() => {
    throw new Error('no records');
  });
  const api = lazyImageWorkflowsApi(host, {} as never, localApis, undefined);
  await vi.waitFor(() =>
    expect(host.logged).toEqual([
      { level: 'error', message: 'image workflows cannot start', fields: { error: 'Error: no records' } },
    ]),
  );
  expect(api.name).toBe('image-workflows');
});
