/**
 * "SQL Query": the items of the inputs are the tables `input1`, `input2` …, and AlaSQL runs the query, as in n8n, whose
 * workflows use its dialect. AlaSQL compiles a query to code, and a query may contain code. So it runs in the sandbox,
 * within the limits of time and memory, and can reach nothing but the tables.
 */
import { isObject, Lazy } from '#core/base';
import type { NodeContext } from '#core/webhooks/node-api/node-context.ts';
import { NodeError } from '#core/webhooks/node-api/node-error.ts';
import type { Item, JsonObject } from '#core/workflow-format';

type QueryResult = { rows: unknown } | { problem: string };

/** The rows of the query as items. @throws NodeError for a query that fails or has no rows as its result */
export async function combineBySql(context: NodeContext, inputs: Item[][]): Promise<Item[]> {
  const query = String((await context.parameter('query', 0)) ?? '').trim();
  if (query === '') throw new NodeError('The parameter "SQL Query" is empty');
  const tables = inputs.map((items) => items.map(({ json }) => json));
  const [outcome] = await context.runCode({
    code: await program.get(),
    mode: 'allItems',
    input: { query, tables },
  });
  if (!outcome) return [];
  if ('error' in outcome) throw outcome.error;
  const result = outcome.value as QueryResult;
  if ('problem' in result) {
    throw new NodeError(`The SQL query failed: ${result.problem}`, {
      description: 'Tables are named input1, input2 …, and their columns are the fields of the items.',
    });
  }
  return rowsOf(result.rows).map((json) => ({ json, pairedItem: [] }));
}

/** The rows of a query. Where it has several statements, those of the last one that has rows. */
function rowsOf(result: unknown): JsonObject[] {
  const hasSeveralResults = Array.isArray(result) && result.some(Array.isArray);
  const rows = hasSeveralResults ? (result as unknown[]).filter(Array.isArray).at(-1) : result;
  if (Array.isArray(rows) && rows.every(isObject)) return rows as JsonObject[];
  throw new NodeError('The SQL query gives no rows', {
    description: 'End with a SELECT that gives named columns.',
  });
}

/** The library is large: it is loaded with the first query. */
const program = new Lazy(async () => {
  const { default: library } = await import('#core/webhooks/sandbox/sql-library.json', {
    with: { type: 'json' },
  });
  return DRIVER.replace('SOURCE', () => JSON.stringify(library.source));
});

/** Deletes every global that is not part of JavaScript: a workflow may put data of its callers into the query. */
const DRIVER = `
const { query, tables } = __input;
const standard = /^(Array|ArrayBuffer|BigInt|Boolean|Date|Error|EvalError|Function|Infinity|Intl|JSON|Map|Math|NaN|Number|Object|Promise|Proxy|RangeError|ReferenceError|Reflect|RegExp|Set|String|Symbol|SyntaxError|TypeError|URIError|WeakMap|WeakSet|undefined|eval|globalThis|isFinite|isNaN|parseFloat|parseInt|(de|en)codeURI(Component)?|(un)?escape|\\w+Array)$/;
for (const name of Object.getOwnPropertyNames(globalThis)) if (!standard.test(name)) delete globalThis[name];
const module = { exports: {} };
new Function('module', 'exports', SOURCE).call({}, module, module.exports);
const alasql = module.exports;
const database = new alasql.Database('merge');
tables.forEach((rows, index) => {
  database.exec('CREATE TABLE input' + (index + 1));
  database.tables['input' + (index + 1)].data = rows;
});
try {
  return { rows: database.exec(query) };
} catch (error) {
  return { problem: String(error?.message ?? error) };
}`;
