/** The nodes that n8n replaced by Convert to File and Extract from File. */
import { decodeBase64, encodeBase64 } from '#core/http';
import { type Binary, getPath, type Item, type JsonObject, setPath } from '#core/workflow-format';
import { decodeText, encodeText } from '../../binary-data/text-encoding.ts';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { perItem } from '../../node-api/per-item.ts';
import { PdfError, readPdf } from '../../tables/pdf.ts';
import { choice, flag, options, text } from '../shared/parameters.ts';
import { calendarFile } from './convert-to-file/calendar-event.ts';
import { convertParameters } from './convert-to-file/parameters.ts';
import { convertToFile } from './convert-to-file.ts';
import { extractFromFile } from './extract-from-file.ts';

const shared = { group: 'data', inputs: 1 } as const;

export const moveBinaryData: NodeType = {
  ...shared,
  name: 'n8n-nodes-base.moveBinaryData',
  label: 'Convert to/from binary data',
  description:
    'Moves data between JSON and files. Newer workflows use Convert to File and Extract from File.',
  versions: [1, 1.1],
  outputs: ['main'],
  parameters: [
    choice('mode', 'Mode', 'binaryToJson', {
      literal: true,
      options: { binaryToJson: 'Binary to JSON', jsonToBinary: 'JSON to Binary' },
    }),
    flag('setAllData', 'Set All Data', { default: true, show: { mode: ['binaryToJson'] } }),
    text('sourceKey', 'Source Key', { default: 'data', required: true, show: { mode: ['binaryToJson'] } }),
    text('destinationKey', 'Destination Key', {
      default: 'data',
      show: { mode: ['binaryToJson'], setAllData: [false] },
    }),
    flag('convertAllData', 'Convert All Data', { default: true, show: { mode: ['jsonToBinary'] } }),
    text('sourceKey', 'Source Key', {
      default: 'data',
      show: { mode: ['jsonToBinary'], convertAllData: [false] },
    }),
    text('destinationKey', 'Destination Key', { default: 'data', show: { mode: ['jsonToBinary'] } }),
    options({
      fields: [
        flag('addBOM', 'Add Byte Order Mark (BOM)'),
        flag('dataIsBase64', 'Data Is Base64'),
        text('encoding', 'Encoding', { default: 'utf8' }),
        text('fileName', 'File Name'),
        flag('jsonParse', 'JSON Parse'),
        flag('keepAsBase64', 'Keep As Base64'),
        flag('keepSource', 'Keep Source'),
        text('mimeType', 'MIME Type', { default: 'application/json' }),
        flag('stripBOM', 'Strip BOM', { default: true }),
        flag('useRawData', 'Use Raw Data'),
      ],
    }),
  ],
  execute: (context) =>
    perItem(context, (item, index) =>
      context.literal('mode') === 'jsonToBinary'
        ? jsonToBinary(context, item, index)
        : binaryToJson(context, item, index),
    ),
};

async function binaryToJson(context: NodeContext, item: Item, index: number): Promise<Item | undefined> {
  const sourceKey = String(await context.parameter('sourceKey', index));
  const chosen = (await context.parameter<JsonObject>('options', index, {})) ?? {};
  const source = getPath(item.binary ?? {}, sourceKey) as Binary | undefined;
  // An item without the file is left out, as in the real system.
  if (!source) return undefined;
  const bytes = await context.binary.bytes(source);
  const isAll = (await context.parameter('setAllData', index)) !== false;
  const text = () => decodeText(bytes, String(chosen.encoding ?? 'utf8'), chosen.stripBOM === false);
  const { [sourceKey]: _moved, ...others } = item.binary ?? {};
  const binary = chosen.keepSource === true ? item.binary! : others;
  const files = Object.keys(binary).length > 0 ? { binary } : {};
  if (isAll) return { json: parseJson(text(), index), ...files };
  const value =
    chosen.keepAsBase64 === true
      ? encodeBase64(bytes)
      : chosen.jsonParse === true
        ? parseJson(text(), index)
        : text();
  const json = structuredClone(item.json);
  setPath(json, String(await context.parameter('destinationKey', index)), value);
  return { json, ...files };
}

function parseJson(text: string, itemIndex: number): JsonObject {
  try {
    return JSON.parse(text) as JsonObject;
  } catch (cause) {
    throw new NodeError(`The file is not JSON: ${(cause as Error).message}`, { itemIndex, cause });
  }
}

async function jsonToBinary(context: NodeContext, item: Item, index: number): Promise<Item> {
  const chosen = (await context.parameter<JsonObject>('options', index, {})) ?? {};
  const isAll = (await context.parameter('convertAllData', index)) !== false;
  const sourceKey = String(await context.parameter('sourceKey', index));
  const value = isAll ? item.json : getPath(item.json, sourceKey);
  if (value === undefined) return item;
  const plain = (isAll || chosen.useRawData !== true) && typeof value !== 'string';
  const text = plain || typeof value === 'object' ? JSON.stringify(value) : String(value);
  const isBase64 = !isAll && chosen.dataIsBase64 === true;
  const bytes = isBase64
    ? decodeBase64(text)
    : encodeText(text, String(chosen.encoding ?? 'utf8'), chosen.addBOM === true);
  const mimeType = String(chosen.mimeType || 'application/json');
  const file = await context.binary.prepare(bytes, {
    mimeType,
    ...(chosen.fileName !== undefined && chosen.fileName !== '' && { fileName: String(chosen.fileName) }),
  });
  const json = structuredClone(item.json);
  if (!isAll && chosen.keepSource !== true) delete json[sourceKey];
  const destination = String((await context.parameter('destinationKey', index)) || 'data');
  return {
    json: isAll && chosen.keepSource !== true ? {} : json,
    binary: { ...item.binary, [destination]: file },
  };
}

const FORMATS = ['csv', 'html', 'ods', 'rtf', 'xls', 'xlsx'];

export const spreadsheetFile: NodeType = {
  ...shared,
  name: 'n8n-nodes-base.spreadsheetFile',
  label: 'Spreadsheet File',
  description: 'Reads and writes tables. Newer workflows use Convert to File and Extract from File.',
  versions: [1, 2],
  outputs: ['main'],
  parameters: [
    choice('operation', 'Operation', 'fromFile', {
      literal: true,
      options: { fromFile: 'Read From File', toFile: 'Write to File' },
    }),
    text('binaryPropertyName', 'Input Binary Field', { default: 'data', required: true }),
    choice('fileFormat', 'File Format', 'autodetect', {
      literal: true,
      versions: { from: 2 },
      show: { operation: ['fromFile'] },
      options: ['autodetect', ...FORMATS],
    }),
    choice('fileFormat', 'File Format', 'xls', {
      literal: true,
      show: { operation: ['toFile'] },
      options: FORMATS,
    }),
    options({
      fields: [
        text('delimiter', 'Delimiter', { default: ',' }),
        text('encoding', 'Encoding', { default: 'utf8' }),
        text('fileName', 'File Name', { default: 'spreadsheet' }),
        flag('headerRow', 'Header Row', { default: true }),
        flag('includeEmptyCells', 'Include Empty Cells'),
        text('sheetName', 'Sheet Name'),
      ],
    }),
  ],
  execute(context) {
    if (context.literal('operation') === 'toFile') {
      const format = context.literal<string>('fileFormat', 'xls');
      return convertToFile.execute(withOperation(context, format, `spreadsheet.${format}`));
    }
    return extractFromFile.execute(withOperation(context, formatOf(context)));
  },
};

/** The format that the node names, or that of the first item's file. */
function formatOf(context: NodeContext): string {
  const chosen = context.literal<string>('fileFormat', 'autodetect');
  // Version 1 has no such parameter for reading.
  if (context.version >= 2 && FORMATS.includes(chosen)) return chosen;
  const property = context.literal<string>('binaryPropertyName', 'data');
  const { fileName = '', mimeType = '' } = context.items()[0]?.binary?.[property] ?? {};
  const extension = fileName.split('.').at(-1)?.toLowerCase() ?? '';
  if (FORMATS.includes(extension)) return extension;
  const byType: [RegExp, string][] = [
    [/csv|^text\/plain/, 'csv'],
    [/html/, 'html'],
    [/opendocument/, 'ods'],
    [/rtf/, 'rtf'],
    [/ms-excel/, 'xls'],
  ];
  return byType.find(([type]) => type.test(mimeType))?.[1] ?? 'xlsx';
}

/** The context as the newer node sees it, with its name for the operation. */
function withOperation(context: NodeContext, operation: string, fileName?: string): NodeContext {
  const parameter = (async (path: string, index: number, fallback?: unknown) => {
    const value = await context.parameter<unknown>(path, index, fallback);
    if (path !== 'options') return value;
    // A byte order mark is no part of the first heading.
    return { enableBOM: true, ...(fileName !== undefined && { fileName }), ...(value as JsonObject) };
  }) as NodeContext['parameter'];
  const literal = ((path: string, fallback?: unknown) =>
    path === 'operation' ? operation : context.literal(path, fallback)) as NodeContext['literal'];
  return Object.assign(Object.create(context) as NodeContext, { parameter, literal });
}

export const iCal: NodeType = {
  ...shared,
  name: 'n8n-nodes-base.iCal',
  label: 'iCalendar',
  description: 'Makes a calendar file. Newer workflows use Convert to File.',
  versions: [1],
  outputs: ['main'],
  parameters: [
    choice('operation', 'Operation', 'createEventFile', {
      literal: true,
      options: { createEventFile: 'Create Event File' },
    }),
    ...convertParameters
      .filter(({ name }) => /^(title|start|end|allDay|binaryPropertyName|additionalFields)$/.test(name))
      .map(({ show: _show, ...parameter }) => parameter),
  ],
  execute: (context) =>
    perItem(context, async (_item, index) => {
      const { bytes, fileName, mimeType } = await calendarFile(context, index);
      const file = await context.binary.prepare(bytes, { fileName, mimeType });
      return { json: {}, binary: { [String(await context.parameter('binaryPropertyName', index))]: file } };
    }),
};

export const readPdfNode: NodeType = {
  ...shared,
  name: 'n8n-nodes-base.readPDF',
  label: 'Read PDF',
  description: 'Reads the text of a PDF file. Newer workflows use Extract from File.',
  versions: [1],
  outputs: ['main'],
  parameters: [
    text('binaryPropertyName', 'Input Binary Field', { default: 'data', required: true }),
    flag('encrypted', 'Encrypted'),
    text('password', 'Password', { show: { encrypted: [true] } }),
  ],
  execute: (context) =>
    perItem(context, async (item, index) => {
      const property = String(await context.parameter('binaryPropertyName', index));
      const bytes = await context.binary.bytes(context.binary.require(item, property, index));
      const isLocked = (await context.parameter('encrypted', index)) === true;
      const password = isLocked ? String(await context.parameter('password', index, '')) : '';
      try {
        const json = await readPdf(
          bytes,
          { joined: true, ...(password !== '' && { password }) },
          context.signal,
        );
        return { json, ...(item.binary && { binary: item.binary }) };
      } catch (error) {
        if (!(error instanceof PdfError)) throw error;
        throw new NodeError(error.message, { itemIndex: index, cause: error });
      }
    }),
};
