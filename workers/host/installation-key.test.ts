import 'fake-indexeddb/auto';
import { expect, it } from 'vitest';
import { installationKeys } from './installation-key.ts';

it('returns the same key after a reload, another key for another site, and none that can be exported', async () => {
  const iv = new Uint8Array(12);
  const first = await installationKeys('site').encryptionKey();
  const encrypted = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, first, new Uint8Array([1, 2, 3]));
  const second = await installationKeys('site').encryptionKey();
  const decrypted = await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, second, encrypted);
  expect([...new Uint8Array(decrypted)]).toEqual([1, 2, 3]);
  await expect(crypto.subtle.exportKey('raw', second)).rejects.toThrow();
  const other = await installationKeys('another-site').encryptionKey();
  await expect(crypto.subtle.decrypt({ name: 'AES-GCM', iv }, other, encrypted)).rejects.toThrow();
});
