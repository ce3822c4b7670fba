import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { installationKeys } from './installation-key.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'tabd-key-'));
});
afterEach(() => rm(home, { recursive: true }));

it('is the same key after a restart, in a file that only its user can read', async () => {
  const iv = new Uint8Array(12);
  const sealed = await crypto.subtle.encrypt(
    { name: 'AES-GCM', iv },
    await installationKeys(home).encryptionKey(),
    Buffer.from('secret'),
  );
  const opened = await crypto.subtle.decrypt(
    { name: 'AES-GCM', iv },
    await installationKeys(home).encryptionKey(),
    sealed,
  );
  expect(Buffer.from(opened).toString()).toBe('secret');
  expect((await stat(join(home, 'encryption-key'))).mode & 0o077).toBe(0);
});

it('leaves a file without a key unchanged, and explains what to do', async () => {
  await writeFile(join(home, 'encryption-key'), 'rubbish');
  await expect(installationKeys(home).encryptionKey()).rejects.toThrow(/contains no key: restore/);
  expect(await readFile(join(home, 'encryption-key'), 'utf8')).toBe('rubbish');
});

it('is the key of a file when the setting contains it, so that a home can move to a cluster', async () => {
  const iv = new Uint8Array(12);
  const sealed = await crypto.subtle.encrypt(
    { name: 'AES-GCM', iv },
    await installationKeys(home).encryptionKey(),
    Buffer.from('secret'),
  );
  const content = await readFile(join(home, 'encryption-key'), 'utf8');
  const other = await installationKeys(join(home, 'other'), `base64:${content}`).encryptionKey();
  expect(Buffer.from(await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, other, sealed)).toString()).toBe(
    'secret',
  );
  await expect(installationKeys(home, 'base64:short').encryptionKey()).rejects.toThrow('no key of 32 bytes');
});
