/** The stores of a cluster: records in PostgreSQL, files in S3 or in a folder that all processes share. */
import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RecordsSchema } from '#core/host';
import { settingValue } from '../../base/setting-value.ts';
import { UsageError } from '../../base/usage-error.ts';
import type { OpenStores, Stores } from '../../host/node-host.ts';
import { DiskFiles } from '../disk-files.ts';
import { FileBlobs } from '../file-blobs.ts';
import { PostgresRecords } from '../postgres/postgres-records.ts';
import { LocalCache } from '../s3/local-cache.ts';
import { S3Blobs } from '../s3/s3-blobs.ts';
import { S3Files } from '../s3/s3-files.ts';
import { S3Objects } from '../s3/s3-objects.ts';
import { readS3Url } from '../s3/s3-place.ts';
import { S3Requests } from '../s3/s3-request.ts';

type FileStores = Pick<Stores, 'blobs' | 'files' | 'scratch'>;

/** GiB of local copies, unless TABD_FILES_CACHE says otherwise. */
const DEFAULT_CACHE = 50;

/** Opens the stores that TABD_DATABASE_URL and TABD_FILES_URL name. @throws UsageError, RecordsUnavailable */
export const openSharedStores: OpenStores = (home, env, schema) => openStoresOf(undefined, home, env, schema);

/** Opens the same stores for a process of a cluster, which announces its changes under this name. */
export async function openStoresOf(
  process: string | undefined,
  home: string,
  env: NodeJS.ProcessEnv,
  schema: RecordsSchema,
): Promise<Stores & { records: PostgresRecords }> {
  const files = await openSharedFiles(home, env);
  const records = await PostgresRecords.open(
    { url: requiredSetting(env, 'TABD_DATABASE_URL') },
    schema,
    process,
  );
  return { records, ...files, close: () => records.close() };
}

/** @param home the folder of this process, for copies and incomplete files */
async function openSharedFiles(home: string, env: NodeJS.ProcessEnv): Promise<FileStores> {
  const url = requiredSetting(env, 'TABD_FILES_URL');
  const scratch = join(home, 'scratch');
  await rm(scratch, { recursive: true, force: true });
  if (url.startsWith('file://')) {
    const root = fileURLToPath(url);
    // Two processes must not continue the same download. After a restart, a process finds its own ones again.
    const own = createHash('sha256').update(`${hostname()} ${home}`).digest('hex').slice(0, 16);
    const blobs = new FileBlobs(join(root, 'blobs'), undefined, join(root, 'partials', own));
    return { blobs, files: new DiskFiles(join(root, 'files')), scratch };
  }
  const objects = new S3Objects(new S3Requests(readS3Url(url, env)));
  // A wrong bucket or key is better known at the start.
  await objects.list('', { limit: 1 });
  const cache = new LocalCache(join(home, 'cache'), cacheSize(env));
  await cache.removeUnfinished();
  return {
    blobs: new S3Blobs(objects, new FileBlobs(join(home, 'partials')), cache),
    files: new S3Files(objects, cache, scratch),
    scratch,
  };
}

function cacheSize(env: NodeJS.ProcessEnv): number {
  const text = settingValue(env.TABD_FILES_CACHE) ?? String(DEFAULT_CACHE);
  const gibibytes = Number(text);
  if (!(gibibytes > 0)) throw new UsageError(`TABD_FILES_CACHE is a number of GiB, not ${text}`);
  return gibibytes * 2 ** 30;
}

export function requiredSetting(env: NodeJS.ProcessEnv, name: string): string {
  const value = settingValue(env[name]);
  if (value === undefined) throw new UsageError(`a cluster needs ${name}: see docs/scaling.md`);
  return value;
}
