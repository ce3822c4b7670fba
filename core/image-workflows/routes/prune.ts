import { ApiError, type RouteCall } from '#core/http';
import { filesBelow } from '../files/files-below.ts';
import { modelPathOf } from '../files/model-folders.ts';
import { isPythonObject, type PythonValue } from '../python/python-value.ts';
import { readJsonBody } from '../request-body.ts';
import { pythonJsonResponse } from '../responses.ts';
import type { ImageServer } from '../server/image-server.ts';
import { requireFolder } from './folder-files.ts';

const DAY = 24 * 3600 * 1000;

/**
 * Deletes files older than `older_than_days`, then the oldest ones until at most `max_bytes` are left. Saved models
 * stay and do not count: a model without one of its files is worthless.
 */
export async function pruneFolder({ host }: ImageServer, call: RouteCall): Promise<Response> {
  const folder = requireFolder(call.params.folder!);
  const { days, maxBytes } = await readLimits(call);
  const files = ((await filesBelow(host.files, folder, { deep: true })) ?? [])
    .filter(({ path }) => modelPathOf(path) === undefined)
    .sort((a, b) => a.modifiedAt - b.modifiedAt);
  const expired = days === undefined ? Number.NEGATIVE_INFINITY : host.clock.now() - days * DAY;
  let remaining = files.reduce((sum, { size }) => sum + size, 0);
  let [deleted, freed] = [0, 0];
  for (const { path, size, modifiedAt } of files) {
    call.signal.throwIfAborted();
    const isOverLimit = maxBytes !== undefined && remaining > maxBytes;
    if (modifiedAt >= expired && !isOverLimit) continue;
    if (!(await host.files.delete(path))) continue;
    remaining -= size;
    freed += size;
    deleted++;
  }
  return pythonJsonResponse({ deleted, freed_bytes: freed, remaining_bytes: remaining });
}

async function readLimits(
  call: RouteCall,
): Promise<{ days: number | undefined; maxBytes: number | undefined }> {
  const body = await readJsonBody(call);
  const limit = (name: string) => (isPythonObject(body) ? readLimit(body.get(name), name) : undefined);
  const days = limit('older_than_days');
  const maxBytes = limit('max_bytes');
  if (days === undefined && maxBytes === undefined)
    throw new ApiError(400, 'name a limit: {"older_than_days": 30} or {"max_bytes": 1000000000}, or both');
  return { days, maxBytes };
}

function readLimit(value: PythonValue | undefined, name: string): number | undefined {
  if (value === undefined || value === null) return undefined;
  const limit = typeof value === 'bigint' || typeof value === 'number' ? Number(value) : Number.NaN;
  if (!(limit >= 0)) throw new ApiError(400, `${name} must be a number that is not negative`);
  return limit;
}
