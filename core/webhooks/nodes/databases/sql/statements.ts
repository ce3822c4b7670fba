/** Statements of the operations on a table. Values are never part of the text. */
import type { JsonObject } from '#core/workflow-format';
import { NodeError } from '../../../node-api/node-error.ts';
import { columnList, type SqlDialect, type Statement } from './dialect.ts';

export interface Condition {
  column: string;
  condition: string;
  value: unknown;
}

/** Conditions by n8n's names. */
const OPERATORS: Record<string, string> = {
  equal: '=',
  '=': '=',
  '!=': '<>',
  LIKE: 'LIKE',
  '>': '>',
  '<': '<',
  '>=': '>=',
  '<=': '<=',
  'IS NULL': 'IS NULL',
  'IS NOT NULL': 'IS NOT NULL',
};

/** Collects values while a text is made. */
function collector(dialect: SqlDialect) {
  const values: unknown[] = [];
  return {
    values,
    add: (value: unknown) => {
      values.push(value === undefined ? null : value);
      return dialect.mark(values.length);
    },
  };
}

export function insertStatement(
  dialect: SqlDialect,
  table: string,
  row: JsonObject,
  more: { verb?: string; conflict?: string; output: string[] },
): Statement {
  const { values, add } = collector(dialect);
  const names = Object.keys(row);
  const verb = more.verb ?? 'INSERT INTO';
  const end = (more.conflict ?? '') + dialect.returning(more.output);
  if (names.length === 0) throw new NodeError('The item has no values for the columns of the table');
  const marks = names.map((name) => add(row[name]));
  const columns = names.map(dialect.quote).join(', ');
  return { text: `${verb} ${table} (${columns}) VALUES (${marks.join(', ')})${end}`, values };
}

export function updateStatement(
  dialect: SqlDialect,
  table: string,
  change: { matching: string[]; row: JsonObject; output: string[]; verb?: string },
): Statement {
  const { values, add } = collector(dialect);
  const { matching, row, output, verb = 'UPDATE' } = change;
  const changed = Object.keys(row).filter((name) => !matching.includes(name));
  if (changed.length === 0) {
    throw new NodeError(
      "Add values to update or upsert to the input item or set the 'Data Mode' to 'Define Below' to define the values to upsert.",
    );
  }
  const set = changed.map((name) => `${dialect.quote(name)} = ${add(row[name])}`).join(', ');
  const where = matching.map((name) => `${dialect.quote(name)} = ${add(row[name])}`).join(' AND ');
  return { text: `${verb} ${table} SET ${set} WHERE ${where}${dialect.returning(output)}`, values };
}

export function upsertStatement(
  dialect: SqlDialect,
  table: string,
  change: { matching: string[]; row: JsonObject; output: string[]; verb?: string },
): Statement {
  const { matching, row, output, verb } = change;
  const changed = Object.keys(row).filter((name) => !matching.includes(name));
  const conflict = dialect.onConflict(matching, changed);
  return insertStatement(dialect, table, row, { conflict, output, ...(verb !== undefined && { verb }) });
}

export function selectStatement(
  dialect: SqlDialect,
  table: string,
  query: {
    conditions: Condition[];
    combine: string;
    sort: { column: string; direction: string }[];
    output: string[];
    limit: number | undefined;
    distinct?: boolean;
  },
): Statement {
  const { values, add } = collector(dialect);
  const columns = columnList(dialect, query.output);
  const where = whereClause(dialect, query.conditions, query.combine, add);
  const order = query.sort.map(
    ({ column, direction }) => `${dialect.quote(column)} ${direction === 'DESC' ? 'DESC' : 'ASC'}`,
  );
  const sorted = order.length > 0 ? ` ORDER BY ${order.join(', ')}` : '';
  const limited = query.limit === undefined ? '' : ` LIMIT ${Math.max(0, Math.floor(query.limit))}`;
  const verb = query.distinct ? 'SELECT DISTINCT' : 'SELECT';
  return { text: `${verb} ${columns} FROM ${table}${where}${sorted}${limited}`, values, selects: true };
}

export function deleteStatement(
  dialect: SqlDialect,
  table: string,
  conditions: Condition[],
  combine: string,
): Statement {
  const { values, add } = collector(dialect);
  return { text: `DELETE FROM ${table}${whereClause(dialect, conditions, combine, add)}`, values };
}

function whereClause(
  dialect: SqlDialect,
  conditions: Condition[],
  combine: string,
  add: (value: unknown) => string,
): string {
  if (conditions.length === 0) return '';
  const parts = conditions.map(({ column, condition, value }) => {
    const operator = Object.hasOwn(OPERATORS, condition) ? OPERATORS[condition] : undefined;
    if (operator === undefined) throw new NodeError(`The condition "${condition}" is not known`);
    const name = dialect.quote(column);
    return operator.startsWith('IS') ? `${name} ${operator}` : `${name} ${operator} ${add(value)}`;
  });
  return ` WHERE ${parts.join(combine === 'OR' ? ' OR ' : ' AND ')}`;
}
