import { GoStruct, type Value } from './go-template/index.ts';

/** The template function `toTypeScriptType`: the TypeScript type of a property of a tool's parameters. */
export function toTypeScriptType(value: Value): string {
  if (!(value instanceof GoStruct)) return 'any';
  const { AnyOf: anyOf, Type: type, Items: items } = value.fields;
  if (Array.isArray(anyOf) && anyOf.length > 0) {
    return anyOf
      .map((option) => (option instanceof Map ? union(option.get('type'), option.get('items')) : 'any'))
      .join(' | ');
  }
  return union(type, items);
}

function union(type: Value, items: Value): string {
  const types = Array.isArray(type) ? type : type === undefined || type === '' ? [] : [type];
  if (types.length === 0) return 'any';
  return types.map((name) => mapType(String(name), items)).join(' | ');
}

function mapType(type: string, items: Value): string {
  switch (type) {
    case 'integer':
      return 'number';
    case 'array':
      return items instanceof Map && typeof items.get('type') === 'string'
        ? `${mapType(items.get('type') as string, items.get('items'))}[]`
        : 'any[]';
    case 'object':
      return 'Record<string, any>';
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return type;
    default:
      return 'any';
  }
}
