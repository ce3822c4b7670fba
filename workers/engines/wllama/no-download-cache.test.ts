import { Wllama } from '@wllama/wllama/esm/index.js';
import { afterEach, expect, it, vi } from 'vitest';
import { withoutDownloads } from './no-download-cache.ts';

afterEach(() => void vi.unstubAllGlobals());

it('lets wllama begin where no files can be kept', () => {
  vi.stubGlobal('navigator', { userAgent: 'a private window' });
  expect(() => new Wllama({ default: 'x' })).toThrow(/storage/);
  const wllama = new Wllama({ default: 'x' }, { cacheManager: withoutDownloads() });
  expect(wllama.isModelLoaded()).toBe(false);
});

it('keeps nothing', async () => {
  await expect(withoutDownloads().list()).rejects.toThrow('downloads nothing');
});
