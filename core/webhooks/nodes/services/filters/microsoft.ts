/** Filters of OneDrive. */
import { NodeError } from '../../../node-api/node-error.ts';

/** @throws NodeError for a name with signs that would lead to another file */
export function oneDriveName(value: unknown): string {
  const name = String(value);
  const wrong = [...'"*:<>?/\\|'].filter((sign) => name.includes(sign));
  if (wrong.length === 0) return name;
  throw new NodeError(`The file name "${name}" has signs that OneDrive does not take: ${wrong.join(' ')}`);
}
