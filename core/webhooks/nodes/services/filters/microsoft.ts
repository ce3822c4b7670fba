/** Filters of the services of Microsoft. */
import { isObject } from '#core/base';
import type { JsonObject } from '#core/workflow-format';
import { NodeError } from '../../../node-api/node-error.ts';

/** @throws NodeError for a name with signs that would lead to another file */
export function oneDriveName(value: unknown): string {
  const name = String(value);
  const wrong = [...'"*:<>?/\\|'].filter((sign) => name.includes(sign));
  if (wrong.length === 0) return name;
  throw new NodeError(`The file name "${name}" has signs that OneDrive does not take: ${wrong.join(' ')}`);
}

/** An object of SharePoint without the notes of its protocol (OData), also in its fields. */
export function sharePointSimple(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sharePointSimple);
  if (!isObject(value)) return value;
  const plain = withoutNotes(value);
  return isObject(plain.fields) ? { ...plain, fields: withoutNotes(plain.fields) } : plain;
}

const withoutNotes = (value: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !name.includes('@odata.')));
