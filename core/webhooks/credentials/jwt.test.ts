import { generateKeyPairSync, sign as rawSign } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { CredentialUnusable, type JwtCredential, signJwt, TokenRefused, verifyJwt } from './jwt.ts';

const NOW = Date.UTC(2026, 10, 21);
const secret: JwtCredential = { keyType: 'passphrase', secret: 'jwtsecret', algorithm: 'HS256' };

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const refused = (token: string, credential: JwtCredential) =>
  verifyJwt(token, credential, NOW).catch((error) => `${error.constructor.name}: ${error.message}`);

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const rsaPem = {
  privateKey: rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  publicKey: rsa.publicKey.export({ type: 'spki', format: 'pem' }) as string,
};
const curves = { ES256: 'P-256', ES384: 'P-384', ES512: 'P-521' } as const;
const ecPem = (algorithm: keyof typeof curves) => {
  const pair = generateKeyPairSync('ec', { namedCurve: curves[algorithm] });
  return {
    privateKey: pair.privateKey.export({ type: 'sec1', format: 'pem' }) as string,
    publicKey: pair.publicKey.export({ type: 'spki', format: 'pem' }) as string,
  };
};

describe('every algorithm signs what it verifies', () => {
  test.each(['HS256', 'HS384', 'HS512'])('%s', async (algorithm) => {
    const token = await signJwt({ sub: 'x' }, { ...secret, algorithm }, NOW);
    expect(await verifyJwt(token, { ...secret, algorithm }, NOW)).toEqual({ sub: 'x', iat: NOW / 1000 });
  });
  test.each(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'])('%s', async (algorithm) => {
    const credential = { keyType: 'pemKey' as const, algorithm, ...rsaPem };
    const token = await signJwt({ sub: 'x', iat: 5 }, credential, NOW);
    expect(await verifyJwt(token, credential, NOW)).toEqual({ sub: 'x', iat: 5 });
  });
  test.each(Object.keys(curves) as (keyof typeof curves)[])(
    '%s, with a key as openssl writes it',
    async (algorithm) => {
      const credential = { keyType: 'pemKey' as const, algorithm, ...ecPem(algorithm) };
      const token = await signJwt({ sub: 'x' }, credential, NOW);
      expect(await verifyJwt(token, credential, NOW)).toMatchObject({ sub: 'x' });
    },
  );
});

describe('PEM keys', () => {
  const older = {
    privateKey: rsa.privateKey.export({ type: 'pkcs1', format: 'pem' }) as string,
    publicKey: rsa.publicKey.export({ type: 'pkcs1', format: 'pem' }) as string,
  };
  const flat = (pem: string) => pem.trim().replaceAll('\n', ' ');
  const escaped = (pem: string) => pem.trim().replaceAll('\n', '\\n');
  test.each([
    ['in their older form', older],
    ['on one line', { privateKey: flat(rsaPem.privateKey), publicKey: flat(rsaPem.publicKey) }],
    [
      'with escaped line breaks',
      { privateKey: escaped(older.privateKey), publicKey: escaped(older.publicKey) },
    ],
  ])('%s', async (_name, keys) => {
    const credential = { keyType: 'pemKey' as const, algorithm: 'RS256', ...keys };
    const token = await signJwt({ sub: 'x' }, credential, NOW);
    expect(await verifyJwt(token, { ...credential, ...rsaPem }, NOW)).toMatchObject({ sub: 'x' });
    expect(await verifyJwt(token, credential, NOW)).toMatchObject({ sub: 'x' });
  });
  test('that are invalid or too short make the credential unusable', async () => {
    const credential = { keyType: 'pemKey' as const, algorithm: 'RS256', publicKey: 'nonsense' };
    const token = await signJwt({}, secret, NOW);
    expect(await refused(token, credential)).toMatch(
      /^CredentialUnusable: The publicKey of the JWT credential is not/,
    );
    const short = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const publicKey = short.publicKey.export({ type: 'spki', format: 'pem' }) as string;
    const head = `${encode({ alg: 'RS256' })}.${encode({ sub: 'x' })}`;
    const signature = rawSign('sha256', Buffer.from(head), short.privateKey).toString('base64url');
    expect(await refused(`${head}.${signature}`, { ...credential, publicKey })).toMatch(
      /^CredentialUnusable: .*2048/,
    );
  });
});

describe('invalid tokens', () => {
  test('outside their time', async () => {
    const seconds = NOW / 1000;
    expect(await refused(await signJwt({ exp: seconds - 1 }, secret, NOW), secret)).toBe(
      'TokenRefused: jwt expired',
    );
    expect(await refused(await signJwt({ nbf: seconds + 60 }, secret, NOW), secret)).toBe(
      'TokenRefused: jwt not active',
    );
  });
  test('with a wrong signature', async () => {
    const other = await signJwt({ sub: 'x' }, { ...secret, secret: 'other' }, NOW);
    expect(await refused(other, secret)).toBe('TokenRefused: invalid signature');
    const token = await signJwt({ sub: 'x' }, secret, NOW);
    const [head, , signature] = token.split('.');
    expect(await refused(`${head}.${encode({ sub: 'admin' })}.${signature}`, secret)).toBe(
      'TokenRefused: invalid signature',
    );
  });
  test('without a signature, even if the credential permits it', async () => {
    const token = `${encode({ alg: 'none' })}.${encode({ sub: 'admin' })}.`;
    expect(await refused(token, secret)).toBe('TokenRefused: jwt signature is required');
    expect(await refused(`${token}abc`, secret)).toBe('TokenRefused: invalid algorithm');
    expect(await refused(token, { ...secret, algorithm: 'none' })).toMatch(/^CredentialUnusable/);
  });
  test('signed with the public key as a secret', async () => {
    const token = await signJwt({ sub: 'admin' }, { ...secret, secret: rsaPem.publicKey }, NOW);
    const credential = { keyType: 'pemKey' as const, algorithm: 'RS256', publicKey: rsaPem.publicKey };
    expect(await refused(token, credential)).toBe('TokenRefused: invalid algorithm');
  });
  test.each(['abc', 'a.b.c', '...', `${'a'.repeat(10_000)}.b.c`])('malformed: %#', async (token) => {
    expect(await refused(token, secret)).toBe('TokenRefused: jwt malformed');
  });
  test('failures have documented error types', async () => {
    await expect(verifyJwt('x', secret, NOW)).rejects.toBeInstanceOf(TokenRefused);
    await expect(verifyJwt('x', { algorithm: 'HS256' }, NOW)).rejects.toBeInstanceOf(CredentialUnusable);
  });
});
