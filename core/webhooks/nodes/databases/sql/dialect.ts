/** The differences between the databases of SQL. */

/** A statement with the values of its placeholders. */
export interface Statement {
  text: string;
  values: unknown[];
  /** Whether no rows are no items. Otherwise the item says that the statement succeeded. */
  selects?: boolean;
}

export interface SqlDialect {
  /** An identifier in quotation marks. */
  quote(name: string): string;
  /** The placeholder of a value, counted from 1. */
  mark(index: number): string;
  /** The end of a statement that changes rows, so that it returns them. */
  returning(columns: string[]): string;
  /** The part of an insertion that changes an existing row. */
  onConflict(matching: string[], changed: string[]): string;
}

export const postgresDialect: SqlDialect = {
  quote: (name) => `"${name.replace(/"/g, '""')}"`,
  mark: (index) => `$${index}`,
  returning: (columns) => ` RETURNING ${columnList(postgresDialect, columns)}`,
  onConflict: (matching, changed) => {
    const { quote } = postgresDialect;
    const target = ` ON CONFLICT (${matching.map(quote).join(', ')})`;
    if (changed.length === 0) return `${target} DO NOTHING`;
    return `${target} DO UPDATE SET ${changed.map((name) => `${quote(name)} = EXCLUDED.${quote(name)}`).join(', ')}`;
  },
};

export const mysqlDialect: SqlDialect = {
  quote: (name) => `\`${name.replace(/`/g, '``')}\``,
  mark: () => '?',
  returning: () => '',
  onConflict: (matching, changed) => {
    const { quote } = mysqlDialect;
    const names = changed.length > 0 ? changed : matching;
    return ` ON DUPLICATE KEY UPDATE ${names.map((name) => `${quote(name)} = VALUES(${quote(name)})`).join(', ')}`;
  },
};

/** Names of columns, or all of them. */
export function columnList({ quote }: Pick<SqlDialect, 'quote'>, columns: string[]): string {
  return columns.length === 0 || columns.includes('*') ? '*' : columns.map(quote).join(', ');
}
