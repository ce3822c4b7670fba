import type { NodeContext } from '#core/webhooks/node-api/node-context.ts';
import { deletePath, getPath, type Item, type JsonObject, setPath } from '#core/workflow-format';
import { commaList } from '../../shared/comma-list.ts';

/** A copy of what of the item's own fields is kept. */
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
    const kept: JsonObject = {};
    for (const field of commaList(await context.parameter('includeFields', index, ''))) {
      const value = dots ? getPath(item.json, field) : item.json[field];
      if (value === undefined) continue;
      if (dots) setPath(kept, field, structuredClone(value));
      else kept[field] = structuredClone(value);
    }
    return kept;
  }
  const all = structuredClone(item.json);
  if (include === 'except') {
    for (const field of commaList(await context.parameter('excludeFields', index, ''))) {
      if (dots) deletePath(all, field);
      else delete all[field];
    }
  }
  return all;
}
