/** Bytes as text and text as bytes, in the encodings of a Buffer, with Node's results. */
import { toHex } from '#core/base';
import { decodeLooseBase64, encodeBase64 } from '#core/http';

export function decodeBytes(bytes: Uint8Array, encoding: string): string {
  switch (encoding) {
    case 'base64':
      return encodeBase64(bytes);
    case 'base64url':
      return encodeBase64(bytes).replace(/=+$/, '').replaceAll('+', '-').replaceAll('/', '_');
    case 'hex':
      return toHex(bytes);
    case 'latin1':
      return inPieces(bytes, (piece) => String.fromCharCode(...piece));
    case 'ascii':
      return inPieces(bytes, (piece) => String.fromCharCode(...piece.map((byte) => byte & 127)));
    case 'utf16le':
      return inPieces(bytes.subarray(0, bytes.length & ~1), (piece) => {
        let text = '';
        for (let at = 0; at < piece.length; at += 2)
          text += String.fromCharCode(piece[at]! | (piece[at + 1]! << 8));
        return text;
      });
    default:
      return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  }
}

export function encodeBytes(text: string, encoding: string): Uint8Array {
  switch (encoding) {
    case 'base64':
    case 'base64url':
      return decodeLooseBase64(text);
    case 'hex':
      return fromHex(text);
    case 'latin1':
    case 'ascii':
      return Uint8Array.from({ length: text.length }, (_, at) => text.charCodeAt(at) & 255);
    case 'utf16le': {
      const bytes = new Uint8Array(text.length * 2);
      for (let at = 0; at < text.length; at++) {
        const unit = text.charCodeAt(at);
        bytes[2 * at] = unit & 255;
        bytes[2 * at + 1] = unit >> 8;
      }
      return bytes;
    }
    default:
      return new TextEncoder().encode(text);
  }
}

/** Bytes at once: an even number, so that no UTF-16 unit is split. A call takes a limited number of arguments. */
const PIECE_BYTES = 8192;

function inPieces(bytes: Uint8Array, toText: (piece: Uint8Array) => string): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) text += toText(bytes.subarray(at, at + PIECE_BYTES));
  return text;
}

/** Reads up to the first pair of characters that are not hexadecimal digits. */
function fromHex(text: string): Uint8Array {
  const [pairs] = /^(?:[0-9a-f]{2})*/i.exec(text) ?? [''];
  return Uint8Array.from({ length: pairs.length / 2 }, (_, at) =>
    Number.parseInt(pairs.slice(2 * at, 2 * at + 2), 16),
  );
}
