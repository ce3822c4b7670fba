/** Converts PEM keys of all usual forms to the two that Web Crypto reads: PKCS #8 and SPKI. */

import { decodeBase64 } from '#core/http';

/** The algorithm identifier of RSA. */
const RSA = [0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00];
/** The object identifier of elliptic curves. */
const EC = [0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01];
/** Object identifiers of P-256, P-384 and P-521. */
const CURVES: Record<string, number[]> = {
  ES256: [0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07],
  ES384: [0x06, 0x05, 0x2b, 0x81, 0x04, 0x00, 0x22],
  ES512: [0x06, 0x05, 0x2b, 0x81, 0x04, 0x00, 0x23],
};

/**
 * A PEM in the form that Web Crypto reads. Older forms (`RSA PRIVATE KEY`, `RSA PUBLIC KEY`, `EC PRIVATE KEY`) get the
 * missing envelope; a certificate stays one. Line breaks may be missing, or written as `\n`.
 * @throws Error for a text that is no PEM
 */
export function normalizePem(pem: string, algorithm: string): string {
  const found = /-----BEGIN ([A-Z ]+)-----([A-Za-z0-9+/=\s]+)-----END \1-----/.exec(
    pem.replaceAll('\\n', '\n'),
  );
  if (!found) throw new Error('not a PEM');
  const [, label, body] = found as unknown as [string, string, string];
  const base64 = body.replace(/\s+/g, '');
  const bytes = () => [...atob(base64)].map((character) => character.charCodeAt(0));
  switch (label) {
    case 'RSA PRIVATE KEY':
      return toPem('PRIVATE KEY', derSequence([0x02, 0x01, 0x00], RSA, derElement(0x04, bytes())));
    case 'RSA PUBLIC KEY':
      return toPem('PUBLIC KEY', derSequence(RSA, derElement(0x03, [0x00, ...bytes()])));
    case 'EC PRIVATE KEY': {
      const curve = CURVES[algorithm];
      if (!curve) throw new Error(`an EC key is not for ${algorithm}`);
      return toPem(
        'PRIVATE KEY',
        derSequence([0x02, 0x01, 0x00], derSequence(EC, curve), derElement(0x04, bytes())),
      );
    }
    default:
      return pemBlock(label, base64);
  }
}

/** The bytes of a PEM: PKCS #8, SPKI or a certificate. */
export function derOf(pem: string, algorithm: string): Uint8Array<ArrayBuffer> {
  return decodeBase64(normalizePem(pem, algorithm).replace(/-----[A-Z ]+-----|\s/g, ''));
}

function toPem(label: string, der: number[]): string {
  return pemBlock(label, btoa(String.fromCharCode(...der)));
}

function pemBlock(label: string, base64: string): string {
  return `-----BEGIN ${label}-----\n${base64.replace(/.{64}(?=.)/g, '$&\n')}\n-----END ${label}-----`;
}

function derSequence(...parts: number[][]): number[] {
  return derElement(0x30, parts.flat());
}

/** An element of DER: its tag, its length, its content. */
function derElement(tag: number, content: number[]): number[] {
  const { length } = content;
  if (length < 0x80) return [tag, length, ...content];
  const size: number[] = [];
  for (let left = length; left > 0; left >>= 8) size.unshift(left & 0xff);
  return [tag, 0x80 | size.length, ...size, ...content];
}
