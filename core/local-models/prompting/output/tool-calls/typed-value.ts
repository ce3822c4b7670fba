/**
 * Converts an untyped text to a value of its parameter's type. A text that does not fit remains text where the schema
 * allows strings; otherwise the JSON value that the model wrote counts.
 * @param schema the JSON schema of the parameter
 */
export function typedValue(text: string, schema: Record<string, unknown>): unknown {
  const types = typesOf(schema);
  const trimmed = text.trim();
  if (types.size === 0 || (types.has('string') && types.size === 1)) return text;
  const parsed = parse(trimmed);
  if (parsed !== undefined && types.has(typeOf(parsed))) return parsed;
  if (parsed !== undefined && typeof parsed === 'number' && types.has('number')) return parsed;
  if (types.has('boolean') && /^(true|false)$/i.test(trimmed)) return trimmed.toLowerCase() === 'true';
  if (types.has('null') && /^(null|none)$/i.test(trimmed)) return null;
  return types.has('string') || parsed === undefined ? text : parsed;
}

function typesOf(schema: Record<string, unknown>): Set<string> {
  const types = new Set<string>();
  const add = (names: unknown) => {
    for (const name of Array.isArray(names) ? names : [names]) if (typeof name === 'string') types.add(name);
  };
  add(schema.type);
  for (const options of [schema.anyOf, schema.oneOf]) {
    if (!Array.isArray(options)) continue;
    for (const option of options) add((option as { type?: unknown } | null)?.type);
  }
  return types;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
