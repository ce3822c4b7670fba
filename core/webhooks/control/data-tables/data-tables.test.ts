import { afterEach, beforeEach, expect, it } from 'vitest';
import { openControl, type TestControl } from '#test/support/webhooks/control.ts';

let control: TestControl;
beforeEach(async () => {
  control = await openControl();
});
afterEach(() => control.close());

const columns = [
  { name: 'email', type: 'string' },
  { name: 'age', type: 'number' },
];
const create = async (name = 'customers') => {
  const created = await control.ask('POST', '/data-tables', { body: { name, columns } });
  return (await created.json()).id as string;
};
const statusOf = async (...call: Parameters<TestControl['ask']>) => {
  const response = await control.ask(...call);
  return [response.status, await response.json()];
};
const eq = (columnName: string, value: unknown) => ({
  type: 'and',
  filters: [{ columnName, condition: 'eq', value }],
});

it('creates, lists, renames and deletes tables', async () => {
  const created = await control.ask('POST', '/data-tables', { body: { name: 'customers', columns } });
  expect(created.status).toBe(201);
  const table = await created.json();
  expect(table).toMatchObject({ name: 'customers', columns: [{ name: 'email', index: 0 }, { index: 1 }] });
  await create('orders');
  const first = await control.json('GET', '/data-tables?limit=1&sortBy=name:desc');
  expect(first.data).toMatchObject([{ name: 'orders' }]);
  const second = await control.json(
    'GET',
    `/data-tables?limit=1&sortBy=name:desc&cursor=${first.nextCursor}`,
  );
  expect(second).toEqual({ data: [table], nextCursor: null });
  const filter = encodeURIComponent(JSON.stringify({ name: 'ORD' }));
  expect((await control.json('GET', `/data-tables?filter=${filter}`)).data).toHaveLength(1);
  expect(await control.json('PATCH', `/data-tables/${table.id}`, { name: 'clients' })).toMatchObject({
    id: table.id,
    name: 'clients',
  });
  expect(await control.json('GET', `/data-tables/${table.id}`)).toMatchObject({ name: 'clients' });
  expect((await control.ask('DELETE', `/data-tables/${table.id}`)).status).toBe(204);
  expect(await statusOf('GET', `/data-tables/${table.id}`)).toEqual([
    404,
    { message: `Could not find the data table: '${table.id}'` },
  ]);
});

it('changes columns, and keeps the values of renamed ones', async () => {
  const id = await create();
  await control.json('POST', `/data-tables/${id}/rows`, { data: [{ email: 'a@b', age: 3 }] });
  const path = `/data-tables/${id}/columns`;
  const city = { name: 'city', type: 'string' };
  expect(await statusOf('POST', path, { body: city })).toMatchObject([201, { name: 'city', index: 2 }]);
  const [email, age] = await control.json('GET', path);
  await control.json('PATCH', `${path}/${email.id}`, { name: 'mail', index: 2 });
  expect((await control.ask('DELETE', `${path}/${age.id}`)).status).toBe(204);
  expect(await control.json('GET', path)).toMatchObject([
    { name: 'city', index: 0 },
    { name: 'mail', index: 1 },
  ]);
  const { data } = await control.json('GET', `/data-tables/${id}/rows`);
  expect(data).toEqual([
    { id: 1, createdAt: data[0].createdAt, updatedAt: data[0].updatedAt, city: null, mail: 'a@b' },
  ]);
  expect(await statusOf('POST', path, { body: city })).toEqual([
    409,
    { message: "Data table column with name 'city' already exists in data table 'customers'" },
  ]);
});

it('inserts, lists, changes and deletes rows', async () => {
  const id = await create();
  const rows = `/data-tables/${id}/rows`;
  const data = [1, 2, 3].map((age) => ({ email: `user${age}@x`, age }));
  expect(await control.json('POST', rows, { data })).toEqual({ success: true, insertedRows: 3 });
  expect(await control.json('POST', rows, { data: [{}], returnType: 'id' })).toEqual([{ id: 4 }]);
  const page = await control.json('GET', `${rows}?limit=2&sortBy=age:desc`);
  expect(page.data).toMatchObject([{ age: 3 }, { age: 2 }]);
  const rest = await control.json('GET', `${rows}?limit=2&sortBy=age:desc&cursor=${page.nextCursor}`);
  expect(rest).toMatchObject({ data: [{ age: 1 }, { age: null }], nextCursor: null });
  expect((await control.json('GET', `${rows}?search=USER2`)).data).toMatchObject([{ id: 2 }]);

  const update = { filter: eq('age', 2), data: { email: 'new@x' } };
  expect(await control.json('PATCH', `${rows}/update`, update)).toBe(true);
  expect(await control.json('PATCH', `${rows}/update`, { ...update, returnData: true })).toMatchObject([
    { id: 2, email: 'new@x' },
  ]);
  const upsert = { filter: eq('age', 9), data: { age: 9 }, returnData: true };
  expect(await control.json('POST', `${rows}/upsert`, upsert)).toMatchObject([{ id: 5, age: 9 }]);

  const filter = encodeURIComponent(JSON.stringify(eq('age', 9)));
  const dry = await control.json('DELETE', `${rows}/delete?filter=${filter}&dryRun=true`);
  expect(dry).toMatchObject([
    { id: 5, dryRunState: 'before' },
    { id: null, dryRunState: 'after' },
  ]);
  expect(await control.json('DELETE', `${rows}/delete?filter=${filter}`)).toBe(true);
  expect(await control.json('DELETE', `${rows}/clear`)).toEqual({ deletedCount: 4 });
});

it.each([
  ['POST', '/rows', { data: {} }, 'request/body/data must be an array that is not empty'],
  ['POST', '/rows', { data: [1] }, 'A row must be an object'],
  ['POST', '/rows', { data: [{ size: 1 }] }, "unknown column name 'size'"],
  [
    'PATCH',
    '/rows/update',
    { data: { age: 1 }, filter: {} },
    'A filter must be an object with a list of filters',
  ],
  ['PATCH', '/rows/update', { data: { age: 1 }, filter: { filters: [] } }, 'Filter must not be empty'],
  ['PATCH', '/rows/update', { data: {}, filter: eq('age', 1) }, 'Data columns must not be empty'],
  ['GET', '/rows?sortBy=age', undefined, 'request/query/sortBy must have the form column:asc or column:desc'],
  ['GET', '/rows?filter=%7B', undefined, 'request/query/filter must be JSON'],
  ['DELETE', '/rows/delete', undefined, "request/query must have required property 'filter'"],
  [
    'POST',
    '/columns',
    { name: 'x', type: 'list' },
    'The type of a column must be one of string, number, boolean, date',
  ],
])('refuses %s %s %j', async (method, path, body, message) => {
  const id = await create();
  const options = body === undefined ? {} : { body };
  expect(await statusOf(method, `/data-tables/${id}${path}`, options)).toEqual([400, { message }]);
});
