/** Data tables and their columns: listed, created, changed, deleted. */
import { isObject } from '#core/base';
import { ApiError, jsonResponse, type RouteCall } from '#core/http';
import { compareCells } from '../../data-tables/row-filter.ts';
import type { WebhookServices } from '../../services.ts';
import { cursorOf, limitOf, page } from '../paging.ts';
import { readJsonObject, requireProperties } from '../request-body.ts';
import { queryJson, sortOf } from './query.ts';

const SORT_FIELDS = ['name', 'createdAt', 'updatedAt'] as const;

export async function listDataTables({ engine }: WebhookServices, { url }: RouteCall): Promise<Response> {
  const query = url.searchParams;
  const limit = limitOf(query);
  const start = Number(cursorOf(query) ?? 0);
  const sort = sortOf(query) ?? { column: 'name', descending: false };
  const field = SORT_FIELDS.find((name) => name === sort.column);
  if (!field) throw new ApiError(400, `request/query/sortBy must begin with ${SORT_FIELDS.join(', ')}`);
  const filter = queryJson(query, 'filter');
  const tables = (await engine.services.dataTables.list()).filter((table) => matches(table, filter));
  const sign = sort.descending ? -1 : 1;
  tables.sort((a, b) => sign * compareCells(a[field], b[field]));
  const rows = tables.map((table, index) => ({ table, index }));
  const shown = page(rows.slice(start), limit, ({ index }) => String(index + 1));
  return jsonResponse({ data: shown.rows.map(({ table }) => table), nextCursor: shown.nextCursor });
}

export async function createDataTable({ engine }: WebhookServices, call: RouteCall): Promise<Response> {
  const body = await readJsonObject(call);
  requireProperties(body, ['name', 'columns']);
  const { name, columns } = body;
  if (!Array.isArray(columns) || !columns.every(isObject))
    throw new ApiError(400, 'request/body/columns must be array');
  return jsonResponse(await engine.services.dataTables.create(name, columns, call.signal), 201);
}

export async function getDataTable({ engine }: WebhookServices, { params }: RouteCall): Promise<Response> {
  return jsonResponse(await engine.services.dataTables.get(params.id!));
}

export async function renameDataTable({ engine }: WebhookServices, call: RouteCall): Promise<Response> {
  const body = await readJsonObject(call);
  requireProperties(body, ['name']);
  return jsonResponse(await engine.services.dataTables.rename(call.params.id!, body.name, call.signal));
}

export async function deleteDataTable(
  { engine }: WebhookServices,
  { params, signal }: RouteCall,
): Promise<Response> {
  await engine.services.dataTables.delete(params.id!, signal);
  return new Response(null, { status: 204 });
}

export async function listColumns({ engine }: WebhookServices, { params }: RouteCall): Promise<Response> {
  return jsonResponse((await engine.services.dataTables.get(params.id!)).columns);
}

export async function addColumn({ engine }: WebhookServices, call: RouteCall): Promise<Response> {
  const body = await readJsonObject(call);
  requireProperties(body, ['name', 'type']);
  return jsonResponse(await engine.services.dataTables.addColumn(call.params.id!, body, call.signal), 201);
}

/** Renames or moves a column. */
export async function changeColumn({ engine }: WebhookServices, call: RouteCall): Promise<Response> {
  const { name, index } = await readJsonObject(call);
  if (index !== undefined && !Number.isSafeInteger(index))
    throw new ApiError(400, 'request/body/index must be integer');
  const { id, columnId } = call.params;
  const change = { name, index: index as number | undefined };
  return jsonResponse(await engine.services.dataTables.changeColumn(id!, columnId!, change, call.signal));
}

export async function deleteColumn(
  { engine }: WebhookServices,
  { params, signal }: RouteCall,
): Promise<Response> {
  await engine.services.dataTables.deleteColumn(params.id!, params.columnId!, signal);
  return new Response(null, { status: 204 });
}

/** Names match where they contain the text, without regard to case. */
function matches(table: { id: string; name: string }, filter: unknown): boolean {
  if (!isObject(filter)) return true;
  const { id, name } = filter;
  const contains = (part: unknown) => table.name.toLowerCase().includes(String(part).toLowerCase());
  const hasName = name === undefined || (Array.isArray(name) ? name.some(contains) : contains(name));
  const hasId = id === undefined || (Array.isArray(id) ? id.includes(table.id) : id === table.id);
  return hasName && hasId;
}
