import { isObject } from '#core/base';
import type { JsonObject } from '#core/workflow-format';
import type { NodeContext } from '../../../node-api/node-context.ts';
import { NodeError } from '../../../node-api/node-error.ts';
import { parseJsonParameter } from '../../shared/parse-json.ts';

/**
 * The filter of a search: fields of the metadata with their values, or JSON in the language of the store.
 * @throws NodeError for text that is not a JSON object
 */
export async function searchFilter(
  context: Pick<NodeContext, 'parameter'>,
  itemIndex: number,
): Promise<JsonObject | undefined> {
  const fields = await context.parameter<unknown>('options.metadata.metadataValues', itemIndex, []);
  if (Array.isArray(fields) && fields.length > 0) {
    return Object.fromEntries(fields.filter(isObject).map(({ name, value }) => [String(name), value]));
  }
  const stored = await context.parameter<unknown>('options.searchFilterJson', itemIndex, undefined);
  if (stored === undefined || stored === '') return undefined;
  const message = 'The parameter "Search Filter" must be a JSON object';
  const filter = parseJsonParameter(stored, message, { itemIndex });
  if (!isObject(filter)) throw new NodeError(message, { itemIndex });
  return filter;
}
