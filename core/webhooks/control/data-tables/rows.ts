/** Rows of data tables: listed, inserted, changed, deleted. */
import { ApiError, jsonResponse, type RouteCall } from '#core/http';
import type { ChangedRows, RowChange } from '../../data-tables/data-tables.ts';
import { dryRunRows } from '../../data-tables/dry-run-rows.ts';
import { readFilter } from '../../data-tables/row-filter.ts';
import type { WebhookServices } from '../../services.ts';
import { cursorOf, flagOf, limitOf, page } from '../paging.ts';
import { readJsonObject, requireProperties } from '../request-body.ts';
import { queryJson, sortOf } from './query.ts';

const RETURN_TYPES = ['count', 'id', 'all'] as const;

export async function listRows({ engine }: WebhookServices, { params, url }: RouteCall): Promise<Response> {
  const query = url.searchParams;
  const limit = limitOf(query);
  const skip = Number(cursorOf(query) ?? 0);
  const filter = queryJson(query, 'filter');
  const sort = sortOf(query);
  const search = query.get('search');
  const { rows } = await engine.services.dataTables.rows(params.id!, {
    ...(filter !== undefined && { filter: readFilter(filter) }),
    ...(sort && { sort }),
    ...(search !== null && { search }),
    skip,
    take: limit + 1,
  });
  const { nextCursor } = page(rows, limit, () => String(skip + limit));
  return jsonResponse({ data: rows.slice(0, limit), nextCursor });
}

export async function insertRows({ engine }: WebhookServices, call: RouteCall): Promise<Response> {
  const body = await readJsonObject(call);
  requireProperties(body, ['data']);
  const { data, returnType = 'count' } = body;
  if (!Array.isArray(data) || data.length === 0) {
    throw new ApiError(400, 'request/body/data must be an array that is not empty');
  }
  const type = RETURN_TYPES.find((name) => name === returnType);
  if (!type) throw new ApiError(400, `request/body/returnType must be one of ${RETURN_TYPES.join(', ')}`);
  const rows = await engine.services.dataTables.insert(call.params.id!, data, call.signal);
  if (type === 'count') return jsonResponse({ success: true, insertedRows: rows.length });
  return jsonResponse(type === 'id' ? rows.map(({ id }) => ({ id })) : rows);
}

export function updateRows({ engine }: WebhookServices, call: RouteCall): Promise<Response> {
  return changeRows(call, (id, change, isDry) =>
    engine.services.dataTables.update(id, change, call.signal, isDry),
  );
}

export function upsertRow({ engine }: WebhookServices, call: RouteCall): Promise<Response> {
  return changeRows(call, (id, change, isDry) =>
    engine.services.dataTables.upsert(id, change, call.signal, isDry),
  );
}

export async function deleteRows({ engine }: WebhookServices, call: RouteCall): Promise<Response> {
  const query = call.url.searchParams;
  const filter = queryJson(query, 'filter');
  if (filter === undefined) throw new ApiError(400, "request/query must have required property 'filter'");
  const isDry = flagOf(query, 'dryRun') ?? false;
  const { dataTables } = engine.services;
  const rows = await dataTables.deleteRows(call.params.id!, readFilter(filter), call.signal, isDry);
  if (isDry) return jsonResponse(dryRunRows({ before: rows, after: rows.map(() => null) }));
  return jsonResponse(flagOf(query, 'returnData') ? rows : true);
}

export async function clearRows(
  { engine }: WebhookServices,
  { params, signal }: RouteCall,
): Promise<Response> {
  return jsonResponse({ deletedCount: await engine.services.dataTables.clear(params.id!, signal) });
}

async function changeRows(
  call: RouteCall,
  change: (id: string, change: RowChange, isDry: boolean) => Promise<ChangedRows>,
): Promise<Response> {
  const body = await readJsonObject(call);
  requireProperties(body, ['filter', 'data']);
  for (const name of ['returnData', 'dryRun']) {
    if (body[name] !== undefined && typeof body[name] !== 'boolean')
      throw new ApiError(400, `request/body/${name} must be boolean`);
  }
  const { data, dryRun = false, returnData } = body;
  const changed = await change(call.params.id!, { filter: readFilter(body.filter), data }, dryRun === true);
  if (dryRun) return jsonResponse(dryRunRows(changed));
  return jsonResponse(returnData ? changed.after : true);
}
