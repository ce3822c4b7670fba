import type { Parameter } from '#core/webhooks/workflow/node-type.ts';
import { HASHES } from './digest.ts';
import { CIPHER_NAMES } from './encrypt.ts';

const hashes = HASHES.map((value) => ({ value, label: value }));
const actions = [
  { value: 'generate', label: 'Generate' },
  { value: 'hash', label: 'Hash' },
  { value: 'hmac', label: 'Hmac' },
  { value: 'sign', label: 'Sign' },
];
const algorithms = ['RSA-SHA1', 'RSA-SHA256', 'RSA-SHA384', 'RSA-SHA512'];

export const cryptoParameters: Parameter[] = [
  {
    name: 'action',
    label: 'Action',
    type: 'options',
    default: 'hash',
    versions: { to: 1 },
    options: actions,
  },
  {
    name: 'action',
    label: 'Action',
    type: 'options',
    default: 'hash',
    versions: { from: 2 },
    options: [...actions, { value: 'encrypt', label: 'Encrypt' }, { value: 'decrypt', label: 'Decrypt' }],
  },
  {
    name: 'mode',
    label: 'Mode',
    type: 'options',
    default: 'symmetric',
    versions: { from: 2 },
    show: { action: ['encrypt', 'decrypt'] },
    options: [
      { value: 'symmetric', label: 'Symmetric (Passphrase)' },
      { value: 'asymmetric', label: 'Asymmetric (RSA)' },
    ],
  },
  {
    name: 'cipher',
    label: 'Cipher',
    type: 'options',
    default: 'aes-256-gcm',
    versions: { from: 2 },
    show: { action: ['encrypt', 'decrypt'], mode: ['symmetric'] },
    options: CIPHER_NAMES.map((value) => ({ value, label: cipherLabel(value) })),
    description: 'Decrypting needs the one that encrypted.',
  },
  {
    name: 'type',
    label: 'Type',
    type: 'options',
    default: 'MD5',
    options: hashes,
    versions: { to: 1 },
    show: { action: ['hash', 'hmac'] },
  },
  {
    name: 'type',
    label: 'Type',
    type: 'options',
    default: 'SHA256',
    options: hashes,
    versions: { from: 2 },
    show: { action: ['hash', 'hmac'] },
  },
  {
    name: 'binaryData',
    label: 'Binary File',
    type: 'boolean',
    default: false,
    show: { action: ['hash', 'hmac'] },
    description: 'Takes the bytes of a file instead of a text.',
  },
  {
    name: 'binaryPropertyName',
    label: 'Binary Property Name',
    type: 'string',
    default: 'data',
    required: true,
    show: { action: ['hash', 'hmac'], binaryData: [true] },
  },
  {
    name: 'value',
    label: 'Value',
    type: 'string',
    default: '',
    required: true,
    show: { action: ['hash', 'hmac'], binaryData: [false] },
  },
  {
    name: 'value',
    label: 'Value',
    type: 'string',
    default: '',
    required: true,
    show: { action: ['sign', 'encrypt', 'decrypt'] },
    description: 'To decrypt: the base64 text that Encrypt made.',
  },
  { name: 'dataPropertyName', label: 'Property Name', type: 'string', default: 'data', required: true },
  {
    name: 'secret',
    label: 'Secret',
    type: 'string',
    default: '',
    required: true,
    versions: { to: 1 },
    show: { action: ['hmac'] },
  },
  {
    name: 'algorithm',
    label: 'Algorithm',
    type: 'options',
    default: '',
    required: true,
    show: { action: ['sign'] },
    options: algorithms.map((value) => ({ value, label: value })),
  },
  {
    name: 'privateKey',
    label: 'Private Key',
    type: 'string',
    default: '',
    required: true,
    rows: 4,
    versions: { to: 1 },
    show: { action: ['sign'] },
  },
  {
    name: 'encoding',
    label: 'Encoding',
    type: 'options',
    default: 'hex',
    show: { action: ['hash', 'hmac', 'sign'] },
    options: [
      { value: 'base64', label: 'BASE64' },
      { value: 'hex', label: 'HEX' },
    ],
  },
  {
    name: 'encodingType',
    label: 'Type',
    type: 'options',
    default: 'uuid',
    show: { action: ['generate'] },
    options: [
      { value: 'ascii', label: 'ASCII' },
      { value: 'base64', label: 'BASE64' },
      { value: 'hex', label: 'HEX' },
      { value: 'uuid', label: 'UUID' },
    ],
  },
  {
    name: 'stringLength',
    label: 'Length',
    type: 'number',
    default: 32,
    minimum: 1,
    show: { action: ['generate'], encodingType: ['ascii', 'base64', 'hex'] },
  },
];

function cipherLabel(name: string): string {
  return name === 'chacha20-poly1305' ? 'ChaCha20-Poly1305' : name.toUpperCase();
}
