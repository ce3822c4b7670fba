/** Values of Google Drive, Calendar and Docs. */
import { isObject } from '#core/base';
import { getPath, type JsonObject } from '#core/workflow-format';
import { NodeError } from '../../../node-api/node-error.ts';
import { commaList } from '../../shared/comma-list.ts';

/** The formats in which documents of Google leave the drive. */
const EXPORTS: Record<string, string> = {
  'application/vnd.google-apps.document':
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/vnd.google-apps.spreadsheet': 'text/csv',
  'application/vnd.google-apps.presentation': 'application/pdf',
  'application/vnd.google-apps.drawing': 'image/png',
};

/** The end of the address at which a file of this type is downloaded. */
export function driveDownload(mimeType: unknown): string {
  const format = EXPORTS[String(mimeType)];
  return format === undefined ? '?alt=media' : `/export?mimeType=${encodeURIComponent(format)}`;
}

/** The formats of older versions of the Drive node. */
const OLD_EXPORTS: Record<string, string> = {
  document: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  presentation: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  spreadsheet: 'application/x-vnd.oasis.opendocument.spreadsheet',
};

/** As `driveDownload`, for older versions. */
export function driveDownloadOld(mimeType: unknown): string {
  const kind = /^application\/vnd\.google-apps\.(\w+)/.exec(String(mimeType))?.[1];
  if (kind === undefined) return '?alt=media';
  return `/export?mimeType=${encodeURIComponent(OLD_EXPORTS[kind] ?? 'image/jpeg')}`;
}

/** The fields of listed files, in older versions. */
export const driveOldFields = (value: unknown) => {
  const names = commaList(value);
  return names.includes('*') ? '*' : names.join(', ');
};

/** The search of older versions. @param value `{ name: [{ operation, value }], mimeType: [{ mimeType }] }` */
export function driveFilters(value: unknown): string | undefined {
  const { name, mimeType } = isObject(value) ? value : {};
  const list = (entries: unknown) => (Array.isArray(entries) ? entries.filter(isObject) : []);
  const quoted = (part: unknown) => `'${String(part).replace(/\\/g, '\\\\').replace(/'/g, "\\'")}'`;
  const signs: Record<string, string> = { is: '=', isNot: '!=' };
  const names = list(name).map(
    ({ operation = 'contains', value: part = '' }) =>
      `name ${signs[String(operation)] ?? operation} ${quoted(part)}`,
  );
  const types = list(mimeType).map(
    ({ mimeType: type = 'application/vnd.google-apps.file', customMimeType }) =>
      `mimeType = ${quoted(type === 'custom' ? customMimeType : type)}`,
  );
  return [names.join(' or '), types.join(' or ')].filter((part) => part !== '').join(' and ') || undefined;
}

/** The search of Drive, from a part of the name or as it is. */
export function driveQuery(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  const { method, text, filter } = value;
  const { folderId, whatToSearch, includeTrashed, fileTypes } = isObject(filter) ? filter : {};
  const quoted = (part: unknown) => `'${String(part).replace(/\\/g, '\\\\').replace(/'/g, "\\'")}'`;
  const folder = 'application/vnd.google-apps.folder';
  const types = Array.isArray(fileTypes) ? fileTypes.filter((type) => type !== '*') : [];
  const parts = [
    text && (method === 'query' ? String(text) : `name contains ${quoted(text)}`),
    folderId && `${quoted(folderId)} in parents`,
    whatToSearch === 'folders' && `mimeType = '${folder}'`,
    whatToSearch === 'files' && `mimeType != '${folder}'`,
    types.length > 0 && `(${types.map((type) => `mimeType = ${quoted(type)}`).join(' or ')})`,
    includeTrashed !== true && method !== 'query' && 'trashed = false',
  ];
  return parts.filter(Boolean).join(' and ') || undefined;
}

/** The answer's fields of a search. */
export function driveFields(value: unknown): string {
  const fields = getPath(value, 'fields');
  const names = Array.isArray(fields) && fields.length > 0 ? fields : ['id', 'name'];
  return `nextPageToken, files(${names.includes('*') ? '*' : names.join(', ')})`;
}

export function driveFolder(value: unknown): string | undefined {
  return value === 'default' ? undefined : String(value);
}

/** `{ time, allday }` as the start or end of an event. */
export function calendarTime(value: unknown): JsonObject | undefined {
  if (!isObject(value) || value.time === undefined) return undefined;
  const text = String(value.time);
  return value.allday === 'yes' ? { date: text.slice(0, 10) } : { dateTime: text };
}

export function emails(value: unknown): unknown {
  const list = Array.isArray(value) ? value : [value];
  return list.flatMap((entry) => commaList(entry)).map((email) => ({ email }));
}

export function rrule(value: unknown): string[] {
  return [`RRULE:${String(value).replace(/^RRULE:/, '')}`];
}

/** A rule as it is, or one made of how often the event repeats, and until when. */
export function calendarRepeat(value: unknown): string[] | undefined {
  if (!isObject(value)) return undefined;
  const { rrule: rule, repeatFrecuency, repeatHowManyTimes, repeatUntil } = value;
  if (rule) return rrule(rule);
  if (repeatHowManyTimes && repeatUntil) {
    throw new NodeError("You can set either 'Repeat How Many Times' or 'Repeat Until' but not both");
  }
  const parts = [
    repeatFrecuency && `FREQ=${String(repeatFrecuency).toUpperCase()}`,
    repeatHowManyTimes && `COUNT=${Number(repeatHowManyTimes)}`,
    repeatUntil && `UNTIL=${compactTime(repeatUntil)}`,
  ].filter(Boolean);
  return parts.length === 0 ? undefined : [`RRULE:${parts.join(';')}`];
}

/** `20261129T120000Z` @throws NodeError for a date that is none */
function compactTime(value: unknown): string {
  const date = new Date(String(value));
  if (Number.isNaN(date.getTime())) throw new NodeError(`"${String(value)}" is no date`);
  return date.toISOString().replace(/[-:]|\.\d+/g, '');
}

/** The requests that replace texts in slides. */
export const slidesReplacements = (value: unknown) =>
  (Array.isArray(value) ? value.filter(isObject) : []).map(
    ({ text, replaceText = '', matchCase = false, pageObjectIds = [] }) => ({
      replaceAllText: {
        replaceText,
        pageObjectIds: commaList(pageObjectIds),
        containsText: { text, matchCase },
      },
    }),
  );

/** The busy times of a calendar, in the format of the node. */
export function calendarBusy(value: unknown): unknown {
  const calendars = getPath(value, 'answer.calendars');
  const [first] = isObject(calendars) ? Object.values(calendars) : [];
  const format = getPath(value, 'format') ?? 'availability';
  if (format === 'raw') return getPath(value, 'answer');
  const busy = isObject(first) && Array.isArray(first.busy) ? first.busy : [];
  return format === 'availability' ? { available: busy.length === 0 } : { busy };
}

/** The text of a document. */
export function docsText(value: unknown): JsonObject {
  const content = getPath(value, 'body.content');
  const paragraphs = Array.isArray(content) ? content : [];
  const text = paragraphs.flatMap((element) => {
    const runs = getPath(element, 'paragraph.elements');
    return Array.isArray(runs) ? runs.map((run) => String(getPath(run, 'textRun.content') ?? '')) : [];
  });
  return { documentId: getPath(value, 'documentId'), content: text.join('') };
}

/** The changes of a document: inserted and replaced text, page breaks. */
export function docsRequests(value: unknown): unknown[] {
  const list = Array.isArray(value) ? value.filter(isObject) : [];
  return list.map((entry) => {
    const { object = 'text', action = 'insert' } = entry;
    if (object === 'text' && action === 'insert')
      return { insertText: { text: entry.text, ...location(entry) } };
    if (object === 'text' && action === 'replaceAll') {
      const containsText = { text: entry.text, matchCase: entry.matchCase === true };
      return { replaceAllText: { replaceText: entry.replaceText ?? '', containsText } };
    }
    if (object === 'pageBreak' && action === 'insert') return { insertPageBreak: location(entry) };
    throw new NodeError(
      `Google Docs: the action "${String(action)}" of "${String(object)}" is not there yet`,
    );
  });
}

function location({
  locationChoice = 'endOfSegmentLocation',
  index,
  insertSegment,
  segmentId,
}: JsonObject): JsonObject {
  const segment = insertSegment && insertSegment !== 'body' ? { segmentId: segmentId ?? '' } : {};
  return locationChoice === 'location'
    ? { location: { ...segment, index: Math.max(1, Number(index)) } }
    : { endOfSegmentLocation: segment };
}

export function docsWriteControl(value: unknown): JsonObject | undefined {
  return isObject(value) && value.control ? { [String(value.control)]: value.value } : undefined;
}

/** The first reply to the changes, with the document's id. */
export function docsReply(value: unknown): JsonObject {
  const first = getPath(value, 'answer.replies.0');
  const reply = isObject(first) ? Object.values(first)[0] : undefined;
  return { ...(isObject(reply) && reply), documentId: getPath(value, 'id') };
}

/** The search of a trigger for the changes of a folder. `event`: `fileCreated`, `folderUpdated` … */
export function driveWatchQuery(value: unknown): string {
  const { folder, event, fileType, since } = isObject(value) ? value : {};
  const quoted = (part: unknown) => `'${String(part).replace(/\\/g, '\\\\').replace(/'/g, "\\'")}'`;
  const folderType = "'application/vnd.google-apps.folder'";
  const type = String(event).startsWith('folder')
    ? `mimeType = ${folderType}`
    : fileType && fileType !== 'all'
      ? `mimeType = ${quoted(fileType)}`
      : `mimeType != ${folderType}`;
  const time = String(event).endsWith('Created') ? 'createdTime' : 'modifiedTime';
  const parts = [
    'trashed = false',
    `${quoted(folder)} in parents`,
    type,
    since && `${time} > ${quoted(since)}`,
  ];
  return parts.filter(Boolean).join(' and ');
}

/** Whether an event was changed after it was created. Both times differ by parts of a second at first. */
export function calendarIsChanged(value: unknown): boolean {
  const { created, updated } = isObject(value) ? value : {};
  return Math.abs(Date.parse(String(updated)) - Date.parse(String(created))) >= 1000;
}
