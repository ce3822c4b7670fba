/** Requests of one sheet of Google Sheets. */
import { isObject } from '#core/base';
import { getPath, type JsonObject } from '#core/workflow-format';
import { NodeError } from '../../../node-api/node-error.ts';
import type { RequestDescription } from '../../network/http-request/describe-request.ts';
import { filters } from '../filters.ts';
import { sendTo } from '../send-template.ts';
import type { ServiceCall } from '../service-call.ts';

export type SheetsCall = Omit<ServiceCall, 'index' | 'item'>;
export type Cell = string | number | boolean | null;

interface Sheet {
  title: string;
  sheetId: number;
}

export const SHEETS_ADDRESS = 'https://sheets.googleapis.com/v4/spreadsheets';

/** A sheet that a node is set to, for one item. */
export class SheetClient {
  private constructor(
    private readonly call: SheetsCall,
    private readonly index: number,
    private readonly document: string,
    readonly sheet: Sheet,
  ) {}

  /** @throws NodeError if the document has no such sheet */
  static async open(call: SheetsCall, index: number): Promise<SheetClient> {
    const { context } = call;
    const document = String(filters.googleId!(plain(await context.parameter('documentId', index)), {}));
    const chosen = await context.parameter<unknown>('sheetName', index);
    const mode = isObject(chosen) ? chosen.mode : 'id';
    const name = String(plain(chosen) ?? '');
    const { body } = await sendToSheets(call, index, {
      url: `${SHEETS_ADDRESS}/${encodeURIComponent(document)}`,
      query: { fields: 'sheets.properties' },
    });
    const listed = getPath(body, 'sheets');
    const sheets = (Array.isArray(listed) ? listed : []).map(
      (entry) => getPath(entry, 'properties') as Sheet,
    );
    const id = /(?:gid=|^)(\d+)$/.exec(name)?.[1];
    const byId =
      mode === 'name' || id === undefined ? undefined : sheets.find(({ sheetId }) => String(sheetId) === id);
    const sheet = byId ?? sheets.find(({ title }) => title === name);
    if (!sheet)
      throw new NodeError(`Sheet with ${mode === 'name' ? 'name' : 'ID'} ${name} not found`, {
        itemIndex: index,
      });
    return new SheetClient(call, index, document, sheet);
  }

  /** Identifies the document and the sheet. */
  get id(): string {
    return `${this.document} ${this.sheet.sheetId}`;
  }

  /** @param cells `A1:B2`; empty for the whole sheet */
  range(cells: string): string {
    const title = `'${this.sheet.title.replace(/'/g, "''")}'`;
    return cells === '' ? title : `${title}!${cells}`;
  }

  async values(cells: string, options: JsonObject): Promise<Cell[][]> {
    const { body } = await this.#send({
      url: this.#url(`/values/${encodeURIComponent(this.range(cells))}`),
      query: options,
    });
    const values = getPath(body, 'values');
    return Array.isArray(values) ? (values as Cell[][]) : [];
  }

  /** Writes rows below those that are there. */
  async append(headerRow: number, rows: Cell[][], valueInputOption: string): Promise<void> {
    await this.#send({
      method: 'POST',
      url: this.#url(`/values/${encodeURIComponent(this.range(`A${headerRow}:A`))}:append`),
      query: { valueInputOption, insertDataOption: 'INSERT_ROWS' },
      body: { kind: 'json', value: { values: rows } },
    });
  }

  async write(data: { cells: string; values: Cell[][] }[], valueInputOption: string): Promise<void> {
    const ranges = data.map(({ cells, values }) => ({ range: this.range(cells), values }));
    await this.#send({
      method: 'POST',
      url: this.#url('/values:batchUpdate'),
      body: { kind: 'json', value: { valueInputOption, data: ranges } },
    });
  }

  async clear(cells: string): Promise<void> {
    await this.#send({
      method: 'POST',
      url: this.#url(`/values/${encodeURIComponent(this.range(cells))}:clear`),
      body: { kind: 'json', value: {} },
    });
  }

  /** A change of the sheet itself. */
  async change(request: JsonObject): Promise<void> {
    await this.#send({
      method: 'POST',
      url: this.#url(':batchUpdate'),
      body: { kind: 'json', value: { requests: [request] } },
    });
  }

  #url(path: string): string {
    return `${SHEETS_ADDRESS}/${encodeURIComponent(this.document)}${path}`;
  }

  #send(request: Partial<RequestDescription> & { url: string }) {
    return sendToSheets(this.call, this.index, request);
  }
}

/** Sends a request as the node's credential allows. */
export function sendToSheets(
  call: SheetsCall,
  index: number,
  request: Partial<RequestDescription> & { url: string },
) {
  const item = call.context.items()[index] ?? { json: {} };
  const description = {
    method: 'GET',
    query: {},
    headers: {},
    body: { kind: 'none' },
    arrays: 'repeat',
    ...request,
  };
  return sendTo({ ...call, index, item }, description as RequestDescription);
}

function plain(value: unknown): unknown {
  return isObject(value) && value.__rl === true ? value.value : value;
}

/** 0 -> `A`, 26 -> `AA` */
export function columnName(index: number): string {
  const rest = Math.floor(index / 26) - 1;
  return (rest < 0 ? '' : columnName(rest)) + String.fromCharCode(65 + (index % 26));
}

/** `A` -> 0 */
export function columnIndex(name: string): number {
  return [...name.toUpperCase()].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}
