/** Requests of one worksheet of Excel. */
import { isObject } from '#core/base';
import { getPath, type Item, type JsonObject } from '#core/workflow-format';
import { NodeError } from '../../../node-api/node-error.ts';
import { toHeaders } from '../../network/http-request/describe-request.ts';
import { objectList } from '../../shared/object-list.ts';
import { fillText } from '../fill.ts';
import { scopeOf } from '../scope.ts';
import { sendTo } from '../send-template.ts';
import type { ServiceCall } from '../service-call.ts';
import type { OperationHandler } from '../service-node.ts';

export type ExcelCall = Parameters<OperationHandler>[0];
export type Cell = unknown;

/** Columns and rows of a table are listed in pages. */
const PAGE = 100;
const MAX_PAGES = 10_000;

interface Request {
  body?: JsonObject;
  query?: JsonObject;
  headers?: Record<string, string>;
}

/** The worksheet, and perhaps the table, that a node is set to, for one item. */
export class ExcelClient {
  private constructor(
    private readonly call: ServiceCall,
    private readonly workbook: string,
    private readonly worksheet: string,
    private readonly table: string,
  ) {}

  static async open(shared: ExcelCall, index: number): Promise<ExcelClient> {
    const call = { ...shared, index, item: shared.context.items()[index]! };
    const scope = scopeOf(call, { credential: call.credential });
    const part = (path: string) => fillText(path, scope);
    const workbook = await part(`${call.service.baseUrl}/drive/items/{workbook}`);
    const worksheet = `${workbook}/workbook/worksheets/${await part('{worksheet}')}`;
    const hasTable = !call.hidden.has('table');
    return new ExcelClient(
      call,
      `${workbook}/workbook`,
      worksheet,
      hasTable ? `${worksheet}/tables/${await part('{table}')}` : '',
    );
  }

  /** A parameter of the node for the item. */
  get<T>(path: string, fallback: T): Promise<T> {
    const { context, index, hidden } = this.call;
    const isHidden = hidden.has(path.split('.', 1)[0]!);
    return isHidden ? Promise.resolve(fallback) : context.parameter<T>(path, index, fallback);
  }

  /** `{ address: 'Sheet1!A1:B3', values }` of the cells that are not empty. */
  used(query: JsonObject = {}): Promise<JsonObject> {
    return this.#send('GET', `${this.worksheet}/usedRange`, { query });
  }

  /** The cells of a range, as `used` answers. */
  range(cells: string, query: JsonObject = {}): Promise<JsonObject> {
    return this.#send('GET', this.#range(cells), { query });
  }

  /** Writes the values. @returns the range as it is then */
  write(cells: string, values: Cell[][], query: JsonObject = {}): Promise<JsonObject> {
    return this.#send('PATCH', this.#range(cells), { body: { values }, query });
  }

  /** Rows or columns of the table. @param limit undefined: all */
  async listed(kind: 'rows' | 'columns', query: JsonObject, limit?: number): Promise<JsonObject[]> {
    const address = `${this.table}/${kind}`;
    if (limit !== undefined) {
      return objectList((await this.#send('GET', address, { query: { ...query, $top: limit } })).value);
    }
    const found: JsonObject[] = [];
    for (let page = 0; page < MAX_PAGES; page++) {
      const answer = await this.#send('GET', address, {
        query: { ...query, $top: PAGE, $skip: page * PAGE },
      });
      const list = objectList(answer.value);
      if (list.length === 0) break;
      found.push(...list);
    }
    return found;
  }

  /** The names of the table's columns, in one request. */
  async columnNames(): Promise<unknown[]> {
    return objectList((await this.#send('GET', `${this.table}/columns`)).value).map(({ name }) => name);
  }

  /** Adds rows to the table, all or none. */
  async addRows(body: JsonObject): Promise<JsonObject> {
    const { id } = await this.#send('POST', `${this.workbook}/createSession`, {
      body: { persistChanges: true },
    });
    const headers = { 'workbook-session-id': String(id) };
    const added = await this.#send('POST', `${this.table}/rows/add`, { body, headers });
    await this.#send('POST', `${this.workbook}/closeSession`, { body: {}, headers });
    return added;
  }

  #range(cells: string): string {
    return `${this.worksheet}/range(address='${encodeURIComponent(cells.replaceAll("'", "''"))}')`;
  }

  async #send(
    method: string,
    url: string,
    { body, query = {}, headers = {} }: Request = {},
  ): Promise<JsonObject> {
    const { body: answer } = await sendTo(this.call, {
      method,
      url,
      query,
      headers: toHeaders(headers),
      body: body ? { kind: 'json', value: body } : { kind: 'none' },
      arrays: 'repeat',
    });
    return isObject(answer) ? answer : {};
  }
}

/** @throws NodeError if the answer has no cells */
export function valuesOf(range: JsonObject): Cell[][] {
  const values = getPath(range, 'values');
  if (!Array.isArray(values)) throw new NodeError('Operation did not return data');
  return values as Cell[][];
}

/** Rows as items. @param columns the names of their cells */
export function rowItems(columns: unknown[], rows: Cell[][], item: number): Item[] {
  return rows.map((row) => ({
    json: Object.fromEntries(columns.map((column, index) => [String(column), row[index]])),
    pairedItem: { item },
  }));
}
