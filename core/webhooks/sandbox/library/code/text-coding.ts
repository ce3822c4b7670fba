import { fromUtf8, utf8 } from '../extensions/string.ts';
import { bytesOf } from './buffer.ts';

export class TextEncoder {
  readonly encoding = 'utf-8';
  encode(text: unknown = ''): Uint8Array {
    return Uint8Array.from(utf8(String(text)));
  }
}

export class TextDecoder {
  readonly encoding: string;
  constructor(label = 'utf-8') {
    const name = String(label).toLowerCase();
    if (!/^(utf-?8|latin1|iso-8859-1|ascii|us-ascii|windows-1252)$/.test(name)) {
      throw new RangeError(`The "${label}" encoding is not supported`);
    }
    this.encoding = /utf/.test(name) ? 'utf-8' : 'windows-1252';
  }
  decode(data?: unknown): string {
    const bytes = data === undefined ? new Uint8Array() : bytesOf(data);
    if (this.encoding === 'utf-8') return fromUtf8(bytes).replace(/^\ufeff/, '');
    return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  }
}
