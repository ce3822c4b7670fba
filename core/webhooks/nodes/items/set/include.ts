import type { NodeContext } from '#core/webhooks/node-api/node-context.ts';
import type { Item, JsonObject } from '#core/workflow-format';
import { commaList } from '../../shared/comma-list.ts';
import { omitFields, pickFields } from '../../shared/fields.ts';

/** A deep copy of those fields of the item that the node includes in its output. */
export async function includedFields(
  context: NodeContext,
  item: Item,
  index: number,
  dots: boolean,
): Promise<JsonObject> {
  if (context.version >= 3.3 && (await context.parameter('includeOtherFields', index)) !== true) return {};
  const include = await context.parameter('include', index);
  if (include === 'none') return {};
  if (include === 'selected') {
    const fields = commaList(await context.parameter('includeFields', index, ''));
    return pickFields(structuredClone(item.json), fields, dots);
  }
  const excluded = include === 'except' ? commaList(await context.parameter('excludeFields', index, '')) : [];
  return omitFields(item.json, excluded, dots);
}
