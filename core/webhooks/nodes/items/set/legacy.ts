import type { NodeContext } from '#core/webhooks/node-api/node-context.ts';
import type { Item, JsonObject } from '#core/workflow-format';
import { writeField } from '../../shared/fields.ts';

type FieldsByType = Partial<Record<FieldType, { name?: string; value?: unknown }[]>>;
type FieldType = 'boolean' | 'number' | 'string';

/** Versions 1 and 2, which have a list of fields for each type. */
export async function setLegacyFields(context: NodeContext, item: Item, index: number): Promise<Item> {
  const keepOnlySet = (await context.parameter('keepOnlySet', index)) === true;
  const dots = (await context.parameter('options.dotNotation', index, true)) !== false;
  const fields = await context.parameter<FieldsByType>('values', index, {});
  const json: JsonObject = keepOnlySet ? {} : structuredClone(item.json);
  for (const type of ['boolean', 'number', 'string'] as const) {
    for (const { name = 'propertyName', value } of fields[type] ?? []) {
      writeField(json, name, fieldValue(type, value, context.version), dots);
    }
  }
  return !keepOnlySet && item.binary ? { json, binary: { ...item.binary } } : { json };
}

/** Any text makes a boolean true, "false" as well. Only version 2 makes numbers of texts. */
function fieldValue(type: FieldType, value: unknown, version: number): unknown {
  if (type === 'boolean') return Boolean(value);
  if (type === 'string') return value ?? '';
  if (value === undefined || value === null) return 0;
  const isNumeric = typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value));
  return version >= 2 && isNumeric ? Number(value) : value;
}
