/** The MySQL node against a real server: MariaDB. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Engine } from '#core/webhooks/engine/engine.ts';
import type { JsonObject } from '#core/workflow-format';
import { clientNode, openClientEngine } from '#test/support/servers/client-engine.ts';
import { startMariaDb } from '#test/support/servers/databases.ts';
import type { StartedServer } from '#test/support/servers/server-process.ts';
import { runFirstOutput, runWebhookNode } from '#test/support/webhooks/run-node.ts';

let server: StartedServer;
let engine: Engine;

beforeAll(async () => {
  server = await startMariaDb();
  const login = { host: '127.0.0.1', port: server.port, user: 'tabd', password: 'secret', database: 'test' };
  engine = await openClientEngine({ credentials: { mySql: login } });
  await query(
    'CREATE TABLE people (id int AUTO_INCREMENT PRIMARY KEY, name varchar(50) UNIQUE, age int, price decimal(8,2), more json)',
  );
}, 120_000);

afterAll(async () => {
  await engine?.close();
  await server?.stop();
});

const mysql = (parameters: JsonObject, version = 2.5) => clientNode('mySql', 'mySql', parameters, version);
const query = (text: string, more: JsonObject = {}) =>
  runFirstOutput(engine, mysql({ operation: 'executeQuery', query: text, ...more }));
const table = { table: { __rl: true, mode: 'name', value: 'people' } };
const mapped = (matchingColumns: string[] = []) => ({
  columns: { mappingMode: 'autoMapInputData', value: null, matchingColumns },
});

it('runs queries with parameters, and several statements', async () => {
  const options = { queryReplacement: "={{ ['people', \"it's ?\"] }}" };
  expect(await query('SELECT COUNT(*) AS n, $2 AS t FROM $1:name', { options })).toEqual([
    { n: 0, t: "it's ?" },
  ]);
  expect(await query('SELECT 1 AS a; SELECT 2 AS b')).toEqual([{ a: 1 }, { b: 2 }]);
  expect(await query('SET @x = 1')).toEqual([{ success: true }]);
  const details = { options: { detailedOutput: true } };
  expect(await query('SET @x = 1', details)).toMatchObject([{ affectedRows: 0 }]);
  expect(await query('SELECT nothing')).toEqual({
    error: expect.stringContaining("Unknown column 'nothing'"),
  });
});

it('inserts, updates, upserts, selects and deletes', async () => {
  const ann = { name: 'Ann', age: 30, price: 1.5, more: { a: [1] } };
  const run = (parameters: JsonObject, input: JsonObject[] = [{}]) =>
    runFirstOutput(engine, mysql({ ...table, ...parameters }), input);
  expect(await run({ operation: 'insert', ...mapped() }, [ann])).toEqual([{ success: true }]);
  expect(await run({ operation: 'insert', ...mapped() }, [ann])).toEqual({
    error: expect.stringContaining("Duplicate entry 'Ann'"),
  });
  const skip = { options: { skipOnConflict: true } };
  expect(await run({ operation: 'insert', ...mapped(), ...skip }, [ann])).toEqual([{ success: true }]);
  await run({ operation: 'upsert', ...mapped(['name']) }, [
    { name: 'Ann', age: 31 },
    { name: 'Bob', age: 9 },
  ]);
  await run({ operation: 'update', ...mapped(['name']) }, [{ name: 'Bob', age: 10 }]);
  const sort = { sort: { values: [{ column: 'name', direction: 'DESC' }] } };
  const people = await run({ operation: 'select', ...sort, returnAll: true });
  expect(people).toMatchObject([
    { name: 'Bob', age: 10 },
    { name: 'Ann', age: 31, price: '1.50' },
  ]);
  const numbers = { options: { decimalNumbers: true } };
  const where = { where: { values: [{ column: 'name', condition: 'LIKE', value: 'A%' }] } };
  expect(await run({ operation: 'select', ...where, ...numbers })).toMatchObject([{ price: 1.5 }]);
  expect(await run({ operation: 'deleteTable', deleteCommand: 'delete', ...where })).toEqual([
    { success: true },
  ]);
  expect(await run({ operation: 'select' })).toMatchObject([{ name: 'Bob' }]);
  const old = { operation: 'insert', table: 'people', columns: 'name, age' };
  expect(await runFirstOutput(engine, mysql(old, 1), [{ name: 'Cy', age: 1 }])).toMatchObject([
    { affectedRows: 1 },
  ]);
});

it('ends a query with its execution', async () => {
  const abort = new AbortController();
  const node = mysql({ operation: 'executeQuery', query: 'SELECT SLEEP(600)' });
  const run = runWebhookNode(engine, node, [{}], { signal: abort.signal });
  const sleeping = async () =>
    (await query(
      "SELECT COUNT(*) AS n FROM information_schema.processlist WHERE info = 'SELECT SLEEP(600)'",
    )) as JsonObject[];
  await expect.poll(sleeping, { timeout: 30_000 }).toEqual([{ n: 1 }]);
  abort.abort();
  expect((await run).status).toBe('canceled');
});
