import type { NodeContext } from '#core/webhooks/node-api/node-context.ts';
import { type Item, type JsonObject, setPath } from '#core/workflow-format';

type Values = Partial<Record<'boolean' | 'number' | 'string', { name?: string; value?: unknown }[]>>;

/** Versions 1 and 2: one list of fields for each type. */
export async function olderSet(context: NodeContext, item: Item, index: number): Promise<Item> {
  const only = (await context.parameter('keepOnlySet', index)) === true;
  const dots = (await context.parameter('options.dotNotation', index, true)) !== false;
  const values = await context.parameter<Values>('values', index, {});
  const json: JsonObject = only ? {} : structuredClone(item.json);
  for (const type of ['boolean', 'number', 'string'] as const) {
    for (const { name = 'propertyName', value } of values[type] ?? []) {
      const set = value ?? (type === 'boolean' ? false : type === 'number' ? 0 : '');
      if (dots) setPath(json, name, set);
      else json[name] = set;
    }
  }
  return !only && item.binary ? { json, binary: { ...item.binary } } : { json };
}
