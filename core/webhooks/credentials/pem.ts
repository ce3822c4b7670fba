/** PEM keys in the forms that tools write, as the two forms that Web Crypto reads: PKCS #8 and SPKI. */

import { decodeBase64 } from '#core/http';

const RSA = [0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00];
const EC = [0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01];
/** Object identifiers of P-256, P-384 and P-521. */
const CURVES: Record<string, number[]> = {
  ES256: [0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07],
  ES384: [0x06, 0x05, 0x2b, 0x81, 0x04, 0x00, 0x22],
  ES512: [0x06, 0x05, 0x2b, 0x81, 0x04, 0x00, 0x23],
};

/**
 * The text of a PEM as `BEGIN PRIVATE KEY` or `BEGIN PUBLIC KEY`; `BEGIN CERTIFICATE` stays one. Older forms
 * (`BEGIN RSA PRIVATE KEY`, `BEGIN RSA PUBLIC KEY`, `BEGIN EC PRIVATE KEY`) are put into the envelope they lack. Line
 * breaks may have got lost, as in forms of one line, or be written as `\n`. Throws for what is no PEM.
 */
export function usualPem(pem: string, algorithm: string): string {
  const found = /-----BEGIN ([A-Z ]+)-----([A-Za-z0-9+/=\s]+)-----END \1-----/.exec(
    pem.replaceAll('\\n', '\n'),
  );
  if (!found) throw new Error('not a PEM');
  const [, label, body] = found as unknown as [string, string, string];
  const base64 = body.replace(/\s+/g, '');
  const bytes = () => [...atob(base64)].map((sign) => sign.charCodeAt(0));
  switch (label) {
    case 'RSA PRIVATE KEY':
      return write('PRIVATE KEY', sequence([0x02, 0x01, 0x00], RSA, tagged(0x04, bytes())));
    case 'RSA PUBLIC KEY':
      return write('PUBLIC KEY', sequence(RSA, tagged(0x03, [0x00, ...bytes()])));
    case 'EC PRIVATE KEY': {
      const curve = CURVES[algorithm];
      if (!curve) throw new Error(`an EC key is not for ${algorithm}`);
      return write('PRIVATE KEY', sequence([0x02, 0x01, 0x00], sequence(EC, curve), tagged(0x04, bytes())));
    }
    default:
      return block(label, base64);
  }
}

/** The bytes of a PEM that `usualPem` takes: PKCS #8, SPKI or a certificate. */
export function derOf(pem: string, algorithm: string): Uint8Array<ArrayBuffer> {
  return decodeBase64(usualPem(pem, algorithm).replace(/-----[A-Z ]+-----|\s/g, ''));
}

function write(label: string, der: number[]): string {
  return block(label, btoa(String.fromCharCode(...der)));
}

function block(label: string, base64: string): string {
  return `-----BEGIN ${label}-----\n${base64.replace(/.{64}(?=.)/g, '$&\n')}\n-----END ${label}-----`;
}

function sequence(...parts: number[][]): number[] {
  return tagged(0x30, parts.flat());
}

/** DER: tag, length, content. */
function tagged(tag: number, content: number[]): number[] {
  const { length } = content;
  if (length < 0x80) return [tag, length, ...content];
  const size: number[] = [];
  for (let left = length; left > 0; left >>= 8) size.unshift(left & 0xff);
  return [tag, 0x80 | size.length, ...size, ...content];
}
