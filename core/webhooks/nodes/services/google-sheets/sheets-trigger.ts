/** Starts a workflow with rows that are added to a sheet of Google, or changed there. */
import type { Item, JsonObject } from '#core/workflow-format';
import { NodeError } from '../../../node-api/node-error.ts';
import type { NodeType } from '../../../node-api/node-type.ts';
import type { ServiceBase } from '../description.ts';
import description from '../descriptions/google/google-sheets-trigger.json' with { type: 'json' };
import { pollingType } from '../poll-node.ts';
import type { ServiceCall } from '../service-call.ts';
import { type Cell, SheetClient } from './sheet-client.ts';
import { changedRows, rowItems } from './watch-rows.ts';

interface Rows {
  client: SheetClient;
  values: Cell[][];
  headerRow: number;
  firstDataRow: number;
}

export const googleSheetsTrigger: NodeType = pollingType(description as unknown as ServiceBase, {
  async poll(call, memory) {
    const { client, values, headerRow, firstDataRow } = await readSheet(call);
    const get = <T>(path: string, fallback: T) => call.context.parameter<T>(path, 0, fallback);
    const event = await get('event', 'anyUpdate');
    const place = `${client.id} ${event} ${headerRow} ${firstDataRow}`;
    const isFirst = memory.place !== place;
    memory.place = place;
    if (event === 'rowAdded') {
      const count = Math.max(0, values.length - firstDataRow + 1);
      const last = isFirst ? count : Number(memory.lastIndexChecked ?? count);
      memory.lastIndexChecked = count;
      return itemsOf(rowsOf(values.slice(firstDataRow - 1 + last), values[headerRow - 1]));
    }
    const before = (memory.rows ?? []) as Cell[][];
    memory.rows = values;
    if (isFirst) return [];
    const columns = await get<string[]>('options.columnsToWatch', []);
    const comparison = { headerRow, firstDataRow, columns, updatesOnly: event === 'rowUpdate' };
    const changed = changedRows(before, values, comparison);
    const include = await get('includeInOutput', 'new');
    return itemsOf(
      rowItems(changed, values[headerRow - 1] ?? [], { include, withType: event === 'anyUpdate' }),
    );
  },
  async sample(call) {
    const { values, headerRow, firstDataRow } = await readSheet(call);
    return itemsOf(rowsOf(values.slice(firstDataRow - 1), values[headerRow - 1]));
  },
});

async function readSheet(call: ServiceCall): Promise<Rows> {
  const { context } = call;
  const client = await SheetClient.open(call, 0);
  const location = await context.parameter<JsonObject>('options.dataLocationOnSheet.values', 0, {});
  const isRange = location.rangeDefinition === 'specifyRangeA1';
  const range = String(location.range ?? '');
  if (isRange && range === '') throw new NodeError("The field 'Range' is empty, please provide a range");
  const isAdded = (await context.parameter('event', 0, 'anyUpdate')) === 'rowAdded';
  const render = await context.parameter('options.valueRender', 0, '');
  const dates = await context.parameter('options.dateTimeRenderOption', 0, '');
  const values = await client.values(isRange ? range : '', {
    valueRenderOption: (isAdded && render) || 'UNFORMATTED_VALUE',
    dateTimeRenderOption: isAdded ? dates || 'FORMATTED_STRING' : 'SERIAL_NUMBER',
  });
  const isPlaced = location.rangeDefinition === 'specifyRange';
  const headerRow = isPlaced ? Number(location.headerRow ?? 1) : 1;
  const firstDataRow = isPlaced ? Number(location.firstDataRow ?? 2) : 2;
  if (isAdded && !values[headerRow - 1]?.length)
    throw new NodeError('Could not retrieve the columns from key row');
  return { client, values, headerRow, firstDataRow };
}

/** As in n8n, 0 and false become empty texts. */
function rowsOf(rows: Cell[][], header: Cell[] = []): JsonObject[] {
  return rows.map((row) =>
    Object.fromEntries(header.map((name, index) => [String(name ?? ''), row[index] || ''])),
  );
}

function itemsOf(rows: JsonObject[]): Item[] {
  return rows.map((json) => ({ json }));
}
