import {
  createDecipheriv,
  createHash,
  createHmac,
  createVerify,
  generateKeyPairSync,
  privateDecrypt,
  publicEncrypt,
  scryptSync,
} from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#core/workflow-format';
import { runFirstOutput, runWebhookNode } from '#test/support/webhooks/run-node.ts';
import { openEngine } from '#test/support/webhooks/workflow-case.ts';
import type { Engine } from '../../engine/engine.ts';

let engine: Engine;
const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = (type: 'pkcs1' | 'pkcs8') => keys.privateKey.export({ type, format: 'pem' }) as string;

beforeAll(async () => {
  const data = async (type: string) =>
    type === 'crypto'
      ? {
          hmacSecret: 'k',
          signPrivateKey: pem('pkcs8'),
          encryptionPassphrase: 'öffne dich',
          encryptionPublicKey: keys.publicKey.export({ type: 'spki', format: 'pem' }) as string,
          encryptionPrivateKey: pem('pkcs1'),
        }
      : undefined;
  ({ engine } = await openEngine({}, { credentials: { data } }));
});
afterAll(() => engine.close());

describe('Crypto', () => {
  const run = (parameters: JsonObject, node: object = {}) =>
    runFirstOutput(engine, { type: 'crypto', parameters, ...node });
  const result = async (parameters: JsonObject, node: object = {}) =>
    ((await run(parameters, node)) as JsonObject[])[0]!.data;

  it.each(['MD5', 'SHA1', 'SHA224', 'SHA256', 'SHA384', 'SHA512', 'SHA3-256', 'SHA3-384', 'SHA3-512'])(
    'hashes as Node does: %s',
    async (type) => {
      const name = type.replace('SHA3-', 'sha3-').toLowerCase();
      expect(await result({ type, value: 'grüß' })).toBe(createHash(name).update('grüß').digest('hex'));
      expect(await result({ action: 'hmac', type, value: 'v', secret: 'k', encoding: 'base64' })).toBe(
        createHmac(name, 'k').update('v').digest('base64'),
      );
    },
  );

  it('uses the default hash of its version, and the secret of a credential', async () => {
    expect(await result({ value: 'x' })).toBe(createHash('md5').update('x').digest('hex'));
    expect(await result({ value: 'x' }, { typeVersion: 2 })).toBe(
      createHash('sha256').update('x').digest('hex'),
    );
    const credentials = { crypto: { id: '1', name: 'c' } };
    expect(await result({ action: 'hmac', value: 'v' }, { typeVersion: 2, credentials })).toBe(
      createHmac('sha256', 'k').update('v').digest('hex'),
    );
  });

  it.each(['pkcs1', 'pkcs8'] as const)('signs with a %s key', async (form) => {
    const parameters = { action: 'sign', algorithm: 'RSA-SHA256', value: 'text', privateKey: pem(form) };
    const signature = String(await result({ ...parameters, encoding: 'base64' }));
    expect(createVerify('RSA-SHA256').update('text').verify(keys.publicKey, signature, 'base64')).toBe(true);
    expect(await run({ ...parameters, privateKey: 'no' })).toEqual({
      error: 'The private key is not in PEM: it must begin with "-----BEGIN PRIVATE KEY-----"',
    });
    expect(await run({ ...parameters, algorithm: 'RSA-MD4' })).toEqual({
      error: 'The algorithm RSA-MD4 cannot be signed with here',
    });
  });

  it('hashes the bytes of a file', async () => {
    const binary = await engine.services.binary('t').prepare(new Uint8Array([0, 255, 1]));
    const node = { type: 'crypto', parameters: { binaryData: true } };
    const { outputs } = await runWebhookNode(engine, node, [{ json: {}, binary: { data: binary } }]);
    expect(outputs[0]![0]!.data).toBe(
      createHash('md5')
        .update(new Uint8Array([0, 255, 1]))
        .digest('hex'),
    );
  });

  it.each([
    ['uuid', {}, /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/],
    ['hex', { stringLength: 7 }, /^[\da-f]{7}$/],
    ['base64', { stringLength: 40 }, /^[\w+/]{40}$/],
    ['ascii', {}, /^[\w-]{32}$/],
  ])('generates %s', async (encodingType, more, pattern) => {
    const [first, second] = [
      await result({ action: 'generate', encodingType, ...more }),
      await result({ action: 'generate', encodingType, ...more }),
    ];
    expect(first).toMatch(pattern);
    expect(first).not.toBe(second);
  });

  const v2 = { typeVersion: 2, credentials: { crypto: { id: '1', name: 'c' } } };
  const CIPHERS = ['aes-256-gcm', 'aes-192-gcm', 'aes-128-gcm', 'chacha20-poly1305'] as const;

  // Node decrypts the documented format: version, salt (16 bytes), nonce (12), tag (16), text.
  it.each(CIPHERS)('encrypts by passphrase in the documented format: %s', async (cipher) => {
    const sealed = String(await result({ action: 'encrypt', value: 'grüß dich', cipher }, v2));
    const bytes = Buffer.from(sealed, 'base64');
    expect(bytes[0]).toBe(1);
    const length = cipher === 'chacha20-poly1305' ? 32 : Number(cipher.slice(4, 7)) / 8;
    const key = scryptSync('öffne dich', bytes.subarray(1, 17), length, { N: 65_536, maxmem: 2 ** 27 });
    const open = createDecipheriv(cipher as 'aes-256-gcm', key, bytes.subarray(17, 29));
    open.setAuthTag(bytes.subarray(29, 45));
    expect(Buffer.concat([open.update(bytes.subarray(45)), open.final()]).toString()).toBe('grüß dich');
    expect(await result({ action: 'decrypt', value: sealed, cipher }, v2)).toBe('grüß dich');
    expect(await result({ action: 'encrypt', value: 'grüß dich', cipher }, v2)).not.toBe(sealed);
  });

  it('explains why a text cannot be decrypted', async () => {
    const decrypt = (value: unknown, more: JsonObject = {}) =>
      run({ action: 'decrypt', value: String(value), ...more }, v2);
    const sealed = String(await result({ action: 'encrypt', value: '' }, v2));
    expect(await result({ action: 'decrypt', value: sealed }, v2)).toBe('');
    const withChangedByte = (position: number) => {
      const bytes = Buffer.from(sealed, 'base64');
      bytes[position]! ^= 1;
      return bytes.toString('base64');
    };
    const wrong = 'Decryption failed: wrong passphrase, key, cipher, or corrupted payload';
    for (const position of [1, 20, 44])
      expect(await decrypt(withChangedByte(position))).toEqual({ error: wrong });
    expect(await decrypt(sealed, { cipher: 'aes-128-gcm' })).toEqual({ error: wrong });
    expect(await decrypt(withChangedByte(0))).toEqual({ error: 'Unsupported ciphertext version 0x00' });
    expect(await decrypt('AQID')).toEqual({ error: 'Ciphertext is malformed or truncated' });
    expect(await decrypt('%')).toEqual({ error: 'Ciphertext is malformed or truncated' });
    expect(await decrypt('AQID', { mode: 'asymmetric' })).toEqual({ error: wrong });
    expect(await decrypt(sealed, { cipher: 'constructor' })).toEqual({
      error: 'The cipher constructor is not supported',
    });
  });

  it('encrypts for Node with an RSA key, and decrypts its text', async () => {
    const mode = 'asymmetric';
    const sealed = String(await result({ action: 'encrypt', mode, value: 'grüß dich' }, v2));
    const oaepHash = 'sha256';
    expect(privateDecrypt({ key: keys.privateKey, oaepHash }, Buffer.from(sealed, 'base64')).toString()).toBe(
      'grüß dich',
    );
    const theirs = publicEncrypt({ key: keys.publicKey, oaepHash }, Buffer.from('grüß dich'));
    expect(await result({ action: 'decrypt', mode, value: theirs.toString('base64') }, v2)).toBe('grüß dich');
    expect(await result({ action: 'encrypt', mode, value: 'x'.repeat(190) }, v2)).toMatch(/^[\w+/=]{344}$/);
    expect(await run({ action: 'encrypt', mode, value: 'x'.repeat(191) }, v2)).toEqual({
      error: 'Plaintext is too large for the RSA key. Use symmetric mode for larger data.',
    });
  });

  it('refuses lengths out of range', async () => {
    expect(await run({ action: 'generate', encodingType: 'hex', stringLength: 1e9 })).toEqual({
      error: 'The length must be a whole number from 1 to 65536, not 1000000000',
    });
  });
});
