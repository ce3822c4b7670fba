import type { Parameter } from '#core/workflow-format';
import { choice, flag, number, text } from '../../shared/parameters.ts';
import { HASHES } from './digest.ts';
import { CIPHER_NAMES } from './encrypt.ts';

const actions = { generate: 'Generate', hash: 'Hash', hmac: 'Hmac', sign: 'Sign' };
const digests = { action: ['hash', 'hmac'] };

export const cryptoParameters: Parameter[] = [
  choice('action', 'Action', 'hash', { versions: { to: 1 }, options: actions }),
  choice('action', 'Action', 'hash', {
    versions: { from: 2 },
    options: { ...actions, encrypt: 'Encrypt', decrypt: 'Decrypt' },
  }),
  choice('mode', 'Mode', 'symmetric', {
    versions: { from: 2 },
    show: { action: ['encrypt', 'decrypt'] },
    options: { symmetric: 'Symmetric (Passphrase)', asymmetric: 'Asymmetric (RSA)' },
  }),
  choice('cipher', 'Cipher', 'aes-256-gcm', {
    versions: { from: 2 },
    show: { action: ['encrypt', 'decrypt'], mode: ['symmetric'] },
    options: CIPHER_NAMES.map((value) => ({ value, label: cipherLabel(value) })),
    description: 'Decryption needs the cipher that encrypted the text.',
  }),
  choice('type', 'Type', 'MD5', { options: HASHES, versions: { to: 1 }, show: digests }),
  choice('type', 'Type', 'SHA256', { options: HASHES, versions: { from: 2 }, show: digests }),
  flag('binaryData', 'Binary File', {
    show: digests,
    description: 'Takes the bytes of a file instead of a text.',
  }),
  text('binaryPropertyName', 'Binary Property Name', {
    default: 'data',
    required: true,
    show: { ...digests, binaryData: [true] },
  }),
  text('value', 'Value', { required: true, show: { ...digests, binaryData: [false] } }),
  text('value', 'Value', {
    required: true,
    show: { action: ['sign', 'encrypt', 'decrypt'] },
    description: 'To decrypt: the base64 text from Encrypt.',
  }),
  text('dataPropertyName', 'Property Name', { default: 'data', required: true }),
  text('secret', 'Secret', { required: true, versions: { to: 1 }, show: { action: ['hmac'] } }),
  choice('algorithm', 'Algorithm', '', {
    required: true,
    show: { action: ['sign'] },
    options: ['RSA-SHA1', 'RSA-SHA256', 'RSA-SHA384', 'RSA-SHA512'],
  }),
  text('privateKey', 'Private Key', {
    required: true,
    rows: 4,
    versions: { to: 1 },
    show: { action: ['sign'] },
  }),
  choice('encoding', 'Encoding', 'hex', {
    show: { action: ['hash', 'hmac', 'sign'] },
    options: { base64: 'BASE64', hex: 'HEX' },
  }),
  choice('encodingType', 'Type', 'uuid', {
    show: { action: ['generate'] },
    options: { ascii: 'ASCII', base64: 'BASE64', hex: 'HEX', uuid: 'UUID' },
  }),
  number('stringLength', 'Length', 32, {
    minimum: 1,
    show: { action: ['generate'], encodingType: ['ascii', 'base64', 'hex'] },
  }),
];

function cipherLabel(name: string): string {
  return name === 'chacha20-poly1305' ? 'ChaCha20-Poly1305' : name.toUpperCase();
}
