import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordsSchema } from '#core/host';
import { parseArguments } from '#shim/cli/arguments.ts';
import { migrate } from '#shim/cli/commands/migrate.ts';
import { openHome, type Stores } from '#shim/host/node-host.ts';
import { openSharedStores } from '#shim/storage/shared/open-shared-stores.ts';
import { type PostgresServer, startPostgres } from '#test/support/servers/postgres.ts';
import { type S3Server, startS3 } from '#test/support/servers/s3.ts';
import { pattern } from './blobs.ts';

const folder = mkdtempSync(join(tmpdir(), 'tabd-migrate-'));
const { signal } = new AbortController();
let postgres: PostgresServer;
let s3: S3Server;
beforeAll(async () => {
  [postgres, s3] = await Promise.all([startPostgres(), startS3()]);
}, 400_000);
afterAll(async () => {
  await Promise.all([postgres?.close(), s3?.close()]);
  rmSync(folder, { recursive: true, force: true });
});

let number = 0;
const fresh = () => join(folder, String(++number));

async function runMigrate(direction: string, home: string, env: NodeJS.ProcessEnv): Promise<string> {
  let text = '';
  const out = { write: (part: string) => (text += part) } as never;
  await migrate(parseArguments(['migrate', direction]), { out, home, env }, signal);
  return text;
}

const digest = async (stores: Stores, bytes: Uint8Array) => {
  const partial = await stores.blobs.openPartial('x');
  await partial.append(bytes);
  return (await partial.commit()).digest;
};

test.each(['S3', 'a shared folder'])('a home is copied to PostgreSQL and %s, and back', async (kind) => {
  const env: NodeJS.ProcessEnv = {
    ...(kind === 'S3' ? await s3.newBucket() : { TABD_FILES_URL: pathToFileURL(fresh()).href }),
    TABD_DATABASE_URL: await postgres.newDatabase(),
  };
  const [home, back] = [fresh(), fresh()];
  const source = await openStores(home);
  const things = source.records.collection('executions');
  await Promise.all(
    Array.from({ length: 250 }, (_, n) =>
      things.put(`${n}`, { number: n, z: 'é\0', a: { deep: [n, null] } }),
    ),
  );
  await source.records.collection('nodeStorage').put('k\0', { text: 'x'.repeat(100_000) });
  const model = await digest(source, pattern(2_000_000));
  await source.files.write('output/ü b.png', pattern(1000));
  await source.files.write('models/large', pattern(3_000_000, 2));
  const expected = await contentOf(source);
  await source.close();

  expect(await runMigrate('to-cluster', home, env)).toMatch(
    /Copied and checked 251 records, 1 model files and 2 other files/,
  );
  const shared = await openSharedStores(fresh(), env, recordsSchema);
  expect(await contentOf(shared)).toEqual(expected);
  expect(await shared.blobs.stat(model)).toEqual({ digest: model, size: 2_000_000 });
  await shared.close();
  await expect(runMigrate('to-cluster', home, env)).rejects.toThrow('it must be empty');

  await runMigrate('to-home', back, env);
  const returned = await openStores(back);
  expect(await contentOf(returned)).toEqual(expected);
  await returned.close();
});

test('what is missing or wrong is said before anything is written', async () => {
  await expect(runMigrate('to-nowhere', fresh(), {})).rejects.toThrow("not 'to-nowhere'");
  await expect(runMigrate('to-cluster', fresh(), {})).rejects.toThrow('a cluster needs TABD_FILES_URL');
  const TABD_FILES_URL = pathToFileURL(fresh()).href;
  await expect(runMigrate('to-cluster', fresh(), { TABD_FILES_URL })).rejects.toThrow(
    'a cluster needs TABD_DATABASE_URL',
  );
});

async function openStores(home: string): Promise<Stores> {
  const { mkdirSync } = await import('node:fs');
  mkdirSync(home, { recursive: true });
  return openHome(home, {}, recordsSchema);
}

/** All records, and the names and bytes of all files. */
async function contentOf({ records, files }: Stores): Promise<unknown> {
  const read = async (path: string): Promise<[string, string][]> => {
    const entries = (await files.list(path)) ?? [];
    const found = await Promise.all(
      entries.map(async ({ path, kind }) =>
        kind === 'folder'
          ? read(path)
          : [[path, Buffer.from(await files.read(path)).toString('base64')] as [string, string]],
      ),
    );
    return found.flat().sort();
  };
  const all = await Promise.all(
    Object.keys(recordsSchema.collections).map((name) => records.collection(name).list()),
  );
  return [JSON.stringify(all), await read('')];
}
