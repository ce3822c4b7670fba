import { Fault } from '../fault.ts';
import { host } from '../host.ts';
import { DateTime } from '../luxon.ts';
import type { Extensions } from './table.ts';

const EMAIL =
  /[\w.!#$%&'*+/=?^`{|}~-]+@[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+/i;
const URL_TEXT = /(?:https?:\/\/|www\.)(?:[\w-]+\.)+[a-z]{2,}(?::\d+)?(?:[/?#][^\s"'<>]*)?/i;
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,}$/i;
const HASHES = ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512', 'sha3'];

export const string: Extensions<string> = {
  hash(text, algorithm = 'md5') {
    const name = String(algorithm).toLowerCase();
    if (name === 'base64') return base64(text);
    if (!HASHES.includes(name)) {
      throw new Fault(
        `Unknown algorithm ${algorithm}. Available algorithms are: ${HASHES.join(', ')}, and Base64.`,
      );
    }
    return host.hash(name, text, 'hex');
  },
  base64Encode: base64,
  base64Decode: unbase64,
  urlEncode: (text, whole?) => (whole ? encodeURI(text) : encodeURIComponent(text)),
  urlDecode: (text, whole?) => (whole ? decodeURI(text) : decodeURIComponent(text)),
  quote(text, mark = '"') {
    const sign = String(mark);
    return `${sign}${text.replace(/\\/g, '\\\\').replaceAll(sign, `\\${sign}`)}${sign}`;
  },
  removeTags: (text) => text.replace(/<[^>]*>?/gm, ''),
  removeMarkdown,
  replaceSpecialChars: (text) =>
    text
      .normalize('NFD')
      .replace(/[\u0300-\u036f]/g, '')
      .replace(/ß/g, 'ss'),
  toSentenceCase(text) {
    let begin = true;
    return text.replace(/[\p{L}]|[.!?]/gu, (sign) => {
      if (/[.!?]/.test(sign)) begin = true;
      else if (begin) {
        begin = false;
        return sign.toUpperCase();
      } else return sign.toLowerCase();
      return sign;
    });
  },
  toTitleCase: (text) =>
    text.replace(/[\p{L}\p{N}']+/gu, (word) => word[0]!.toUpperCase() + word.slice(1).toLowerCase()),
  toSnakeCase: (text) =>
    text
      .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .replace(/[ -]+/g, '_')
      .replace(/[^\w]/g, ''),
  isEmail: (text) => new RegExp(`^${EMAIL.source}$`, 'i').test(text) && DOMAIN.test(text.split('@').at(-1)!),
  isUrl: (text) => /^https?:\/\/(?:[\w-]+\.)+[a-z]{2,}(?::\d+)?(?:[/?#]\S*)?$/i.test(text),
  isDomain: (text) => DOMAIN.test(text),
  isNumeric: (text) => !text.includes(' ') && text !== '' && !Number.isNaN(Number(text)),
  isEmpty: (text) => text.length === 0,
  isNotEmpty: (text) => text.length > 0,
  extractEmail: (text) => EMAIL.exec(text)?.[0],
  extractUrl: (text) => URL_TEXT.exec(text)?.[0],
  extractDomain(text) {
    const host = /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^\s/@]+@)?([^\s/:?#]+)/i.exec(text.trim())?.[1];
    if (host && DOMAIN.test(host)) return host;
    const email = EMAIL.exec(text)?.[0];
    return email
      ? email.split('@')[1]
      : /(?:[a-z0-9-]+\.)+[a-z]{2,}/i.exec(URL_TEXT.exec(text)?.[0] ?? '')?.[0];
  },
  extractUrlPath: (text) =>
    /^[a-z][a-z0-9+.-]*:\/\/[^/?#]+(\/[^?#]*)?/i
      .exec(text)
      ?.slice(1)
      .map((path) => path ?? '/')[0],
  parseJson(text) {
    try {
      return JSON.parse(text);
    } catch (error) {
      throw new Fault(`Parsing failed: ${(error as Error).message}`);
    }
  },
  toBoolean: (text) => !['false', 'no', '0', '', 'off', 'f', 'n'].includes(text.trim().toLowerCase()),
  toNumber(text) {
    const number = Number(text.trim());
    if (Number.isNaN(number)) throw new Fault('cannot convert to number');
    return number;
  },
  toInt(text, radix = 10) {
    const number = Number.parseInt(text.replace(/,/g, ''), radix);
    if (Number.isNaN(number)) throw new Fault('cannot convert to integer');
    return number;
  },
  toFloat(text) {
    if (text.includes(',')) throw new Fault('cannot convert to float');
    const number = Number.parseFloat(text);
    if (Number.isNaN(number)) throw new Fault('cannot convert to float');
    return number;
  },
  toDate(text) {
    const date = new Date(text);
    if (Number.isNaN(date.getTime())) throw new Fault('cannot convert to date');
    return date;
  },
  toDateTime,
};

const IN_TEXT = [
  (text: string) => DateTime.fromISO(text, { setZone: true }),
  (text: string) => DateTime.fromRFC2822(text, { setZone: true }),
  (text: string) => DateTime.fromHTTP(text, { setZone: true }),
  (text: string) => DateTime.fromSQL(text, { setZone: true }),
];

function toDateTime(text: string, format?: string) {
  const unit = format?.toLowerCase();
  if (unit === 's') return DateTime.fromSeconds(Number(text));
  if (unit === 'us') return DateTime.fromMillis(Number(text) / 1000);
  if (unit === 'ms') return DateTime.fromMillis(Number(text));
  if (unit === 'excel') return DateTime.fromMillis((Number(text) - 25569) * 86_400_000);
  if (format !== undefined) {
    const date = DateTime.fromFormat(text, format);
    if (date.isValid) return date;
    throw new Fault('cannot convert to Luxon DateTime');
  }
  for (const read of IN_TEXT) {
    const date = read(text);
    if (date.isValid) return date;
  }
  const millis = /\d/.test(text) ? new Date(text).getTime() : Number.NaN;
  if (!Number.isNaN(millis)) return DateTime.fromMillis(millis);
  throw new Fault('cannot convert to Luxon DateTime');
}

function removeMarkdown(text: string): string {
  return text
    .replace(/```[^\n]*\n?([\s\S]*?)```/g, '$1')
    .replace(/!\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^\s{0,3}#{1,6}\s+/gm, '')
    .replace(/^\s{0,3}>\s?/gm, '')
    .replace(/^\s*(?:[-*_]\s*){3,}$/gm, '')
    .replace(/^(\s*)(?:[-*+]|\d+\.)\s+/gm, '$1')
    .replace(/(\*\*|__)(.*?)\1/g, '$2')
    .replace(/(\*|_)(.*?)\1/g, '$2')
    .replace(/~~(.*?)~~/g, '$1')
    .replace(/`([^`]*)`/g, '$1');
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

function base64(text: string): string {
  return encodeBytes(utf8(text));
}

export function encodeBytes(bytes: ArrayLike<number>): string {
  let out = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const [a = 0, b, c] = [bytes[at], bytes[at + 1], bytes[at + 2]];
    const group = (a << 16) | ((b ?? 0) << 8) | (c ?? 0);
    out += DIGITS[group >> 18]! + DIGITS[(group >> 12) & 63]!;
    out +=
      b === undefined ? '==' : DIGITS[(group >> 6) & 63]! + (c === undefined ? '=' : DIGITS[group & 63]!);
  }
  return out;
}

function unbase64(text: string): string {
  return fromUtf8(decodeBytes(text));
}

export function decodeBytes(text: string): number[] {
  const bytes: number[] = [];
  let bits = 0;
  let held = 0;
  for (const sign of text.replace(/-/g, '+').replace(/_/g, '/')) {
    const value = DIGITS.indexOf(sign);
    if (value < 0) continue;
    held = (held << 6) | value;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((held >> bits) & 255);
    held &= (1 << bits) - 1;
  }
  return bytes;
}

export function utf8(text: string): number[] {
  const bytes: number[] = [];
  for (const sign of text) {
    const code = sign.codePointAt(0)!;
    if (code < 0x80) bytes.push(code);
    else if (code < 0x800) bytes.push(0xc0 | (code >> 6), 0x80 | (code & 63));
    else if (code < 0x10000) bytes.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
    else {
      bytes.push(
        0xf0 | (code >> 18),
        0x80 | ((code >> 12) & 63),
        0x80 | ((code >> 6) & 63),
        0x80 | (code & 63),
      );
    }
  }
  return bytes;
}

export function fromUtf8(bytes: ArrayLike<number>): string {
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at]!;
    const more = first < 0x80 ? 0 : first >> 5 === 6 ? 1 : first >> 4 === 14 ? 2 : first >> 3 === 30 ? 3 : -1;
    let code = more <= 0 ? first : first & (0x3f >> more);
    let valid = more >= 0 && at + more < bytes.length + (more === 0 ? 1 : 0);
    for (let next = 1; valid && next <= more; next++) {
      const byte = bytes[at + next];
      if (byte === undefined || byte >> 6 !== 2) valid = false;
      else code = (code << 6) | (byte & 63);
    }
    text += valid ? String.fromCodePoint(code) : '\ufffd';
    at += valid ? more + 1 : 1;
  }
  return text;
}
