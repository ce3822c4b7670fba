import type { NodeContext } from '#core/webhooks/node-api/node-context.ts';
import type { Item, JsonObject } from '#core/workflow-format';
import { writeField } from '../../shared/fields.ts';

type FieldsByType = Partial<Record<'boolean' | 'number' | 'string', { name?: string; value?: unknown }[]>>;

/** Versions 1 and 2, which have a list of fields for each type. */
export async function setLegacyFields(context: NodeContext, item: Item, index: number): Promise<Item> {
  const keepOnlySet = (await context.parameter('keepOnlySet', index)) === true;
  const dots = (await context.parameter('options.dotNotation', index, true)) !== false;
  const fields = await context.parameter<FieldsByType>('values', index, {});
  const json: JsonObject = keepOnlySet ? {} : structuredClone(item.json);
  for (const type of ['boolean', 'number', 'string'] as const) {
    const emptyValue = type === 'boolean' ? false : type === 'number' ? 0 : '';
    for (const { name = 'propertyName', value } of fields[type] ?? []) {
      writeField(json, name, value ?? emptyValue, dots);
    }
  }
  return !keepOnlySet && item.binary ? { json, binary: { ...item.binary } } : { json };
}
