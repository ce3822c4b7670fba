/** Queries of Postgres, by the client of the platform. */
import type { SqlSettings } from '#core/host';
import type { JsonObject } from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { commaList } from '../shared/comma-list.ts';
import { postgresDialect as dialect, type SqlDialect, type Statement } from './sql/dialect.ts';
import { formatQuery } from './sql/format-query.ts';
import { newParameters, oldParameters } from './sql/parameters.ts';
import { postgresSettings } from './sql/postgres-settings.ts';
import {
  batchingOf,
  combineOf,
  conditionsOf,
  located,
  outputColumns,
  replacementsOf,
  rowOf,
  selectionOf,
} from './sql/read-parameters.ts';
import { runStatements } from './sql/run-statements.ts';
import {
  deleteStatement,
  insertStatement,
  selectStatement,
  updateStatement,
  upsertStatement,
} from './sql/statements.ts';
import { withClient } from './with-client.ts';

export const postgres: NodeType = {
  name: 'n8n-nodes-base.postgres',
  label: 'Postgres',
  description: 'Queries a Postgres database.',
  group: 'network',
  versions: [1, 2, 2.1, 2.2, 2.3, 2.4, 2.5, 2.6],
  inputs: 1,
  outputs: ['main'],
  needsClients: true,
  credentials: [{ type: 'postgres', required: true }],
  parameters: [...newParameters({ hasSchema: true }), ...oldParameters({ hasSchema: true })],
  async execute(context) {
    const settings = postgresSettings(await context.credential('postgres'), await numbersOf(context));
    return withClient(context, 'postgres', settings, async (client) => {
      const types = new Map<string, Promise<Map<string, string>>>();
      const typesOf = (schema: string, table: string) => {
        const key = JSON.stringify([schema, table]);
        const found = types.get(key) ?? columnTypes(client, schema, table);
        types.set(key, found);
        return found;
      };
      const items = await runStatements(context, {
        client,
        batching: context.version < 2 ? 'independently' : batchingOf(context),
        statement: (item, index) =>
          context.version < 2
            ? oldStatement(context, item.json, index)
            : newStatement(context, { item, index, typesOf }),
        report: () => ({ success: true }),
      });
      return [items];
    });
  },
};

async function numbersOf(context: NodeContext): Promise<NonNullable<SqlSettings['numbers']>> {
  const isNumber = (await context.parameter('options.largeNumbersOutput', 0, 'text')) === 'numbers';
  return isNumber ? { large: true, decimal: true } : {};
}

type TypesOf = (schema: string, table: string) => Promise<Map<string, string>>;

async function newStatement(
  context: NodeContext,
  { item, index, typesOf }: { item: Parameters<typeof rowOf>[1]; index: number; typesOf: TypesOf },
): Promise<Statement> {
  const operation = context.literal<string>('operation');
  if (operation === 'executeQuery') {
    const query = String((await context.parameter('query', index)) ?? '');
    return { text: formatQuery(query, await replacementsOf(context, index)), values: [] };
  }
  const schema = (await located(context, 'schema', index)) || 'public';
  const name = await located(context, 'table', index);
  const table = `${dialect.quote(schema)}.${dialect.quote(name)}`;
  if (operation === 'select') {
    return selectStatement(dialect, table, {
      ...(await selectionOf(context, index)),
    });
  }
  if (operation === 'deleteTable') return deletion(context, table, index);
  const { row, matching } = await rowOf(context, item, index, { matches: operation !== 'insert' });
  const change = {
    matching,
    row: await withJsonTexts(row, () => typesOf(schema, name)),
    output: await outputColumns(context, index),
  };
  if (operation === 'update') return updateStatement(dialect, table, change);
  if (operation === 'upsert') return upsertStatement(dialect, table, change);
  const skips = (await context.parameter('options.skipOnConflict', index, false)) === true;
  return insertStatement(dialect, table, change.row, {
    output: change.output,
    ...(skips && { conflict: ' ON CONFLICT DO NOTHING' }),
  });
}

async function deletion(context: NodeContext, table: string, index: number): Promise<Statement> {
  const cascade = (await context.parameter('options.cascade', index, false)) === true ? ' CASCADE' : '';
  switch (await context.parameter('deleteCommand', index)) {
    case 'delete':
      return deleteStatement(
        dialect,
        table,
        await conditionsOf(context, index),
        await combineOf(context, index),
      );
    case 'drop':
      return { text: `DROP TABLE IF EXISTS ${table}${cascade}`, values: [] };
    default: {
      const restarts =
        (await context.parameter('restartSequences', index)) === true ? ' RESTART IDENTITY' : '';
      return { text: `TRUNCATE TABLE ${table}${restarts}${cascade}`, values: [] };
    }
  }
}

/** Version 1: columns by name, filled from the item. */
async function oldStatement(context: NodeContext, json: JsonObject, index: number): Promise<Statement> {
  const operation = context.literal<string>('operation');
  if (operation === 'executeQuery') {
    return { text: String((await context.parameter('query', index)) ?? ''), values: [] };
  }
  const { table, row, output } = await oldRow(context, json, index, dialect);
  if (operation === 'insert') return insertStatement(dialect, table, row, { output });
  const key = String((await context.parameter('updateKey', index)) || 'id');
  return updateStatement(dialect, table, { matching: [key], row: { ...row, [key]: json[key] }, output });
}

async function oldRow(context: NodeContext, json: JsonObject, index: number, { quote }: SqlDialect) {
  const schema = String((await context.parameter('schema', index)) || 'public');
  const table = `${quote(schema)}.${quote(String(await context.parameter('table', index)))}`;
  // A type may stand behind the name of a column: `id:int`.
  const names = commaList(await context.parameter('columns', index)).map((name) => name.split(':')[0]!);
  const row = Object.fromEntries(names.map((name) => [name, json[name]]));
  return { table, row, output: commaList(await context.parameter('returnFields', index)) };
}

/** A list is an array of the database, except in columns of JSON. */
async function withJsonTexts(
  row: JsonObject,
  types: () => Promise<Map<string, string>>,
): Promise<JsonObject> {
  if (!Object.values(row).some(Array.isArray)) return row;
  const columns = await types();
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      Array.isArray(value) && columns.get(name)?.startsWith('json') ? JSON.stringify(value) : value,
    ]),
  );
}

async function columnTypes(
  client: { query(text: string, values: unknown[]): Promise<{ rows?: JsonObject[] }[]> },
  schema: string,
  table: string,
): Promise<Map<string, string>> {
  const text = `SELECT column_name AS name, data_type AS type FROM information_schema.columns
    WHERE table_schema = $1 AND table_name = $2`;
  const [result] = await client.query(text, [schema, table]);
  return new Map((result?.rows ?? []).map(({ name, type }) => [String(name), String(type)]));
}
