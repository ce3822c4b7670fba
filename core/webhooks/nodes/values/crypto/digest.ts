/** Digests and signatures of the Crypto node. */
import { createHMAC, type IHasher } from 'hash-wasm';
import { derOf } from '#core/webhooks/credentials/pem.ts';
import { HASHERS } from '#core/webhooks/digests/hashers.ts';
import { NodeError } from '#core/webhooks/node-api/node-error.ts';

/** The names of the hash functions. */
export const HASHES = Object.keys(HASHERS);

/** @throws NodeError for an unknown hash function */
export async function hash(type: string, data: string | Uint8Array): Promise<Uint8Array> {
  const hasher = await createHasher(type);
  return hasher.init().update(data).digest('binary');
}

/** @throws NodeError for an unknown hash function */
export async function hmac(type: string, secret: string, data: string | Uint8Array): Promise<Uint8Array> {
  const keyed = await createHMAC(createHasher(type), secret);
  return keyed.init().update(data).digest('binary');
}

/**
 * Signs text by RSASSA-PKCS1-v1_5 with a PEM key.
 * @param algorithm `RSA-SHA256`, `sha256WithRSAEncryption`, `SHA256` …
 * @throws NodeError for an unknown algorithm or a key that cannot be read
 */
export async function sign(algorithm: string, privateKey: string, text: string): Promise<Uint8Array> {
  const bits = /^(?:RSA-)?SHA-?(1|256|384|512)(?:WithRSAEncryption)?$/i.exec(algorithm)?.[1];
  if (!bits) {
    throw new NodeError(`The algorithm ${algorithm} cannot be signed with here`, {
      description: 'Choose RSA-SHA1, RSA-SHA256, RSA-SHA384 or RSA-SHA512.',
    });
  }
  const key = await crypto.subtle
    .importKey('pkcs8', keyBytes(privateKey), { name: 'RSASSA-PKCS1-v1_5', hash: `SHA-${bits}` }, false, [
      'sign',
    ])
    .catch((cause: unknown) => {
      throw new NodeError('The private key could not be read', {
        description: 'It must be an RSA key in PEM, without a passphrase.',
        cause,
      });
    });
  return new Uint8Array(await crypto.subtle.sign('RSASSA-PKCS1-v1_5', key, new TextEncoder().encode(text)));
}

async function createHasher(type: string): Promise<IHasher> {
  const create = HASHERS[type];
  if (create) return create();
  throw new NodeError(`The hash ${type} is not supported`, {
    description: `Choose one of ${HASHES.join(', ')}.`,
  });
}

/** The key as PKCS #8 in DER. */
function keyBytes(pem: string): Uint8Array<ArrayBuffer> {
  try {
    return derOf(pem, 'RS256');
  } catch (cause) {
    throw new NodeError('The private key is not in PEM: it must begin with "-----BEGIN PRIVATE KEY-----"', {
      cause,
    });
  }
}
