import { describe, expect, it } from 'vitest';
import { Subtle } from './subtle.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const HMAC = { name: 'HMAC', hash: 'SHA-256' };

describe('Subtle', () => {
  it('returns buffers as bytes', async () => {
    const digest = await new Subtle().call('digest', ['SHA-256', bytes('a')]);
    expect(digest).toBeInstanceOf(Uint8Array);
    expect(Buffer.from(digest as Uint8Array).toString('hex')).toMatch(/^ca978112/);
  });

  it('keeps keys and takes their numbers', async () => {
    const subtle = new Subtle();
    const key = await subtle.call('importKey', ['raw', bytes('k'), HMAC, true, ['sign', 'verify']]);
    expect(key).toEqual({ __key: 0 });
    const signature = await subtle.call('sign', ['HMAC', key, bytes('data')]);
    expect(await subtle.call('verify', ['HMAC', key, signature, bytes('data')])).toBe(true);
    expect(await subtle.call('verify', ['HMAC', key, signature, bytes('other')])).toBe(false);
    expect(await subtle.call('exportKey', ['jwk', key])).toMatchObject({ kty: 'oct', k: 'aw' });
  });

  it('takes keys inside of algorithms', async () => {
    const subtle = new Subtle();
    const algorithm = { name: 'ECDH', namedCurve: 'P-256' };
    const mine = (await subtle.call('generateKey', [algorithm, false, ['deriveBits']])) as KeyPair;
    const theirs = (await subtle.call('generateKey', [algorithm, false, ['deriveBits']])) as KeyPair;
    expect(mine).toEqual({ privateKey: { __key: 0 }, publicKey: { __key: 1 } });
    const derive = (own: KeyPair, other: KeyPair) =>
      subtle.call('deriveBits', [{ name: 'ECDH', public: other.publicKey }, own.privateKey, 256]);
    expect(await derive(mine, theirs)).toEqual(await derive(theirs, mine));
  });

  it('has no key of another run', async () => {
    const other = new Subtle();
    await other.call('importKey', ['raw', bytes('k'), HMAC, true, ['sign']]);
    await expect(new Subtle().call('sign', ['HMAC', { __key: 0 }, bytes('data')])).rejects.toThrow();
  });

  it('computes one call after the other, and drops those that wait when the run ends', async () => {
    const subtle = new Subtle();
    const algorithm = { name: 'RSA-OAEP', hash: 'SHA-256', modulusLength: 2048 };
    const generate = () =>
      subtle.call('generateKey', [
        { ...algorithm, publicExponent: new Uint8Array([3]) },
        true,
        ['encrypt', 'decrypt'],
      ]);
    const [first, second] = [generate(), generate()];
    second.catch(() => {});
    await first;
    subtle.end();
    await expect(second).rejects.toThrow('the code has ended');
    expect(await new Subtle().call('digest', ['SHA-256', bytes('a')])).toBeInstanceOf(Uint8Array);
  });

  it.each(['constructor', 'nope', '__proto__'])('has no method %s', async (method) => {
    await expect(new Subtle().call(method, [])).rejects.toThrow(`crypto.subtle.${method} does not exist`);
  });
});

interface KeyPair {
  privateKey: unknown;
  publicKey: unknown;
}
