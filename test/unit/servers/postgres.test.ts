/** The Postgres node against a real server. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '#core/webhooks/engine/engine.ts';
import type { JsonObject } from '#core/workflow-format';
import { clientNode, openClientEngine } from '#test/support/servers/client-engine.ts';
import { startPostgres } from '#test/support/servers/databases.ts';
import type { StartedServer } from '#test/support/servers/server-process.ts';
import { runFirstOutput, runWebhookNode } from '#test/support/webhooks/run-node.ts';

let server: StartedServer;
let engine: Engine;
const login = () => ({ host: 'localhost', port: server.port, user: 'postgres', database: 'postgres' });

beforeAll(async () => {
  server = await startPostgres();
  engine = await openClientEngine({ credentials: { postgres: login() } });
  await query(
    'CREATE TABLE people (id serial PRIMARY KEY, name text UNIQUE, age int, tags text[], more jsonb)',
  );
}, 120_000);

afterAll(async () => {
  await engine?.close();
  await server?.stop();
});

const postgres = (parameters: JsonObject, version = 2.6) =>
  clientNode('postgres', 'postgres', parameters, version);
const query = (text: string, more: JsonObject = {}, input: JsonObject[] = [{}]) =>
  runFirstOutput(engine, postgres({ operation: 'executeQuery', query: text, ...more }), input);
const table = (value = 'people') => ({ table: { __rl: true, mode: 'name', value } });
const mapped = (matchingColumns: string[] = []) => ({
  columns: { mappingMode: 'autoMapInputData', value: null, matchingColumns },
});

describe('executeQuery', () => {
  it('returns rows as JSON', async () => {
    const text =
      "SELECT 1 AS a, 12345678901234567890::numeric AS n, timestamptz '2024-05-06 07:08:09Z' AS t, null AS z";
    expect(await query(text)).toEqual([
      { a: 1, n: '12345678901234567890', t: '2024-05-06T07:08:09.000Z', z: null },
    ]);
    const numbers = { options: { largeNumbersOutput: 'numbers' } };
    expect(await query('SELECT 123::bigint AS n', numbers)).toEqual([{ n: 123 }]);
  });

  it('fills in values, names and lists, which cannot change the query', async () => {
    const options = {
      queryReplacement: "={{ [\"it's \\\\ '; DROP TABLE people; --\", 'a\"b', [1, 2], { k: 'v' }] }}",
    };
    const text = 'SELECT $1 AS text, 1 AS $2:name, 2 IN ($3:csv) AS found, $4::jsonb AS object';
    expect(await query(text, { options })).toEqual([
      { text: "it's \\ '; DROP TABLE people; --", 'a"b': 1, found: true, object: { k: 'v' } },
    ]);
    expect(await query('SELECT $2', { options: { queryReplacement: 'one' } })).toEqual({
      error: 'Variable $2 out of range. Parameters array length: 1',
    });
  });

  it('reports success without rows, and the error of the server', async () => {
    expect(await query('CREATE TABLE other (a int)')).toEqual([{ success: true }]);
    expect(await query('SELECT nothing FROM nowhere')).toEqual({
      error: 'relation "nowhere" does not exist',
    });
  });

  it('undoes all statements of one batch when one fails, and keeps independent ones', async () => {
    const input = [{ v: 1 }, { v: 'x' }, { v: 3 }];
    const insert = {
      operation: 'insert',
      ...table('other'),
      columns: { mappingMode: 'defineBelow', value: { a: '={{ $json.v }}' } },
    };
    await runFirstOutput(engine, postgres(insert), input);
    expect(await query('SELECT count(*)::int AS n FROM other')).toEqual([{ n: 0 }]);
    const node = {
      ...postgres({ ...insert, options: { queryBatching: 'independently' } }),
      onError: 'continueRegularOutput' as const,
    };
    const { outputs } = await runWebhookNode(engine, node, input);
    expect(outputs[0]).toEqual([{ a: 1 }, { error: 'invalid input syntax for type integer: "x"' }, { a: 3 }]);
  });
});

describe('operations on a table', () => {
  it('inserts, updates, upserts, selects and deletes', async () => {
    const ann = { name: 'Ann', age: 30, tags: ['a', 'b'], more: [1, { x: 2 }] };
    expect(
      await runFirstOutput(engine, postgres({ operation: 'insert', ...table(), ...mapped() }), [ann]),
    ).toEqual([{ id: 1, ...ann }]);
    const older = [
      { name: 'Ann', age: 31 },
      { name: 'Bob', age: 20 },
    ];
    const upsert = {
      operation: 'upsert',
      ...table(),
      ...mapped(['name']),
      options: { outputColumns: ['name', 'age'] },
    };
    expect(await runFirstOutput(engine, postgres(upsert), older)).toEqual(older);
    const update = {
      operation: 'update',
      ...table(),
      ...mapped(['name']),
      options: { outputColumns: ['age'] },
    };
    expect(await runFirstOutput(engine, postgres(update), [{ name: 'Bob', age: 21 }])).toEqual([{ age: 21 }]);
    const select = {
      operation: 'select',
      ...table(),
      where: {
        values: [
          { column: 'age', condition: '>', value: 20 },
          { column: 'more', condition: 'IS NULL' },
        ],
      },
      combineConditions: 'OR',
      sort: { values: [{ column: 'age', direction: 'DESC' }] },
      options: { outputColumns: ['name'] },
    };
    expect(await runFirstOutput(engine, postgres(select))).toEqual([{ name: 'Ann' }, { name: 'Bob' }]);
    expect(await runFirstOutput(engine, postgres({ ...select, limit: 1 }))).toEqual([{ name: 'Ann' }]);
    const remove = {
      operation: 'deleteTable',
      ...table(),
      deleteCommand: 'delete',
      where: { values: [{ column: 'name', condition: 'equal', value: 'Bob' }] },
    };
    expect(await runFirstOutput(engine, postgres(remove))).toEqual([{ success: true }]);
    expect(await runFirstOutput(engine, postgres({ ...remove, deleteCommand: 'truncate' }))).toEqual([
      { success: true },
    ]);
    expect(await runFirstOutput(engine, postgres({ operation: 'select', ...table() }))).toEqual([]);
  });

  it('has the fields of older versions', async () => {
    const sent = { dataMode: 'defineBelow', valuesToSend: { values: [{ column: 'age', value: 41 }] } };
    const upsert = {
      operation: 'upsert',
      ...table(),
      columnToMatchOn: 'name',
      valueToMatchOn: 'Cy',
      ...sent,
    };
    expect(await runFirstOutput(engine, postgres(upsert, 2.1))).toMatchObject([{ name: 'Cy', age: 41 }]);
    const insert = { operation: 'insert', schema: 'public', table: 'people', columns: 'name, age' };
    expect(
      await runFirstOutput(engine, postgres(insert, 1), [{ name: 'Di', age: 5, more: 'no' }]),
    ).toMatchObject([{ name: 'Di', age: 5 }]);
    const update = {
      operation: 'update',
      table: 'people',
      columns: 'age',
      updateKey: 'name',
      returnFields: 'age',
    };
    expect(await runFirstOutput(engine, postgres(update, 1), [{ name: 'Di', age: 6 }])).toEqual([{ age: 6 }]);
  });
});

describe('connections', () => {
  const connections = async () =>
    (
      (await query(
        "SELECT count(*)::int AS n FROM pg_stat_activity WHERE backend_type = 'client backend'",
      )) as JsonObject[]
    )[0]!.n;

  it('end with the node, and with a cancelled execution', async () => {
    expect(await connections()).toBe(1);
    const abort = new AbortController();
    const node = postgres({ operation: 'executeQuery', query: 'SELECT pg_sleep(600)' });
    const run = runWebhookNode(engine, node, [{}], { signal: abort.signal });
    await expect.poll(connections, { timeout: 30_000 }).toBe(2);
    abort.abort();
    expect((await run).status).toBe('canceled');
    await expect.poll(connections, { timeout: 30_000 }).toBe(1);
  });

  it('are refused to private addresses, by any name', async () => {
    const strict = await openClientEngine({ credentials: { postgres: login() }, settings: {} });
    const node = postgres({ operation: 'executeQuery', query: 'SELECT 1' });
    const result = await runFirstOutput(strict, node);
    expect(result).toEqual({
      error: expect.stringMatching(/^Requests to (127\.0\.0\.1|::1) are not allowed/),
    });
    await strict.close();
  });

  it('name what fails: the password, the port, a platform without clients', async () => {
    const other = async (credential: JsonObject, hasClients = true) => {
      const opened = await openClientEngine({ credentials: { postgres: credential }, hasClients });
      const result = await runFirstOutput(opened, postgres({ operation: 'executeQuery', query: 'SELECT 1' }));
      await opened.close();
      return result;
    };
    expect(await other({ ...login(), database: 'none' })).toEqual({
      error: 'database "none" does not exist',
    });
    expect(await other({ ...login(), port: 1 })).toEqual({ error: expect.stringContaining('ECONNREFUSED') });
    expect(await other({ ...login(), ssl: 'require' })).toEqual({
      error: expect.stringContaining('self-signed certificate'),
    });
    const trusting = { ...login(), ssl: 'require', allowUnauthorizedCerts: true };
    expect(await other(trusting)).toEqual([{ '?column?': 1 }]);
    expect(await other(login(), false)).toEqual({ error: expect.stringContaining('tabd shim') });
  });

  it('stop at 256 MiB of answer', async () => {
    expect(await query("SELECT repeat('x', 1000000) AS text FROM generate_series(1, 300)")).toEqual({
      error: expect.stringContaining('larger than 256 MiB'),
    });
  });
});
