/** Makes hashes, signatures and random values; encrypts and decrypts text. */
import { toHex } from '#core/base';
import { encodeBase64 } from '#core/http';
import type { Item } from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { perItem } from '../../node-api/per-item.ts';
import { hash, hmac, sign } from './crypto/digest.ts';
import {
  decryptWithKey,
  decryptWithPassphrase,
  encryptWithKey,
  encryptWithPassphrase,
} from './crypto/encrypt.ts';
import { cryptoParameters } from './crypto/parameters.ts';

/** The fields of a credential of type `crypto`, and their names in error texts. */
const SECRETS = {
  hmacSecret: 'HMAC secret',
  signPrivateKey: 'private key',
  encryptionPassphrase: 'encryption passphrase',
  encryptionPublicKey: 'encryption public key',
  encryptionPrivateKey: 'encryption private key',
};

export const cryptoNode: NodeType = {
  name: 'n8n-nodes-base.crypto',
  label: 'Crypto',
  description: 'Creates hashes, signatures and random values; encrypts and decrypts text.',
  group: 'data',
  versions: [1, 2],
  inputs: 1,
  outputs: ['main'],
  credentials: [
    {
      type: 'crypto',
      required: true,
      versions: { from: 2 },
      show: { action: ['hmac', 'sign', 'encrypt', 'decrypt'] },
    },
  ],
  parameters: cryptoParameters,
  execute: (context) =>
    perItem(context, async (item, index) => {
      const name = String(await context.parameter('dataPropertyName', index));
      const value = await runAction(context, item, index);
      return { ...item, json: { ...item.json, [name]: value }, pairedItem: { item: index } };
    }),
};

async function runAction(context: NodeContext, item: Item, index: number): Promise<string> {
  const action = String(await context.parameter('action', index));
  const get = async (path: string) => String((await context.parameter(path, index, '')) ?? '');
  if (action === 'generate') {
    return random(await get('encodingType'), Number(await context.parameter('stringLength', index, 32)));
  }
  if (action === 'hash') {
    const digest = await hash(await get('type'), await inputData(context, item, index));
    return encode(digest, await get('encoding'));
  }
  if (action === 'hmac') {
    const secret = context.version < 2 ? await get('secret') : await requireSecret(context, 'hmacSecret');
    const data = await inputData(context, item, index);
    return encode(await hmac(await get('type'), secret, data), await get('encoding'));
  }
  if (action === 'sign') {
    const key =
      context.version < 2 ? await get('privateKey') : await requireSecret(context, 'signPrivateKey');
    return encode(await sign(await get('algorithm'), key, await get('value')), await get('encoding'));
  }
  if (context.version >= 2 && (action === 'encrypt' || action === 'decrypt')) {
    const [mode, text] = [await get('mode'), await get('value')];
    if (mode === 'asymmetric') {
      return action === 'encrypt'
        ? encryptWithKey(await requireSecret(context, 'encryptionPublicKey'), text)
        : decryptWithKey(await requireSecret(context, 'encryptionPrivateKey'), text);
    }
    const passphrase = await requireSecret(context, 'encryptionPassphrase');
    const run = action === 'encrypt' ? encryptWithPassphrase : decryptWithPassphrase;
    return run(passphrase, await get('cipher'), text);
  }
  throw new NodeError(`The action "${action}" does not exist in version ${context.version}`);
}

/** The text of the node's parameter, or the bytes of a file. */
async function inputData(context: NodeContext, item: Item, index: number): Promise<string | Uint8Array> {
  if ((await context.parameter('binaryData', index, false)) !== true) {
    return String((await context.parameter('value', index)) ?? '');
  }
  const property = String(await context.parameter('binaryPropertyName', index, 'data'));
  return context.binary.bytes(context.binary.require(item, property, index));
}

async function requireSecret(context: NodeContext, field: keyof typeof SECRETS): Promise<string> {
  const secret = (await context.credential('crypto'))[field];
  if (typeof secret === 'string' && secret !== '') return secret;
  throw new NodeError(`The credential has no ${SECRETS[field]}`);
}

function encode(bytes: Uint8Array, encoding: string): string {
  return encoding === 'base64' ? encodeBase64(bytes) : toHex(bytes);
}

/** Random text of `length` characters, or a UUID. */
function random(encoding: string, length: number): string {
  if (encoding === 'uuid') return crypto.randomUUID();
  if (!Number.isInteger(length) || length < 1 || length > 65_536) {
    throw new NodeError(`The length must be a whole number from 1 to 65536, not ${length}`);
  }
  const bytes = crypto.getRandomValues(new Uint8Array(length));
  if (encoding === 'hex') return toHex(bytes).slice(0, length);
  if (encoding === 'base64') return encodeBase64(bytes).slice(0, length);
  // 64 divides 256, so that each character is equally likely.
  const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return Array.from(bytes, (byte) => characters[byte % 64]).join('');
}
