/** Runs the statements of a node's items, and makes items of the results. */
import { errorMessage } from '#core/base';
import type { SqlClient, SqlResult } from '#core/host';
import type { Item, JsonObject } from '#core/workflow-format';
import type { NodeContext } from '../../../node-api/node-context.ts';
import { NodeError } from '../../../node-api/node-error.ts';
import type { Statement } from './dialect.ts';

/**
 * - `single`, `transaction`: all statements or none.
 * - `independently`: each statement alone.
 */
export type QueryBatching = 'single' | 'independently' | 'transaction';

export interface StatementRun {
  client: SqlClient;
  batching: QueryBatching;
  /** Makes the statement of an item. */
  statement(item: Item, index: number): Promise<Statement>;
  /** The item of a statement without rows. */
  report(result: SqlResult): JsonObject;
}

export async function runStatements(context: NodeContext, run: StatementRun): Promise<Item[]> {
  if (run.batching === 'independently') return runEach(context, run);
  const { client } = run;
  let current = 0;
  try {
    const statements: Statement[] = [];
    for (const [index, item] of context.items().entries()) {
      current = index;
      statements.push(await run.statement(item, index));
    }
    // One statement is a transaction of its own, and some commands cannot be part of another one.
    const isTransaction = statements.length > 1 || run.batching === 'transaction';
    if (isTransaction) await client.query('BEGIN');
    const items: Item[] = [];
    for (const [index, statement] of statements.entries()) {
      current = index;
      items.push(...(await itemsOf(run, statement, index)));
    }
    if (isTransaction) await client.query('COMMIT');
    return items;
  } catch (error) {
    if (context.signal.aborted) throw error;
    await client.query('ROLLBACK').catch(() => {});
    const failure = queryError(error, current);
    if (!context.continueOnFail) throw failure;
    return [{ json: { error: failure.message }, pairedItem: { item: current } }];
  }
}

async function runEach(context: NodeContext, run: StatementRun): Promise<Item[]> {
  const items: Item[] = [];
  for (const [index, item] of context.items().entries()) {
    context.signal.throwIfAborted();
    try {
      items.push(...(await itemsOf(run, await run.statement(item, index), index)));
    } catch (error) {
      if (context.signal.aborted) throw error;
      const failure = queryError(error, index);
      if (!context.continueOnFail) throw failure;
      items.push({ json: { error: failure.message }, pairedItem: { item: index } });
    }
  }
  return items;
}

async function itemsOf(
  run: StatementRun,
  { text, values, selects }: Statement,
  index: number,
): Promise<Item[]> {
  const results = await run.client.query(text, values.length > 0 ? values : undefined);
  const rows = results.flatMap((result) => result.rows ?? []);
  const found = rows.length > 0 || selects ? rows : [run.report(results.at(-1) ?? {})];
  return found.map((row) => ({ json: row as JsonObject, pairedItem: { item: index } }));
}

/** The error of the database with its own words. */
function queryError(error: unknown, itemIndex: number): NodeError {
  if (error instanceof NodeError) return error;
  const { detail, hint, code } = error as { detail?: string; hint?: string; code?: string };
  const description = [detail, hint].filter(Boolean).join(' ') || (code && `Code ${code}`);
  return new NodeError(errorMessage(error), {
    itemIndex,
    ...(description && { description }),
    cause: error,
  });
}
