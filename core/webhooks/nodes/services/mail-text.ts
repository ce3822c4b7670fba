/** Writes a mail as text (RFC 5322, RFC 2045). */
import type { JsonObject } from '#core/workflow-format';
import { type FileValue, toBase64 } from './file-value.ts';

const HEADERS: [field: string, header: string][] = [
  ['from', 'From'],
  ['to', 'To'],
  ['cc', 'Cc'],
  ['bcc', 'Bcc'],
  ['replyTo', 'Reply-To'],
  ['subject', 'Subject'],
  ['inReplyTo', 'In-Reply-To'],
  ['references', 'References'],
];

/** @param fields the headers by their names in `HEADERS`, and `text` or `html` */
export function mailText(fields: JsonObject, files: FileValue[]): string {
  const headers = HEADERS.filter(([field]) => fields[field] !== undefined).map(
    ([field, header]) => `${header}: ${encodeHeader(String(fields[field]))}`,
  );
  const type = fields.html === undefined ? 'text/plain' : 'text/html';
  const content = part(
    [`Content-Type: ${type}; charset=utf-8`],
    new TextEncoder().encode(String(fields.html ?? fields.text ?? '')),
  );
  const top = [...headers, 'MIME-Version: 1.0'].join('\r\n');
  if (files.length === 0) return `${top}\r\n${content}`;
  // The parts are base64, so a boundary with a hyphen cannot be in one.
  const boundary = 'part-of-this-mail';
  const parts = [content, ...files.map(filePart)].map((text) => `--${boundary}\r\n${text}`);
  return `${top}\r\nContent-Type: multipart/mixed; boundary="${boundary}"\r\n\r\n${parts.join('\r\n')}\r\n--${boundary}--\r\n`;
}

function filePart({ bytes, mimeType, fileName = 'file' }: FileValue): string {
  const name = encodeHeader(fileName.replace(/["\r\n]/g, '_'));
  return part(
    [
      `Content-Type: ${oneLine(mimeType)}; name="${name}"`,
      `Content-Disposition: attachment; filename="${name}"`,
    ],
    bytes,
  );
}

function part(headers: string[], bytes: Uint8Array): string {
  const lines = toBase64(bytes).match(/.{1,76}/g) ?? [];
  return `${[...headers, 'Content-Transfer-Encoding: base64'].join('\r\n')}\r\n\r\n${lines.join('\r\n')}`;
}

/** Words with letters beyond ASCII are encoded as a whole (RFC 2047). A value cannot begin another header. */
function encodeHeader(value: string): string {
  const line = oneLine(value);
  return line.replace(/\S*[^\x20-\x7e]\S*(?: +\S*[^\x20-\x7e]\S*)*/g, (text) => {
    // An encoded word has 75 characters at most.
    const chunks = [...text].reduce<string[]>((list, character) => {
      const last = list.at(-1);
      if (last !== undefined && new TextEncoder().encode(last + character).length <= 42)
        list[list.length - 1] += character;
      else list.push(character);
      return list;
    }, []);
    return chunks.map((chunk) => `=?utf-8?B?${toBase64(new TextEncoder().encode(chunk))}?=`).join(' ');
  });
}

function oneLine(value: string): string {
  return value.replace(/[\r\n]+/g, ' ');
}
