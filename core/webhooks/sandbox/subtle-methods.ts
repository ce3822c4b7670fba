/** The methods of `crypto.subtle` that Code nodes can call. */
export const SUBTLE_METHODS: readonly string[] = [
  'decrypt',
  'deriveBits',
  'deriveKey',
  'digest',
  'encrypt',
  'exportKey',
  'generateKey',
  'importKey',
  'sign',
  'verify',
];
