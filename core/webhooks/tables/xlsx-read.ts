/** The rows of a spreadsheet (Office Open XML). What it computes is taken as it was last computed. */
import { strFromU8, unzipSync } from 'fflate';
import { readXml, type XmlElement, XmlError } from '../xml/read-xml.ts';

export class SpreadsheetError extends Error {
  override name = 'SpreadsheetError';
}

/** Bytes that all parts together may have unpacked: small files can hold huge ones. */
const LARGEST = 200 * 1024 * 1024;

/** Throws `SpreadsheetError`. `sheetName`: undefined = the first sheet. */
export function readXlsx(bytes: Uint8Array, sheetName?: string): unknown[][] {
  const parts = unpack(bytes);
  const part = (path: string): XmlElement | undefined => {
    const found = parts[path];
    return found && parse(strFromU8(found), path);
  };
  const workbook = part('xl/workbook.xml');
  if (!workbook) throw new SpreadsheetError('The file is no XLSX spreadsheet: it has no workbook');
  const sheet = part(sheetPath(workbook, part('xl/_rels/workbook.xml.rels'), sheetName));
  if (!sheet) throw new SpreadsheetError('The sheet is missing in the file');
  const shared = all(part('xl/sharedStrings.xml'), 'si').map(textOf);
  const dates = dateStyles(part('xl/styles.xml'));
  const from1904 = attribute(first(workbook, 'workbookPr'), 'date1904');
  const epoch = from1904 === '1' || from1904 === 'true' ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30);
  const rows: unknown[][] = [];
  for (const row of all(first(sheet, 'sheetData'), 'row')) {
    const cells: unknown[] = [];
    for (const cell of all(row, 'c')) {
      const at = columnOf(attribute(cell, 'r')) ?? cells.length;
      cells[at] = cellValue(cell, shared, dates, epoch);
    }
    rows[rowOf(attribute(row, 'r')) ?? rows.length] = cells;
  }
  return Array.from(rows, (row) => Array.from(row ?? []));
}

function unpack(bytes: Uint8Array): Record<string, Uint8Array> {
  let size = 0;
  try {
    return unzipSync(bytes, {
      filter({ name, originalSize }) {
        if (!/^xl\/(workbook\.xml|_rels\/|worksheets\/|sharedStrings|styles)/.test(name)) return false;
        size += originalSize;
        if (size > LARGEST) throw new SpreadsheetError('The spreadsheet is too large');
        return true;
      },
    });
  } catch (error) {
    if (error instanceof SpreadsheetError) throw error;
    throw new SpreadsheetError(`The file is no XLSX spreadsheet: ${(error as Error).message}`);
  }
}

function parse(text: string, path: string): XmlElement {
  try {
    return readXml(text);
  } catch (error) {
    if (error instanceof XmlError) throw new SpreadsheetError(`${path}: ${error.message}`);
    throw error;
  }
}

function sheetPath(
  workbook: XmlElement,
  relations: XmlElement | undefined,
  name: string | undefined,
): string {
  const sheets = all(first(workbook, 'sheets'), 'sheet');
  const sheet = name === undefined ? sheets[0] : sheets.find((one) => attribute(one, 'name') === name);
  if (!sheet)
    throw new SpreadsheetError(
      name === undefined ? 'The file has no sheet' : `The file has no sheet "${name}"`,
    );
  const id = sheet.attributes.find(([key]) => /^(\w+:)?id$/.test(key))?.[1];
  const target = all(relations, 'Relationship').find((one) => attribute(one, 'Id') === id);
  const path = attribute(target, 'Target') ?? 'worksheets/sheet1.xml';
  return path.startsWith('/') ? path.slice(1) : `xl/${path}`;
}

function cellValue(cell: XmlElement, shared: string[], dates: Set<number>, epoch: number): unknown {
  const type = attribute(cell, 't');
  if (type === 'inlineStr') return textOf(first(cell, 'is'));
  const held = first(cell, 'v');
  if (!held) return undefined;
  const text = textOf(held);
  switch (type) {
    case 's':
      return shared[Number(text)] ?? '';
    case 'b':
      return text === '1';
    case 'str':
    case 'e':
    case 'd':
      return text;
    default: {
      const number = Number(text);
      if (!dates.has(Number(attribute(cell, 's') ?? 0))) return Number.isFinite(number) ? number : text;
      return new Date(Math.round(epoch + number * 86_400_000)).toISOString();
    }
  }
}

/** Numbers of the cell formats that show days or times. */
function dateStyles(styles: XmlElement | undefined): Set<number> {
  const own = new Map(
    all(first(styles, 'numFmts'), 'numFmt').map((one) => [
      attribute(one, 'numFmtId'),
      attribute(one, 'formatCode') ?? '',
    ]),
  );
  const found = new Set<number>();
  for (const [index, format] of all(first(styles, 'cellXfs'), 'xf').entries()) {
    const id = attribute(format, 'numFmtId') ?? '0';
    const code = own.get(id)?.replace(/"[^"]*"|\[[^\]]*\]|\\./g, '');
    const number = Number(id);
    const builtIn = (number >= 14 && number <= 22) || (number >= 45 && number <= 47);
    if (code === undefined ? builtIn : /[ymdhs]/i.test(code)) found.add(index);
  }
  return found;
}

function columnOf(place: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(place ?? '')?.[0];
  if (!letters) return undefined;
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

function rowOf(number: string | undefined): number | undefined {
  return /^\d{1,7}$/.test(number ?? '') ? Math.max(0, Number(number) - 1) : undefined;
}

/** Prefixes of names make no difference. */
function all(parent: XmlElement | undefined, name: string): XmlElement[] {
  return (parent?.children ?? []).filter(
    (child): child is XmlElement => typeof child !== 'string' && child.name.replace(/^.*:/, '') === name,
  );
}

function first(parent: XmlElement | undefined, name: string): XmlElement | undefined {
  return all(parent, name)[0];
}

function attribute(element: XmlElement | undefined, name: string): string | undefined {
  return element?.attributes.find(([key]) => key === name)?.[1];
}

/** All text inside, without what says how to pronounce it. */
function textOf(element: XmlElement | undefined): string {
  if (!element) return '';
  return element.children
    .map((child) => (typeof child === 'string' ? child : child.name.endsWith('rPh') ? '' : textOf(child)))
    .join('');
}
