import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Engine } from '#core/webhooks/engine/engine.ts';
import type { JsonObject } from '#core/workflow-format';
import { runFirstOutput, runWebhookNode } from '#test/support/webhooks/run-node.ts';
import { openEngine } from '#test/support/webhooks/workflow-case.ts';

let engine: Engine;
beforeEach(async () => {
  ({ engine } = await openEngine());
  onTestFinished(() => engine.close());
  const columns = [
    { name: 'name', type: 'string' },
    { name: 'age', type: 'number' },
    { name: 'paid', type: 'boolean' },
    { name: 'born', type: 'date' },
  ];
  await engine.services.dataTables.create('people', columns, new AbortController().signal);
});

const dataTableId = { __rl: true, mode: 'name', value: 'People' };
const node = (parameters: JsonObject) => ({
  type: 'n8n-nodes-base.dataTable',
  typeVersion: 1.1,
  parameters: { dataTableId, ...parameters },
});
const run = (parameters: JsonObject, input: JsonObject[] = [{}]) =>
  runFirstOutput(engine, node(parameters), input);
const where = (...conditions: [keyName: string, condition: string, keyValue?: unknown][]) => ({
  filters: {
    conditions: conditions.map(([keyName, condition, keyValue]) => ({ keyName, condition, keyValue })),
  },
});
const automatic = { columns: { mappingMode: 'autoMapInputData', value: null } };
const people = [
  { name: 'Ann', age: '30', paid: 'true', born: '2000-01-01' },
  { name: 'Bob', age: 20, id: 99, updatedAt: 'never' },
  { name: 'anna' },
];
const insert = () => run({ operation: 'insert', ...automatic }, people);
const names = async (parameters: JsonObject) => {
  const rows = await run({ operation: 'get', ...parameters });
  return Array.isArray(rows) ? rows.map(({ name }) => name) : rows;
};

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
const system = { createdAt: time, updatedAt: time };

describe('rows', () => {
  it('are inserted with the types of their columns, and numbers of their own', async () => {
    expect(await insert()).toEqual([
      { id: 1, ...system, name: 'Ann', age: 30, paid: true, born: '2000-01-01T00:00:00.000Z' },
      { id: 2, ...system, name: 'Bob', age: 20, paid: null, born: null },
      { id: 3, ...system, name: 'anna', age: null, paid: null, born: null },
    ]);
    const short = { operation: 'insert', ...automatic, options: { optimizeBulk: true } };
    expect(await run(short, people)).toEqual([{ success: true, insertedRows: 3 }]);
  });

  it('are all stored or none: a wrong value names its column', async () => {
    const error = await run({ operation: 'insert', ...automatic }, [{ name: 'Ann' }, { age: 'old' }]);
    expect(error).toEqual({
      error: "value 'old' does not match column type 'number': 'age' expects a number but we got 'old'",
    });
    expect(await names({})).toEqual([]);
    expect(await run({ operation: 'insert', ...automatic }, [{ other: 1 }])).toEqual({
      error: "unknown column name 'other'",
    });
    expect(await run({ operation: 'insert', ...automatic }, [{ name: [1] }])).toEqual({
      error: "unexpected array input '[1]' in row 0",
    });
  });

  it.each([
    [where(['name', 'eq', 'Ann']), ['Ann']],
    [where(['name', 'neq', 'Ann']), ['Bob', 'anna']],
    [where(['name', 'like', 'nn']), ['Ann', 'anna']],
    [where(['name', 'ilike', 'ANN%']), ['Ann', 'anna']],
    [where(['name', 'like', 'A%n']), ['Ann']],
    [where(['age', 'gt', '20']), ['Ann']],
    [where(['age', 'lte', 30]), ['Ann', 'Bob']],
    [where(['age', 'isEmpty']), ['anna']],
    [where(['paid', 'isTrue']), ['Ann']],
    [where(['born', 'lt', '2001-06-01']), ['Ann']],
    [where(['name', 'eq', 'Bob'], ['paid', 'isTrue']), ['Ann', 'Bob']],
    [{ matchType: 'allConditions', ...where(['name', 'eq', 'Bob'], ['paid', 'isTrue']) }, []],
    [where(['id', 'gte', 2]), ['Bob', 'anna']],
    [{ orderBy: true, orderByColumn: 'age', orderByDirection: 'ASC' }, ['anna', 'Bob', 'Ann']],
    [{ orderBy: true, orderByColumn: 'name' }, ['anna', 'Bob', 'Ann']],
    [{ limit: 2 }, ['Ann', 'Bob']],
  ])('are found by %j', async (parameters, found) => {
    await insert();
    expect(await names(parameters)).toEqual(found);
  });

  it('refuse an unknown column and a comparison with nothing', async () => {
    expect(await names(where(['size', 'eq', 1]))).toEqual({ error: "unknown column name 'size'" });
    expect(await names(where(['age', 'gt', null]))).toEqual({
      error: 'GT filter value cannot be null or undefined',
    });
    expect(await run({ operation: 'deleteRows' })).toEqual({ error: 'At least one condition is required' });
  });

  it('are updated, first without a change', async () => {
    await insert();
    const update = {
      operation: 'update',
      ...where(['name', 'eq', '={{ $json.who }}']),
      columns: { mappingMode: 'defineBelow', value: { age: '={{ $json.to }}' } },
    };
    const dry = await run({ ...update, options: { dryRun: true } }, [{ who: 'Bob', to: 21 }]);
    expect(dry).toMatchObject([
      { id: 2, age: 20, dryRunState: 'before' },
      { id: 2, age: 21, dryRunState: 'after' },
    ]);
    expect(await run({ operation: 'get', ...where(['age', 'eq', 20]) })).toHaveLength(1);
    expect(await run(update, [{ who: 'Bob', to: 21 }])).toMatchObject([{ id: 2, name: 'Bob', age: 21 }]);
    expect(await run(update, [{ who: 'Nobody', to: 21 }])).toEqual([]);
  });

  it('are upserted', async () => {
    await insert();
    const upsert = {
      operation: 'upsert',
      ...where(['name', 'eq', '={{ $json.name }}']),
      ...automatic,
    };
    const dry = await run({ ...upsert, options: { dryRun: true } }, [{ name: 'Cleo' }]);
    expect(dry).toMatchObject([
      { id: null, name: null, dryRunState: 'before' },
      { id: 0, name: 'Cleo', dryRunState: 'after' },
    ]);
    const changed = await run(upsert, [
      { name: 'Cleo', age: 5 },
      { name: 'Bob', age: 6 },
    ]);
    expect(changed).toMatchObject([
      { id: 4, name: 'Cleo', age: 5 },
      { id: 2, name: 'Bob', age: 6 },
    ]);
    // Two items of one name are one row.
    expect(await run(upsert, [{ name: 'Dan' }, { name: 'Dan' }])).toMatchObject([{ id: 5 }, { id: 5 }]);
  });

  it('are deleted, and their numbers are not used again', async () => {
    await insert();
    expect(await run({ operation: 'deleteRows', ...where(['id', 'gte', 2]) })).toMatchObject([
      { name: 'Bob' },
      { name: 'anna' },
    ]);
    expect(await run({ operation: 'insert', ...automatic }, [{ name: 'Eve' }])).toMatchObject([{ id: 4 }]);
  });

  it('let items pass by whether a row exists', async () => {
    await insert();
    const items = [{ name: 'Bob' }, { name: 'Zoe' }];
    const condition = where(['name', 'eq', '={{ $json.name }}']);
    expect(await run({ operation: 'rowExists', ...condition }, items)).toEqual([{ name: 'Bob' }]);
    expect(await run({ operation: 'rowNotExists', ...condition }, items)).toEqual([{ name: 'Zoe' }]);
  });
});

describe('tables', () => {
  const tables = (operation: string, parameters: JsonObject = {}) =>
    run({ resource: 'table', operation, ...parameters });

  it('are created, listed, renamed and deleted', async () => {
    const columns = {
      column: [
        { name: 'city', type: 'string' },
        { name: 'size', type: 'number' },
      ],
    };
    const create = { tableName: 'places', columns };
    const [created] = (await tables('create', create)) as JsonObject[];
    expect(created).toMatchObject({
      name: 'places',
      columns: [{ name: 'city', index: 0 }, { name: 'size' }],
    });
    expect(await tables('create', create)).toEqual({
      error: "Data table with name 'places' already exists in this project",
    });
    expect(await tables('create', { ...create, options: { createIfNotExists: true } })).toEqual([created]);
    expect(await tables('list', { options: { sortDirection: 'desc' } })).toMatchObject([
      { name: 'places' },
      { name: 'people' },
    ]);
    const id = { dataTableId: { __rl: true, mode: 'id', value: created!.id } };
    expect(await tables('update', { ...id, newName: 'towns' })).toEqual([{ success: true, name: 'towns' }]);
    expect(await tables('list', { options: { filterName: 'TOWN' } })).toMatchObject([{ name: 'towns' }]);
    expect(await tables('delete', id)).toEqual([{ success: true, deletedTableId: created!.id }]);
    expect(await tables('clear', id)).toEqual({ error: `Could not find the data table: '${created!.id}'` });
  });

  it.each([
    ['1a', 'Only alphabetical characters'],
    ['a-b', 'Only alphabetical characters'],
    ['createdAt', 'Column name "createdAt" is reserved as a system column name.'],
  ])('refuse the column %s', async (name, message) => {
    const columns = { column: [{ name, type: 'string' }] };
    expect(await tables('create', { tableName: 't', columns })).toEqual({
      error: expect.stringContaining(message),
    });
  });
});

it('takes items by a failing one when the node continues', async () => {
  const settings = { onError: 'continueRegularOutput' };
  const get = { operation: 'get', ...where(['age', 'eq', '={{ $json.age }}']) };
  await insert();
  const { outputs } = await runWebhookNode(engine, { ...node(get), ...settings } as never, [
    { age: 'x' },
    { age: 20 },
  ]);
  expect(outputs[0]).toMatchObject([{ error: expect.stringContaining('does not match') }, { name: 'Bob' }]);
});
