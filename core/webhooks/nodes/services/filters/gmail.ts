/** Messages of Gmail's API, as the node outputs them, and what a reply takes from the message that it answers. */
import { isObject } from '#core/base';
import { getPath, type JsonObject } from '#core/workflow-format';
import { commaList } from '../../shared/comma-list.ts';

/** The search text of the filters. */
export function gmailQuery(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  const { q, readStatus, receivedAfter, receivedBefore, sender } = value;
  const seconds = (date: unknown) => Math.floor(new Date(String(date)).getTime() / 1000);
  const parts = [
    q,
    readStatus && readStatus !== 'both' && `is:${readStatus}`,
    receivedAfter && `after:${seconds(receivedAfter)}`,
    receivedBefore && `before:${seconds(receivedBefore)}`,
    sender && `from:${sender}`,
  ];
  return parts.filter(Boolean).join(' ') || undefined;
}

/** The names of the files that the node attaches, as one text. */
export function properties(value: unknown): string | undefined {
  const list = Array.isArray(value) ? value.filter(isObject) : [];
  return list.flatMap(({ property }) => commaList(property)).join(',') || undefined;
}

interface Header {
  name: string;
  value: string;
}

function headersOf(message: unknown): Header[] {
  const headers = getPath(message, 'payload.headers');
  return Array.isArray(headers) ? (headers as Header[]) : [];
}

function header(message: unknown, name: string): string | undefined {
  return headersOf(message).find((candidate) => candidate.name.toLowerCase() === name)?.value;
}

/** The message with its most used headers, without its body. */
export function gmailSimple(message: unknown): unknown {
  if (!isObject(message)) return message;
  const { payload, labelIds, ...rest } = message;
  const shown = /^(From|To|Cc|Bcc|Subject)$/i;
  const headers = headersOf(message).filter(({ name }) => shown.test(name));
  return {
    ...rest,
    payload: { mimeType: getPath(payload, 'mimeType') },
    labels: Array.isArray(labelIds) ? labelIds.map((id) => ({ id, name: id })) : [],
    ...Object.fromEntries(headers.map(({ name, value }) => [name, value])),
  };
}

/** The message with its texts. */
export function gmailParsed(message: unknown): unknown {
  if (!isObject(message)) return message;
  const { payload, ...rest } = message;
  const headers = Object.fromEntries(
    headersOf(message).map(({ name, value }) => [name.toLowerCase(), `${name}: ${value}`]),
  );
  const date = header(message, 'date');
  const texts: Record<string, string> = {};
  collectTexts(payload, texts);
  return {
    ...rest,
    headers,
    html: texts['text/html'] ?? false,
    text: texts['text/plain'] ?? '',
    subject: header(message, 'subject') ?? '',
    ...(date !== undefined && !Number.isNaN(Date.parse(date)) && { date: new Date(date).toISOString() }),
    ...addressField('to', header(message, 'to')),
    ...addressField('from', header(message, 'from')),
    messageId: header(message, 'message-id'),
  };
}

/** Whether a found message was received: drafts and sent mails are found too. */
export function gmailReceived(value: unknown): boolean {
  const { labels, version, drafts } = isObject(value) ? value : {};
  const has = (label: string) => Array.isArray(labels) && labels.includes(label);
  const takesDrafts = drafts ?? Number(version) < 1.2;
  return !(has('DRAFT') && takesDrafts !== true) && !(has('SENT') && Number(version) >= 1.3);
}

/** The files of a message, each with the id of its content. */
export function gmailAttachments(message: unknown): JsonObject[] {
  const collect = (part: unknown): JsonObject[] => {
    if (!isObject(part)) return [];
    const attachmentId = getPath(part, 'body.attachmentId');
    const own =
      part.filename && attachmentId
        ? [{ fileName: part.filename, mimeType: part.mimeType, attachmentId }]
        : [];
    return [...own, ...(Array.isArray(part.parts) ? part.parts.flatMap(collect) : [])];
  };
  return collect(getPath(message, 'payload'));
}

/** The first text of each type, which may lie in parts of parts. */
function collectTexts(part: unknown, texts: Record<string, string>): void {
  if (!isObject(part)) return;
  const type = String(part.mimeType ?? '');
  const data = getPath(part, 'body.data');
  if (/^text\/(plain|html)$/.test(type) && typeof data === 'string' && !part.filename) {
    texts[type] ??= decode(data);
  }
  if (Array.isArray(part.parts)) for (const inner of part.parts) collectTexts(inner, texts);
}

function decode(data: string): string {
  const binary = atob(data.replace(/-/g, '+').replace(/_/g, '/'));
  return new TextDecoder().decode(Uint8Array.from(binary, (character) => character.charCodeAt(0)));
}

function addressField(name: string, text: string | undefined): JsonObject {
  if (text === undefined) return {};
  const value = text.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/).map((entry) => {
    const [, label, address] = /^\s*"?([^"<]*?)"?\s*<([^>]+)>\s*$/.exec(entry) ?? [];
    return { address: address ?? entry.trim(), name: label ?? '' };
  });
  return { [name]: { value, text } };
}

export function gmailReplyTo(message: unknown): string | undefined {
  return header(message, 'reply-to') ?? header(message, 'from');
}

export function gmailReplySubject(message: unknown): string {
  const subject = header(message, 'subject') ?? '';
  return /^re:/i.test(subject) ? subject : `Re: ${subject}`;
}

export function gmailMessageId(message: unknown): string | undefined {
  return header(message, 'message-id');
}

export function gmailReferences(message: unknown): string | undefined {
  return (
    [header(message, 'references'), header(message, 'message-id')].filter(Boolean).join(' ') || undefined
  );
}
