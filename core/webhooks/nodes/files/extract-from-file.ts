/** Reads files: the rows of a table become items, other content becomes a field. */

import { encodeBase64 } from '#core/http';
import { type Item, type JsonObject, setPath } from '#core/workflow-format';
import { decodeText, EncodingError } from '../../binary-data/text-encoding.ts';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { perItem } from '../../node-api/per-item.ts';
import { readCalendar } from '../../tables/calendar.ts';
import { CsvError, readCsv } from '../../tables/csv.ts';
import { readHtml } from '../../tables/html.ts';
import { PdfError, readPdf } from '../../tables/pdf.ts';
import { readSpreadsheet, SpreadsheetError, type SpreadsheetKind } from '../../tables/spreadsheet.ts';
import { toItems } from '../../tables/table.ts';
import { extractParameters } from './extract-from-file/parameters.ts';

export const extractFromFile: NodeType = {
  name: 'n8n-nodes-base.extractFromFile',
  label: 'Extract from File',
  description: 'Reads the content of a file.',
  group: 'data',
  versions: [1, 1.1],
  inputs: 1,
  outputs: ['main'],
  parameters: extractParameters,
  execute: (context) =>
    perItem(context, async (item, index) => {
      try {
        return await extract(context, item, index);
      } catch (error) {
        if (![CsvError, EncodingError, PdfError, SpreadsheetError].some((kind) => error instanceof kind))
          throw error;
        throw new NodeError((error as Error).message, { itemIndex: index, cause: error });
      }
    }),
};

async function extract(context: NodeContext, item: Item, index: number): Promise<Item | Item[]> {
  const operation = context.literal<string>('operation');
  const property = String(await context.parameter('binaryPropertyName', index));
  const options = await context.parameter<JsonObject>('options', index, {});
  const bytes = await context.binary.bytes(context.binary.require(item, property, index));
  const rows = await rowsOf(operation, bytes, options);
  if (rows) {
    const reading = {
      headerRow: options.headerRow !== false,
      includeEmptyCells: options.includeEmptyCells === true,
    };
    return toItems(rows, reading).map((json) => ({ json }));
  }
  const json = /^(json|both)$/.test(String(options.keepSource ?? '')) ? structuredClone(item.json) : {};
  if (operation === 'pdf') Object.assign(json, await readPdf(bytes, pdfReading(options), context.signal));
  else {
    const value = contentOf(operation, bytes, options, index);
    setPath(json, String(await context.parameter('destinationKey', index)), value);
  }
  const { [property]: source, ...binary } = item.binary ?? {};
  if (source && /^(binary|both)$/.test(String(options.keepSource ?? ''))) binary[property] = source;
  return { json, binary };
}

/** The rows of a table, or undefined for other kinds of files. */
async function rowsOf(
  operation: string,
  bytes: Uint8Array<ArrayBuffer>,
  options: JsonObject,
): Promise<unknown[][] | undefined> {
  switch (operation) {
    case 'csv': {
      const maxRows = Number(options.maxRowCount ?? -1);
      const headerRows = options.headerRow === false ? 0 : 1;
      return readCsv(decodeText(bytes, String(options.encoding ?? 'utf8'), options.enableBOM !== true), {
        delimiter: String(options.delimiter ?? ',') || ',',
        ...(maxRows > 0 && { rows: maxRows + headerRows }),
        skip: Math.max(0, Number(options.fromLine ?? 0) - 1),
        lenient: options.skipRecordsWithErrors === true || typeof options.skipRecordsWithErrors === 'object',
      });
    }
    case 'html':
      return readHtml(decodeText(bytes));
    case 'xlsx':
    case 'xls':
    case 'ods':
    case 'rtf':
      return readSpreadsheet(
        bytes,
        operation satisfies SpreadsheetKind,
        String(options.sheetName ?? '') || undefined,
      );
    default:
      return undefined;
  }
}

function pdfReading({ password, maxPages, joinPages }: JsonObject): Parameters<typeof readPdf>[1] {
  return {
    ...(typeof password === 'string' && password !== '' && { password }),
    ...(Number(maxPages) > 0 && { pages: Number(maxPages) }),
    joined: joinPages !== false,
  };
}

function contentOf(
  operation: string,
  bytes: Uint8Array<ArrayBuffer>,
  options: JsonObject,
  index: number,
): unknown {
  if (operation === 'binaryToPropery') return encodeBase64(bytes);
  const text = decodeText(bytes, String(options.encoding ?? 'utf8'), options.stripBOM === false);
  switch (operation) {
    case 'text':
    case 'xml':
      return text;
    case 'fromIcs':
      return readCalendar(text);
    case 'fromJson':
      try {
        return JSON.parse(text.trim() === '' ? '{}' : text);
      } catch (cause) {
        throw new NodeError(`The file is not JSON: ${(cause as Error).message}`, { itemIndex: index, cause });
      }
    default:
      throw new NodeError(`The operation "${operation}" is not available here`, {
        description: 'CSV, HTML, XLSX, XLS, ODS, RTF, PDF, JSON, calendar files, text, XML and base64 are.',
        itemIndex: index,
      });
  }
}
