/** Digests and signatures of the Crypto node. */
import {
  createHMAC,
  createMD5,
  createSHA1,
  createSHA3,
  createSHA224,
  createSHA256,
  createSHA384,
  createSHA512,
  type IHasher,
} from 'hash-wasm';
import { derOf } from '#core/webhooks/credentials/pem.ts';
import { NodeError } from '#core/webhooks/node-api/node-error.ts';

const makers: Record<string, () => Promise<IHasher>> = {
  MD5: createMD5,
  SHA1: createSHA1,
  SHA224: createSHA224,
  SHA256: createSHA256,
  SHA384: createSHA384,
  SHA512: createSHA512,
  'SHA3-256': () => createSHA3(256),
  'SHA3-384': () => createSHA3(384),
  'SHA3-512': () => createSHA3(512),
};

export const HASHES = Object.keys(makers);

export async function hash(type: string, data: string | Uint8Array): Promise<Uint8Array> {
  return (await makerOf(type)()).init().update(data).digest('binary');
}

export async function hmac(type: string, secret: string, data: string | Uint8Array): Promise<Uint8Array> {
  const made = await createHMAC(makerOf(type)(), secret);
  return made.init().update(data).digest('binary');
}

/** RSASSA-PKCS1-v1_5 with a PEM key. `algorithm`: `RSA-SHA256`, `sha256WithRSAEncryption`, `SHA256` … */
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

function makerOf(type: string): () => Promise<IHasher> {
  const maker = makers[type];
  if (maker) return maker;
  throw new NodeError(`The hash ${type} is not supported`, {
    description: `Choose one of ${HASHES.join(', ')}.`,
  });
}

/** DER of the key, as PKCS #8. */
function keyBytes(pem: string): Uint8Array<ArrayBuffer> {
  try {
    return derOf(pem, 'RS256');
  } catch (cause) {
    throw new NodeError('The private key is not in PEM: it must begin with "-----BEGIN PRIVATE KEY-----"', {
      cause,
    });
  }
}
