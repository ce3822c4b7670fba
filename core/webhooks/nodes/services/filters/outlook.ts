/** Messages of Outlook, as Microsoft Graph takes and gives them. */
import { isObject } from '#core/base';
import { getPath, type JsonObject } from '#core/workflow-format';
import { commaList } from '../../shared/comma-list.ts';
import { FileValue, toBase64 } from '../file-value.ts';

const RECIPIENTS = ['toRecipients', 'ccRecipients', 'bccRecipients', 'replyTo'];

/** A message of the node's fields. */
export function outlookMessage(value: unknown): JsonObject | undefined {
  if (!isObject(value)) return undefined;
  const {
    bodyContent,
    bodyContentType = 'html',
    internetMessageHeaders,
    from,
    recipients,
    ...fields
  } = value;
  const headers = getPath(internetMessageHeaders, 'headers');
  const lists = RECIPIENTS.filter((name) => fields[name] !== undefined);
  return {
    ...fields,
    ...(bodyContent !== undefined && { body: { content: bodyContent, contentType: bodyContentType } }),
    ...(headers !== undefined && { internetMessageHeaders: headers }),
    ...(from !== undefined && { from: recipient(String(from)) }),
    ...(recipients !== undefined && { toRecipients: commaList(recipients).map(recipient) }),
    ...Object.fromEntries(lists.map((name) => [name, commaList(fields[name]).map(recipient)])),
  };
}

function recipient(address: string): JsonObject {
  return { emailAddress: { address } };
}

export function outlookFiles(value: unknown): JsonObject[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value
    .filter((file) => file instanceof FileValue)
    .map(({ bytes, fileName, mimeType }) => ({
      '@odata.type': '#microsoft.graph.fileAttachment',
      name: fileName ?? 'file',
      contentType: mimeType,
      contentBytes: toBase64(bytes),
    }));
}

/** The files of a message that can be downloaded. */
export function outlookAttachments(value: unknown): JsonObject[] {
  return (Array.isArray(value) ? value : [])
    .filter((file) => getPath(file, 'id') !== undefined)
    .map(({ id, name, contentType }: JsonObject) => ({ id, fileName: name, mimeType: contentType }));
}

export function outlookSimple(message: unknown): unknown {
  if (!isObject(message)) return message;
  const { id, conversationId, subject, bodyPreview, categories, hasAttachments } = message;
  const to = Array.isArray(message.toRecipients) ? message.toRecipients : [];
  return {
    id,
    conversationId,
    subject,
    bodyPreview,
    from: getPath(message, 'from.emailAddress.address'),
    to: to.map((entry) => getPath(entry, 'emailAddress.address')),
    categories,
    hasAttachments,
  };
}

/** The condition of a search (OData). */
export function outlookFilter(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  const { custom, foldersToInclude, foldersToExclude, hasAttachments, readStatus, sender } = value;
  const quoted = (text: unknown) => `'${String(text).replace(/'/g, "''")}'`;
  const folders = (list: unknown, sign: string, word: string) => {
    const parts = commaList(list).map((id) => `parentFolderId ${sign} ${quoted(id)}`);
    return parts.length > 1 ? `(${parts.join(word)})` : parts[0];
  };
  const after = value.since ?? value.receivedAfter;
  const parts = [
    after && `receivedDateTime ge ${isoOf(after)}`,
    value.receivedBefore && `receivedDateTime le ${isoOf(value.receivedBefore)}`,
    folders(foldersToInclude, 'eq', ' or '),
    folders(foldersToExclude, 'ne', ' and '),
    hasAttachments !== undefined && `hasAttachments eq ${hasAttachments === true}`,
    readStatus && readStatus !== 'both' && `isRead eq ${readStatus === 'read'}`,
    sender &&
      `(from/emailAddress/address eq ${quoted(sender)} or from/emailAddress/name eq ${quoted(sender)})`,
    custom,
  ];
  return parts.filter(Boolean).join(' and ') || undefined;
}

function isoOf(value: unknown): string {
  const date = new Date(typeof value === 'number' ? value : String(value));
  return Number.isNaN(date.getTime()) ? String(value) : date.toISOString();
}

/** The fields of a chosen output. Undefined: all of them. */
export function outlookSelect(value: unknown): string | undefined {
  const { output, fields } = isObject(value) ? value : {};
  if (output === 'simple')
    return 'id,conversationId,subject,bodyPreview,from,toRecipients,categories,hasAttachments';
  const names = commaList(fields);
  return output === 'fields' && names.length > 0 ? ['id', ...names].join(',') : undefined;
}

/** A time as Graph takes it, in a zone. */
export function graphTime(value: unknown): JsonObject | undefined {
  const { time, zone = 'UTC' } = isObject(value) ? value : {};
  return time === undefined ? undefined : { dateTime: time, timeZone: zone };
}
