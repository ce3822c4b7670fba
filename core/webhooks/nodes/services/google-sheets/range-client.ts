/** Requests of a range of cells, for versions 1 and 2 of the node. */
import { isObject } from '#core/base';
import { getPath } from '#core/workflow-format';
import { NodeError } from '../../../node-api/node-error.ts';
import type { RequestDescription } from '../../network/http-request/describe-request.ts';
import { filters } from '../filters.ts';
import { type Cell, columnIndex, SHEETS_ADDRESS, type SheetsCall, sendToSheets } from './sheet-client.ts';

/** The range that a node is set to, which is the same for all items. */
export class RangeClient {
  private constructor(
    private readonly call: SheetsCall,
    private readonly document: string,
    private readonly range: string,
    /** The row of the range with the names, from 0. */
    readonly keyRow: number,
    /** The first row of the range with values, from 0. */
    readonly dataStartRow: number,
    private readonly render: string,
    private readonly input: string,
  ) {}

  static async open(call: SheetsCall): Promise<RangeClient> {
    const get = <T>(path: string, fallback: T) => call.context.parameter<T>(path, 0, fallback);
    const chosen = await get<unknown>('sheetId', '');
    const document = String(filters.googleId!(isObject(chosen) ? chosen.value : chosen, {}));
    if (document === '') throw new NodeError('The parameter "Spreadsheet ID" is empty');
    return new RangeClient(
      call,
      document,
      String(await get('range', 'A:F')),
      Number(await get('keyRow', 0)),
      Number(await get('dataStartRow', 1)),
      await get('options.valueRenderMode', 'UNFORMATTED_VALUE'),
      await get('options.valueInputMode', 'RAW'),
    );
  }

  /** The address of a cell. @param row and column count from 0, in the range */
  cell(row: number, column: number, nameOf: (index: number) => string): string {
    const [, sheet = '', cells = ''] = /^(?:(.*)!)?(.*)$/.exec(this.range) ?? [];
    const [, letters = 'A', first = '1'] = /^\$?([A-Za-z]*)\$?(\d*)/.exec(cells) ?? [];
    const address = `${nameOf(columnIndex(letters || 'A') + column)}${Number(first || 1) + row}`;
    return sheet === '' ? address : `${sheet}!${address}`;
  }

  async values(): Promise<Cell[][]> {
    const { body } = await this.#send({
      url: this.#url(),
      query: { valueRenderOption: this.render },
    });
    const values = getPath(body, 'values');
    return Array.isArray(values) ? (values as Cell[][]) : [];
  }

  async append(rows: Cell[][]): Promise<void> {
    await this.#send({
      method: 'POST',
      url: this.#url(':append'),
      query: { valueInputOption: this.input },
      body: { kind: 'json', value: { range: this.range, values: rows } },
    });
  }

  async write(data: { range: string; values: unknown }[]): Promise<void> {
    await this.#send({
      method: 'POST',
      url: `${SHEETS_ADDRESS}/${encodeURIComponent(this.document)}/values:batchUpdate`,
      body: { kind: 'json', value: { valueInputOption: this.input, data } },
    });
  }

  async clear(): Promise<void> {
    await this.#send({ method: 'POST', url: this.#url(':clear'), body: { kind: 'json', value: {} } });
  }

  /** The range as the node sets it. */
  get address(): string {
    return this.range;
  }

  #url(action = ''): string {
    return `${SHEETS_ADDRESS}/${encodeURIComponent(this.document)}/values/${encodeURIComponent(this.range)}${action}`;
  }

  #send(request: Partial<RequestDescription> & { url: string }) {
    return sendToSheets(this.call, 0, request);
  }
}
