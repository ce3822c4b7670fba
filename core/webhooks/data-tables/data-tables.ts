/** Stores data tables and their rows as records. */
import { KeyedMutex, sleep } from '#core/base';
import type { Clock, Cluster, RecordChange, Records } from '#core/host';
import { newRecordId } from '../record-id.ts';
import {
  type Cell,
  checkedColumnName,
  checkedTableName,
  type DataTable,
  type DataTableColumn,
  DataTableError,
  type DataTableRow,
  typedCells,
} from './data-table.ts';
import { compareCells, type RowFilter, rowTest, searchTest } from './row-filter.ts';
import {
  bytesOf,
  columnOf,
  keyOf,
  newColumn,
  type StoredRow,
  type StoredTable,
  shownRow,
  shownTable,
} from './stored-table.ts';

/** Bytes of all rows of a table, at most. A query reads a complete table. */
const MAX_BYTES = 50 * 1024 * 1024;
/** Milliseconds until another process is asked again for a table that it changes. */
const CLAIM_INTERVAL = 20;
const TABLES = 'dataTables';
const ROWS = 'dataTableRows';

/** Which rows of a table, in which order. */
export interface RowQuery {
  filter?: RowFilter;
  /** A text that any column contains. */
  search?: string;
  sort?: { column: string; descending: boolean };
  skip?: number;
  take?: number;
}

/** New values for the rows that a filter selects. */
export interface RowChange {
  filter: RowFilter;
  data: unknown;
}

/** The rows before and after a change. */
export interface ChangedRows {
  before: (DataTableRow | null)[];
  after: (DataTableRow | null)[];
}

export interface DataTablesOptions {
  records: Records;
  clock: Clock;
  cluster?: Cluster | undefined;
}

/** All data tables of an installation. Changes of one table happen one after the other. */
export class DataTables {
  readonly #turns = new KeyedMutex();

  constructor(private readonly options: DataTablesOptions) {}

  /** All tables, by name. */
  async list(): Promise<DataTable[]> {
    const stored = await this.#tables.list({ index: 'name' });
    return stored.map(({ doc }) => shownTable(doc));
  }

  /** @throws DataTableError 404 */
  async get(id: string): Promise<DataTable> {
    return shownTable(await this.#require(id));
  }

  /** @throws DataTableError 404 */
  async byName(name: string): Promise<DataTable> {
    const lower = name.trim().toLowerCase();
    const tables = await this.list();
    const found =
      tables.find((table) => table.name === name.trim()) ??
      tables.find((table) => table.name.toLowerCase() === lower);
    if (!found) throw new DataTableError(`Data table with name "${name}" not found`, 404);
    return found;
  }

  /** @throws DataTableError 409 for a name that is taken */
  create(
    name: unknown,
    columns: { name?: unknown; type?: unknown }[],
    signal: AbortSignal,
  ): Promise<DataTable> {
    return this.#exclusively('', signal, async () => {
      const now = this.#now();
      const table: StoredTable = {
        id: newRecordId(),
        name: await this.#freeName(name),
        columns: [],
        createdAt: now,
        updatedAt: now,
        lastRow: 0,
        bytes: 0,
      };
      for (const column of columns) table.columns.push(newColumn(column, table));
      await this.#tables.put(table.id, table);
      return shownTable(table);
    });
  }

  /** @throws DataTableError 404, and 409 for a name that is taken */
  rename(id: string, name: unknown, signal: AbortSignal): Promise<DataTable> {
    return this.#exclusively('', signal, () =>
      this.#change(id, signal, async (table) => {
        table.name = await this.#freeName(name, id);
      }),
    );
  }

  /** Deletes a table with its rows. @throws DataTableError 404 */
  delete(id: string, signal: AbortSignal): Promise<void> {
    return this.#exclusively(id, signal, async () => {
      await this.#require(id);
      const rows = await this.#stored(id);
      const changes = rows.map((row): RecordChange => ({ collection: ROWS, key: keyOf(row) }));
      await this.options.records.write([...changes, { collection: TABLES, key: id }]);
    });
  }

  /** @throws DataTableError 404, and 409 for a name that is taken */
  async addColumn(
    id: string,
    column: { name?: unknown; type?: unknown },
    signal: AbortSignal,
  ): Promise<DataTableColumn> {
    const table = await this.#change(id, signal, (stored) => {
      stored.columns.push(newColumn(column, stored));
    });
    return table.columns.at(-1)!;
  }

  /** Renames or moves a column. @throws DataTableError */
  async changeColumn(
    id: string,
    columnId: string,
    { name, index }: { name?: unknown; index?: number | undefined },
    signal: AbortSignal,
  ): Promise<DataTableColumn> {
    const table = await this.#change(id, signal, (stored) => {
      const column = columnOf(stored, columnId);
      const others = stored.columns.filter((other) => other !== column);
      if (name !== undefined) column.name = checkedColumnName(name, { name: stored.name, columns: others });
      if (index !== undefined) stored.columns = others.toSpliced(Math.max(0, index), 0, column);
    });
    return columnOf(table, columnId);
  }

  /** Deletes a column with its values. @throws DataTableError 404 */
  async deleteColumn(id: string, columnId: string, signal: AbortSignal): Promise<void> {
    await this.#change(id, signal, (table) => {
      table.columns.splice(table.columns.indexOf(columnOf(table, columnId)), 1);
    });
  }

  /**
   * Rows in the order of their numbers, unless the query names another one.
   * @returns the rows of the page, and the number of all that match
   * @throws DataTableError
   */
  async rows(id: string, query: RowQuery = {}): Promise<{ rows: DataTableRow[]; count: number }> {
    const table = await this.#require(id);
    const { sort, skip = 0, take = Number.POSITIVE_INFINITY } = query;
    const rows = (await this.#matching(table, query)).map((row) => shownRow(row, table));
    if (sort) {
      if (rows[0] && !Object.hasOwn(rows[0], sort.column))
        throw new DataTableError(`unknown column name '${sort.column}'`);
      const sign = sort.descending ? -1 : 1;
      rows.sort((a, b) => sign * compareCells(a[sort.column] ?? null, b[sort.column] ?? null));
    }
    return { rows: rows.slice(skip, skip + take), count: rows.length };
  }

  /** All rows are stored, or none. @throws DataTableError */
  insert(id: string, rows: unknown[], signal: AbortSignal): Promise<DataTableRow[]> {
    return this.#exclusively(id, signal, async () => {
      const table = await this.#require(id);
      return this.#insert(
        table,
        rows.map((row) => typedCells(row, table.columns)),
      );
    });
  }

  /**
   * Changes the selected rows.
   * @param isDry nothing is stored
   * @throws DataTableError
   */
  update(id: string, change: RowChange, signal: AbortSignal, isDry = false): Promise<ChangedRows> {
    return this.#exclusively(id, signal, async () => {
      const table = await this.#require(id);
      const cells = changedCells(table, change);
      return this.#update(table, await this.#matching(table, change), cells, isDry);
    });
  }

  /** Changes the selected rows, or inserts one if there is none. @throws DataTableError */
  upsert(id: string, change: RowChange, signal: AbortSignal, isDry = false): Promise<ChangedRows> {
    return this.#exclusively(id, signal, async () => {
      const table = await this.#require(id);
      const cells = changedCells(table, change);
      const found = await this.#matching(table, change);
      if (found.length > 0) return this.#update(table, found, cells, isDry);
      const now = this.#now();
      const created = isDry
        ? [shownRow({ tableId: id, number: 0, createdAt: now, updatedAt: now, cells }, table)]
        : await this.#insert(table, [cells]);
      return { before: [null], after: created };
    });
  }

  /** Deletes the selected rows. @throws DataTableError */
  deleteRows(id: string, filter: RowFilter, signal: AbortSignal, isDry = false): Promise<DataTableRow[]> {
    return this.#exclusively(id, signal, async () => {
      const table = await this.#require(id);
      if (filter.filters.length === 0) {
        throw new DataTableError(
          'Filter is required for delete operations to prevent accidental deletion of all data',
        );
      }
      const found = await this.#matching(table, { filter });
      if (!isDry) await this.#delete(table, found);
      return found.map((row) => shownRow(row, table));
    });
  }

  /** Deletes all rows. @returns their number. @throws DataTableError 404 */
  clear(id: string, signal: AbortSignal): Promise<number> {
    return this.#exclusively(id, signal, async () => {
      const table = await this.#require(id);
      const rows = await this.#stored(id);
      await this.#delete(table, rows);
      return rows.length;
    });
  }

  get #tables() {
    return this.options.records.collection<StoredTable>(TABLES);
  }

  #now(): string {
    return new Date(this.options.clock.now()).toISOString();
  }

  async #require(id: string): Promise<StoredTable> {
    const table = await this.#tables.get(id);
    if (!table) throw new DataTableError(`Could not find the data table: '${id}'`, 404);
    return table;
  }

  async #freeName(value: unknown, id?: string): Promise<string> {
    const name = checkedTableName(value);
    const others = await this.#tables.list({ index: 'name', equals: name });
    if (others.some(({ key }) => key !== id))
      throw new DataTableError(`Data table with name '${name}' already exists in this project`, 409);
    return name;
  }

  #change(
    id: string,
    signal: AbortSignal,
    change: (table: StoredTable) => void | Promise<void>,
  ): Promise<DataTable> {
    return this.#exclusively(id, signal, async () => {
      const table = await this.#require(id);
      await change(table);
      table.columns.forEach((column, index) => {
        column.index = index;
      });
      table.updatedAt = this.#now();
      await this.#tables.put(id, table);
      return shownTable(table);
    });
  }

  async #stored(tableId: string): Promise<StoredRow[]> {
    const rows = this.options.records.collection<StoredRow>(ROWS);
    const stored = await rows.list({ index: 'tableId', equals: tableId });
    return stored.map(({ doc }) => doc).sort((a, b) => a.number - b.number);
  }

  async #matching(
    table: StoredTable,
    { filter, search }: Pick<RowQuery, 'filter' | 'search'>,
  ): Promise<StoredRow[]> {
    const tests = [
      ...(filter ? [rowTest(filter, table)] : []),
      ...(search?.trim() ? [searchTest(search, table)] : []),
    ];
    const rows = await this.#stored(table.id);
    if (tests.length === 0) return rows;
    return rows.filter((row) => {
      const cells = shownRow(row, table);
      return tests.every((test) => test((name) => cells[name] ?? null));
    });
  }

  async #insert(table: StoredTable, rows: Record<string, Cell>[]): Promise<DataTableRow[]> {
    const now = this.#now();
    const stored = rows.map((cells, index): StoredRow => {
      const number = table.lastRow + 1 + index;
      return { tableId: table.id, number, createdAt: now, updatedAt: now, cells };
    });
    table.lastRow += rows.length;
    await this.#store(table, stored, 0);
    return stored.map((row) => shownRow(row, table));
  }

  async #update(
    table: StoredTable,
    rows: StoredRow[],
    cells: Record<string, Cell>,
    isDry: boolean,
  ): Promise<ChangedRows> {
    const updatedAt = this.#now();
    const changed = rows.map((row) => ({ ...row, updatedAt, cells: { ...row.cells, ...cells } }));
    if (!isDry && rows.length > 0) await this.#store(table, changed, bytesOf(rows));
    return {
      before: rows.map((row) => shownRow(row, table)),
      after: changed.map((row) => shownRow(row, table)),
    };
  }

  /** Stores rows together with the size of their table. @param replaced the bytes of the rows before */
  async #store(table: StoredTable, rows: StoredRow[], replaced: number): Promise<void> {
    const bytes = table.bytes - replaced + bytesOf(rows);
    if (bytes > MAX_BYTES && bytes > table.bytes) {
      const used = Math.round(bytes / 1024 / 1024);
      throw new DataTableError(`Data table size limit exceeded: ${used}MB used, limit is 50MB`);
    }
    await this.options.records.write([
      { collection: TABLES, key: table.id, doc: { ...table, bytes } },
      ...rows.map((doc) => ({ collection: ROWS, key: keyOf(doc), doc })),
    ]);
  }

  async #delete(table: StoredTable, rows: StoredRow[]): Promise<void> {
    if (rows.length === 0) return;
    const bytes = Math.max(0, table.bytes - bytesOf(rows));
    await this.options.records.write([
      { collection: TABLES, key: table.id, doc: { ...table, bytes } },
      ...rows.map((row) => ({ collection: ROWS, key: keyOf(row) })),
    ]);
  }

  /** Works while no other caller changes the table, in any process. @param id empty: the names of all tables */
  async #exclusively<T>(id: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const { cluster, clock } = this.options;
    const right = `data table ${id}`;
    const release = await this.#turns.acquire(right, signal);
    try {
      let giveBack = await cluster?.claim(right);
      while (cluster && !giveBack) {
        await sleep(clock, CLAIM_INTERVAL, signal);
        giveBack = await cluster.claim(right);
      }
      try {
        return await work();
      } finally {
        await giveBack?.();
      }
    } finally {
      release();
    }
  }
}

function changedCells(table: StoredTable, { filter, data }: RowChange): Record<string, Cell> {
  if (filter.filters.length === 0) throw new DataTableError('Filter must not be empty');
  const cells = typedCells(data, table.columns);
  if (Object.keys(cells).length === 0) throw new DataTableError('Data columns must not be empty');
  return cells;
}
