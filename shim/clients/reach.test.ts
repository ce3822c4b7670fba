import { expect, test } from 'vitest';
import { allowedAddress, tlsOptions } from './reach.ts';

const signal = new AbortController().signal;

test('connects to the first allowed address of a host', async () => {
  const only = (address: string) => ({ allows: (candidate: string) => candidate === address, signal });
  expect(await allowedAddress({ host: 'localhost', port: 1 }, only('127.0.0.1'))).toBe('127.0.0.1');
  expect(await allowedAddress({ host: '[::1]', port: 1 }, only('::1'))).toBe('::1');
  const refused = { name: 'ConnectionNotAllowed', address: '127.0.0.1' };
  await expect(allowedAddress({ host: '127.0.0.1', port: 1 }, only('1.1.1.1'))).rejects.toMatchObject(
    refused,
  );
  const aborted = { allows: () => true, signal: AbortSignal.abort(new Error('stopped')) };
  await expect(allowedAddress({ host: '127.0.0.1', port: 1 }, aborted)).rejects.toThrow('stopped');
});

test('the certificate is that of the name, not of the address', () => {
  expect(tlsOptions('db.example', { ca: 'PEM' })).toEqual({
    servername: 'db.example',
    rejectUnauthorized: true,
    ca: 'PEM',
  });
  expect(tlsOptions('10.0.0.1', { acceptsAnyCertificate: true })).toEqual({ rejectUnauthorized: false });
});
