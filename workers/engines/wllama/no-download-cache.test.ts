import { Wllama } from '@wllama/wllama/esm/index.js';
import { afterEach, expect, it, vi } from 'vitest';
import { noDownloadCache } from './no-download-cache.ts';

afterEach(() => void vi.unstubAllGlobals());

it('lets wllama start without a file system', () => {
  vi.stubGlobal('navigator', { userAgent: 'a private window' });
  expect(() => new Wllama({ default: 'x' })).toThrow(/storage/);
  const wllama = new Wllama({ default: 'x' }, { cacheManager: noDownloadCache() });
  expect(wllama.isModelLoaded()).toBe(false);
});

it('refuses to store downloads', async () => {
  await expect(noDownloadCache().list()).rejects.toThrow('downloads nothing');
});
