/** Writes items to files: tables, JSON, text, calendar events, or the bytes of base64 text. */

import { jsonText } from '#core/base';
import { decodeBase64 } from '#core/http';
import { getPath, type Item, type JsonObject } from '#core/workflow-format';
import { EncodingError, encodeText } from '../../binary-data/text-encoding.ts';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { failedItem, perItem } from '../../node-api/per-item.ts';
import { writeCsv } from '../../tables/csv.ts';
import { writeHtml } from '../../tables/html.ts';
import { type SpreadsheetKind, writeSpreadsheet } from '../../tables/spreadsheet.ts';
import { toTable } from '../../tables/table.ts';
import { calendarFile } from './convert-to-file/calendar-event.ts';
import { convertParameters } from './convert-to-file/parameters.ts';

interface FileContent {
  bytes: Uint8Array;
  fileName: string;
  /** The MIME type. By default it follows from the file name. */
  mimeType?: string;
}

const SPREADSHEET_TYPES: Record<SpreadsheetKind, string> = {
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xls: 'application/vnd.ms-excel',
  ods: 'application/vnd.oasis.opendocument.spreadsheet',
  rtf: 'application/rtf',
};

export const convertToFile: NodeType = {
  name: 'n8n-nodes-base.convertToFile',
  label: 'Convert to File',
  description: 'Writes items to a file.',
  group: 'data',
  versions: [1, 1.1],
  inputs: 1,
  outputs: ['main'],
  parameters: convertParameters,
  async execute(context) {
    const operation = context.literal<string>('operation');
    const isJsonOfEach = operation === 'toJson' && (await context.parameter('mode', 0)) === 'each';
    if (isJsonOfEach || /^(toText|toBinary|iCal)$/.test(operation)) {
      return perItem(context, async (item, index) =>
        fileItem(context, await convertItem(context, operation, item, index), index),
      );
    }
    try {
      const item = await fileItem(context, await convertAllItems(context, operation), 0);
      return [[{ ...item, pairedItem: context.items().map((_item, index) => ({ item: index })) }]];
    } catch (error) {
      return [[failedItem(context, error, 0)]];
    }
  },
};

/** Stores a file and returns an item that has it. */
async function fileItem(
  context: NodeContext,
  { bytes, fileName, mimeType }: FileContent,
  index: number,
): Promise<Item> {
  const property = String(await context.parameter('binaryPropertyName', index));
  const file = await context.binary.prepare(bytes, { fileName, ...(mimeType && { mimeType }) });
  return { json: {}, binary: { [property]: file } };
}

async function convertAllItems(context: NodeContext, operation: string): Promise<FileContent> {
  const options = await context.parameter<JsonObject>('options', 0, {});
  const items = context.items().map(({ json }) => json);
  const nameOr = (defaultName: string) => String(options.fileName || defaultName);
  const headerRow = options.headerRow !== false;
  switch (operation) {
    case 'toJson':
      return {
        bytes: jsonBytes(items, options),
        fileName: nameOr('file.json'),
        mimeType: 'application/json',
      };
    case 'csv': {
      const text = writeCsv(toTable(items), String(options.delimiter ?? ',') || ',', headerRow);
      return { bytes: encodeText(text, 'utf8', true), fileName: nameOr('File.csv'), mimeType: 'text/csv' };
    }
    case 'html':
      return {
        bytes: encodeText(writeHtml(toTable(items), headerRow)),
        fileName: nameOr('File.html'),
        mimeType: 'text/html',
      };
    case 'xlsx':
    case 'xls':
    case 'ods':
    case 'rtf': {
      const sheetName = String(options.sheetName || 'Sheet');
      return {
        bytes: await writeSpreadsheet(toTable(items), operation, { headerRow, sheetName }),
        fileName: nameOr(`File.${operation}`),
        mimeType: SPREADSHEET_TYPES[operation],
      };
    }
    default:
      throw new NodeError(`The operation "${operation}" is not available here`, {
        description: 'CSV, HTML, XLSX, XLS, ODS, RTF, JSON, text, calendar events and base64 are.',
      });
  }
}

async function convertItem(
  context: NodeContext,
  operation: string,
  item: Item,
  index: number,
): Promise<FileContent> {
  if (operation === 'iCal') return calendarFile(context, index);
  const options = await context.parameter<JsonObject>('options', index, {});
  const nameOr = (defaultName: string) => String(options.fileName || defaultName);
  if (operation === 'toJson') {
    return {
      bytes: jsonBytes(item.json, options),
      fileName: nameOr('file.json'),
      mimeType: 'application/json',
    };
  }
  const property = String(await context.parameter('sourceProperty', index));
  const value = getPath(item.json, property);
  if (value === undefined) throw new NodeError(`The value in "${property}" is not set`, { itemIndex: index });
  const text = jsonText(value);
  const encoding = String(options.encoding ?? 'utf8');
  if (operation === 'toText') {
    return {
      bytes: textBytes(text, encoding, options.addBOM === true),
      fileName: nameOr('file.txt'),
      mimeType: 'text/plain',
    };
  }
  const mimeType = String(options.mimeType ?? '');
  return {
    bytes: options.dataIsBase64 === false ? textBytes(text, encoding, false) : base64Bytes(text, index),
    fileName: nameOr('file'),
    ...(mimeType !== '' && { mimeType }),
  };
}

function jsonBytes(value: unknown, { format, encoding, addBOM }: JsonObject): Uint8Array {
  const text = format === true ? JSON.stringify(value, null, 2) : JSON.stringify(value);
  return textBytes(text, String(encoding ?? 'utf8'), addBOM === true);
}

function textBytes(text: string, encoding: string, withBom: boolean): Uint8Array {
  try {
    return encodeText(text, encoding, withBom);
  } catch (error) {
    if (error instanceof EncodingError) throw new NodeError(error.message, { cause: error });
    throw error;
  }
}

/** Accepts base64 with white space, without padding, and as a `data:` URL. */
function base64Bytes(text: string, index: number): Uint8Array {
  try {
    const digits = text
      .replace(/^data:[^,]*,/, '')
      .replace(/\s+/g, '')
      .replace(/=+$/, '');
    return decodeBase64(digits.padEnd(Math.ceil(digits.length / 4) * 4, '='));
  } catch (cause) {
    throw new NodeError('The value is not base64', { itemIndex: index, cause });
  }
}
