import 'fake-indexeddb/auto';
import { expect, it } from 'vitest';
import { installationKeys } from './installation-key.ts';

it('is the same key after a reload, and cannot be taken out', async () => {
  const iv = new Uint8Array(12);
  const first = await installationKeys('site').encryptionKey();
  const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, first, new Uint8Array([1, 2, 3]));
  const second = await installationKeys('site').encryptionKey();
  const opened = await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, second, sealed);
  expect([...new Uint8Array(opened)]).toEqual([1, 2, 3]);
  await expect(crypto.subtle.exportKey('raw', second)).rejects.toThrow();
  const other = await installationKeys('another-site').encryptionKey();
  await expect(crypto.subtle.decrypt({ name: 'AES-GCM', iv }, other, sealed)).rejects.toThrow();
});
