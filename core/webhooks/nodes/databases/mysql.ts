/** Queries of MySQL and MariaDB, by the client of the platform. */
import type { SqlResult } from '#core/host';
import type { Item, JsonObject } from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { commaList } from '../shared/comma-list.ts';
import { mysqlDialect as dialect, type Statement } from './sql/dialect.ts';
import { mysqlSettings } from './sql/mysql-settings.ts';
import { newParameters, oldParameters } from './sql/parameters.ts';
import {
  batchingOf,
  combineOf,
  conditionsOf,
  located,
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

export const mysql: NodeType = {
  name: 'n8n-nodes-base.mySql',
  label: 'MySQL',
  description: 'Queries a MySQL or MariaDB database.',
  group: 'network',
  versions: [1, 2, 2.1, 2.2, 2.3, 2.4, 2.5],
  inputs: 1,
  outputs: ['main'],
  needsClients: true,
  credentials: [{ type: 'mySql', required: true }],
  parameters: [...newParameters({ hasSchema: false }), ...oldParameters({ hasSchema: false })],
  async execute(context) {
    const large = await context.parameter<unknown>('options.largeNumbersOutput', 0, undefined);
    const numbers = {
      ...(large !== undefined && { large: large === 'numbers' }),
      decimal: (await context.parameter('options.decimalNumbers', 0, false)) === true,
    };
    const settings = mysqlSettings(await context.credential('mySql'), numbers);
    const detailed =
      context.version < 2 || (await context.parameter('options.detailedOutput', 0, false)) === true;
    return withClient(context, 'mysql', settings, async (client) => [
      await runStatements(context, {
        client,
        batching: context.version < 2 ? 'independently' : batchingOf(context),
        statement: (item, index) =>
          context.version < 2 ? oldStatement(context, item.json, index) : newStatement(context, item, index),
        report: ({ report }: SqlResult) => (detailed && report ? report : { success: true }),
      }),
    ]);
  },
};

async function newStatement(context: NodeContext, item: Item, index: number): Promise<Statement> {
  const operation = context.literal<string>('operation');
  if (operation === 'executeQuery') {
    const query = String((await context.parameter('query', index)) ?? '');
    return markedQuery(query, await replacementsOf(context, index));
  }
  const table = dialect.quote(await located(context, 'table', index));
  if (operation === 'select') {
    return selectStatement(dialect, table, {
      ...(await selectionOf(context, index)),
      distinct: (await context.parameter('options.selectDistinct', index, false)) === true,
    });
  }
  if (operation === 'deleteTable') {
    const command = await context.parameter('deleteCommand', index);
    if (command === 'delete') {
      return deleteStatement(
        dialect,
        table,
        await conditionsOf(context, index),
        await combineOf(context, index),
      );
    }
    return {
      text: command === 'drop' ? `DROP TABLE IF EXISTS ${table}` : `TRUNCATE TABLE ${table}`,
      values: [],
    };
  }
  return writing(context, { item, index, table, operation });
}

async function writing(
  context: NodeContext,
  { item, index, table, operation }: { item: Item; index: number; table: string; operation: string },
): Promise<Statement> {
  const { row, matching } = await rowOf(context, item, index, { matches: operation !== 'insert' });
  const change = { matching, row: withJson(row), output: [] };
  if (operation === 'update') return updateStatement(dialect, table, change);
  if (operation === 'upsert') return upsertStatement(dialect, table, change);
  const skips = (await context.parameter('options.skipOnConflict', index, false)) === true;
  const chosen = await context.parameter<unknown>('options.priority', index, '');
  const priority = chosen === 'LOW_PRIORITY' || chosen === 'HIGH_PRIORITY' ? ` ${chosen}` : '';
  const verb = `INSERT${priority}${skips ? ' IGNORE' : ''} INTO`;
  return insertStatement(dialect, table, change.row, { verb, output: [] });
}

/** `$1` becomes a placeholder, `$1:name` a quoted name. */
export function markedQuery(query: string, replacements: unknown[]): Statement {
  if (replacements.length === 0) return { text: query, values: [] };
  const values: unknown[] = [];
  const text = query.replace(/\$(\d{1,5})(:name)?/g, (_mark, number: string, isName?: string) => {
    const index = Number(number) - 1;
    if (index < 0 || index >= replacements.length) {
      throw new NodeError(
        `Variable $${number} out of range. Parameters array length: ${replacements.length}`,
      );
    }
    const value = replacements[index];
    if (isName) return dialect.quote(String(value));
    values.push(isJson(value) ? JSON.stringify(value) : value);
    return '?';
  });
  // Question marks of the query itself stay placeholders for the remaining values, as in the database's own clients.
  return { text, values: values.length > 0 ? values : replacements };
}

/** Version 1: columns by name, filled from the item. */
async function oldStatement(context: NodeContext, json: JsonObject, index: number): Promise<Statement> {
  const operation = context.literal<string>('operation');
  if (operation === 'executeQuery') {
    return { text: String((await context.parameter('query', index)) ?? ''), values: [] };
  }
  const table = dialect.quote(await located(context, 'table', index));
  const names = commaList(await context.parameter('columns', index));
  const row = withJson(Object.fromEntries(names.map((name) => [name, json[name]])));
  if (operation === 'insert') return insertStatement(dialect, table, row, { output: [] });
  const key = String((await context.parameter('updateKey', index)) || 'id');
  const change = { matching: [key], row: { ...row, [key]: json[key] }, output: [] };
  return updateStatement(dialect, table, change);
}

const isJson = (value: unknown) => typeof value === 'object' && value !== null;

/** Objects are stored as texts: the client would write an object as a list of assignments. */
function withJson(row: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, isJson(value) ? JSON.stringify(value) : value]),
  );
}
