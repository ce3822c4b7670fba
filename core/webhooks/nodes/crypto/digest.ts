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
import { NodeError } from '../../workflow/node-error.ts';

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

/** DER of the key; the older RSA form is wrapped into PKCS #8. */
function keyBytes(pem: string): Uint8Array<ArrayBuffer> {
  const match = /-----BEGIN (RSA )?PRIVATE KEY-----([\s\S]+?)-----END/.exec(pem.replace(/\\n/g, '\n'));
  if (!match)
    throw new NodeError('The private key is not in PEM: it must begin with "-----BEGIN PRIVATE KEY-----"');
  const der = Uint8Array.from(atob(match[2]!.replace(/\s/g, '')), (sign) => sign.charCodeAt(0));
  if (!match[1]) return der;
  // SEQUENCE { 0, SEQUENCE { rsaEncryption, NULL }, OCTET STRING key }
  const head = [0x02, 1, 0, 0x30, 13, 6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 1, 5, 0];
  const inner = [...head, 0x04, ...lengthOf(der.length), ...der];
  return Uint8Array.from([0x30, ...lengthOf(inner.length), ...inner]);
}

function lengthOf(count: number): number[] {
  if (count < 128) return [count];
  const bytes: number[] = [];
  for (let left = count; left > 0; left >>= 8) bytes.unshift(left & 255);
  return [0x80 | bytes.length, ...bytes];
}
