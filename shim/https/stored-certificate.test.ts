import { X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CertificateHost } from './certificates.ts';
import { ownHosts, storedCertificate } from './stored-certificate.ts';

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'tabd-https-'));
});
afterAll(() => rm(home, { recursive: true, force: true }));

const local: CertificateHost[] = [
  { kind: 'dns', value: 'localhost' },
  { kind: 'ip', value: '127.0.0.1' },
  { kind: 'ip', value: 'fd00::7' },
];

it('is stored, valid for every name of the computer, and trusted through its authority', async () => {
  const first = await storedCertificate(home, local);
  const again = await storedCertificate(home, local);
  expect(again).toEqual(first);
  const server = new X509Certificate(first.server.certificate);
  const authority = new X509Certificate(first.authority);
  expect(server.verify(authority.publicKey)).toBe(true);
  expect([authority.ca, server.ca]).toEqual([true, false]);
  expect([server.checkHost('localhost'), server.checkIP('fd00::7')]).toEqual(['localhost', 'fd00::7']);
  expect(server.checkHost('example.com')).toBeUndefined();
  expect(first.fingerprint).toBe(authority.fingerprint256);
  const { mode } = await stat(join(home, 'https', 'authority-key.pem'));
  expect(mode & 0o077).toBe(0);
});

it('is renewed by the same authority when the computer has another address', async () => {
  const before = await storedCertificate(home, local);
  const moved = await storedCertificate(home, [...local, { kind: 'ip', value: '192.168.7.7' }]);
  expect(moved.authority).toBe(before.authority);
  expect(new X509Certificate(moved.server.certificate).checkIP('192.168.7.7')).toBe('192.168.7.7');
});

it('explains what to do about damaged files', async () => {
  const file = join(home, 'https', 'server.pem');
  const original = await readFile(file, 'utf8');
  await writeFile(file, 'rubbish');
  await expect(storedCertificate(home, local)).rejects.toThrow(/damaged certificate .*delete that folder/);
  await writeFile(file, original);
});

it('names this computer', () => {
  expect(ownHosts()).toEqual(
    expect.arrayContaining([
      { kind: 'dns', value: 'localhost' },
      { kind: 'ip', value: '127.0.0.1' },
    ]),
  );
});
