import { bytesOf, textOf, utf8Bytes } from './buffer.ts';

export class TextEncoder {
  readonly encoding = 'utf-8';
  encode(text: unknown = ''): Uint8Array {
    return utf8Bytes(String(text));
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
    if (this.encoding === 'utf-8') return textOf(bytes, 'utf8').replace(/^\ufeff/, '');
    return textOf(bytes, 'latin1');
  }
}
