/**
 * Fills `$1`, `$2` … of a query of Postgres, as n8n's node does: with modifiers such as `$1:name`, also within several
 * statements.
 */
import { isObject } from '#core/base';
import { NodeError } from '../../../node-api/node-error.ts';
import { postgresDialect } from './dialect.ts';

const MARK = /\$(\d{1,5})(?::(name|alias|raw|value|csv|list|json)|(~|\^|#))?/g;
const SHORT: Record<string, string> = { '~': 'name', '^': 'raw', '#': 'value' };

/** @throws NodeError for a mark without a value */
export function formatQuery(query: string, values: unknown[]): string {
  if (values.length === 0) return query;
  return query.replace(MARK, (_mark, number: string, word?: string, sign?: string) => {
    const index = Number(number) - 1;
    if (index < 0 || index >= values.length) {
      throw new NodeError(`Variable $${number} out of range. Parameters array length: ${values.length}`);
    }
    return formatted(values[index], word ?? (sign && SHORT[sign]));
  });
}

function formatted(value: unknown, modifier: string | undefined): string {
  switch (modifier) {
    case 'name':
    case 'alias':
      return names(value);
    case 'raw':
      return String(value ?? '');
    case 'value':
      return escapedText(String(value ?? ''));
    case 'csv':
    case 'list':
      return (Array.isArray(value) ? value : [value]).map(literal).join(',');
    case 'json':
      return quoted(JSON.stringify(value ?? null));
    default:
      return literal(value);
  }
}

function names(value: unknown): string {
  if (value === '*') return '*';
  const list = Array.isArray(value) ? value : isObject(value) ? Object.keys(value) : [value];
  return list.map((name) => postgresDialect.quote(String(name))).join(',');
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return numberText(value);
  if (Array.isArray(value)) return value.length === 0 ? "'{}'" : `array[${value.map(literal).join(',')}]`;
  return quoted(typeof value === 'string' ? value : JSON.stringify(value));
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return value < 0 ? `(${value})` : String(value);
  return quoted(Number.isNaN(value) ? 'NaN' : value > 0 ? '+Infinity' : '-Infinity');
}

/** Backslashes count only in texts with an E, whatever the settings of the server are. */
function quoted(text: string): string {
  const escaped = `'${escapedText(text).replace(/\\/g, '\\\\')}'`;
  return escaped.includes('\\') ? ` E${escaped}` : escaped;
}

function escapedText(text: string): string {
  // The server's texts cannot contain this character.
  return text.replaceAll('\0', '').replace(/'/g, "''");
}
