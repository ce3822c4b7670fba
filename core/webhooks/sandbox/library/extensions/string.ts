import { HASH_NAMES } from '../../hash-names.ts';
import { host } from '../host.ts';
import { DateTime } from '../luxon.ts';
import { ReportedError } from '../reported-error.ts';
import type { Extensions } from './table.ts';

const EMAIL =
  /[\w.!#$%&'*+/=?^`{|}~-]+@[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+/i;
const URL_TEXT = /(?:https?:\/\/|www\.)(?:[\w-]+\.)+[a-z]{2,}(?::\d+)?(?:[/?#][^\s"'<>]*)?/i;
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,}$/i;

export const stringExtensions: Extensions<string> = {
  hash(text, algorithm = 'md5') {
    const name = String(algorithm).toLowerCase();
    if (name === 'base64') return encodeBase64(text);
    if (!(HASH_NAMES as readonly string[]).includes(name)) {
      throw new ReportedError(
        `Unknown algorithm ${algorithm}. Available algorithms are: ${HASH_NAMES.join(', ')}, and Base64.`,
      );
    }
    return host.hash(name, text, 'hex');
  },
  base64Encode: encodeBase64,
  base64Decode: decodeBase64,
  urlEncode: (text, isWholeUrl?) => (isWholeUrl ? encodeURI(text) : encodeURIComponent(text)),
  urlDecode: (text, isWholeUrl?) => (isWholeUrl ? decodeURI(text) : decodeURIComponent(text)),
  quote(text, mark = '"') {
    const quotes = String(mark);
    return `${quotes}${text.replace(/\\/g, '\\\\').replaceAll(quotes, `\\${quotes}`)}${quotes}`;
  },
  removeTags: (text) => text.replace(/<[^>]*>?/gm, ''),
  removeMarkdown,
  replaceSpecialChars: (text) =>
    text
      .normalize('NFD')
      .replace(/[\u0300-\u036f]/g, '')
      .replace(/ß/g, 'ss'),
  toSentenceCase(text) {
    let isSentenceStart = true;
    return text.replace(/[\p{L}]|[.!?]/gu, (character) => {
      if (/[.!?]/.test(character)) {
        isSentenceStart = true;
        return character;
      }
      if (!isSentenceStart) return character.toLowerCase();
      isSentenceStart = false;
      return character.toUpperCase();
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
      throw new ReportedError(`Parsing failed: ${(error as Error).message}`);
    }
  },
  toBoolean: (text) => !['false', 'no', '0', '', 'off', 'f', 'n'].includes(text.trim().toLowerCase()),
  toNumber(text) {
    const number = Number(text.trim());
    if (Number.isNaN(number)) throw new ReportedError('cannot convert to number');
    return number;
  },
  toInt(text, radix = 10) {
    const number = Number.parseInt(text.replace(/,/g, ''), radix);
    if (Number.isNaN(number)) throw new ReportedError('cannot convert to integer');
    return number;
  },
  toFloat(text) {
    if (text.includes(',')) throw new ReportedError('cannot convert to float');
    const number = Number.parseFloat(text);
    if (Number.isNaN(number)) throw new ReportedError('cannot convert to float');
    return number;
  },
  toDate(text) {
    const date = new Date(text);
    if (Number.isNaN(date.getTime())) throw new ReportedError('cannot convert to date');
    return date;
  },
  toDateTime,
};

const DATE_FORMATS = [
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
    throw new ReportedError('cannot convert to Luxon DateTime');
  }
  for (const read of DATE_FORMATS) {
    const date = read(text);
    if (date.isValid) return date;
  }
  const millis = /\d/.test(text) ? new Date(text).getTime() : Number.NaN;
  if (!Number.isNaN(millis)) return DateTime.fromMillis(millis);
  throw new ReportedError('cannot convert to Luxon DateTime');
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

/** UTF-8 as base64. The thread computes it: it has the native encoders. */
function encodeBase64(text: string): string {
  return JSON.parse(host.decode(host.encode(JSON.stringify(text), 'utf8'), 'base64')) as string;
}

/** Reads either alphabet of base64, and skips padding wherever it is. */
function decodeBase64(text: string): string {
  const digits = JSON.stringify(text.replaceAll('=', ''));
  return JSON.parse(host.decode(host.encode(digits, 'base64'), 'utf8')) as string;
}
