import type { ToolCall } from '../../types.ts';

/**
 * The calls in a JSON text: an object `{"name", "arguments" | "parameters"}`, the same within `"function"`, or an
 * array of them. undefined = not calls of these tools.
 */
export function readCalls(text: string, names: ReadonlySet<string>): ToolCall[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const entries = Array.isArray(value) ? value : [value];
  const calls = entries.map((entry) => readCall(entry, names));
  return calls.length > 0 && calls.every((call) => call !== undefined) ? calls : undefined;
}

function readCall(entry: unknown, names: ReadonlySet<string>): ToolCall | undefined {
  if (!isObject(entry)) return undefined;
  const target = isObject(entry.function) ? entry.function : entry;
  if (typeof target.name !== 'string' || !names.has(target.name)) return undefined;
  const args = target.arguments ?? target.parameters;
  if (args === undefined || args === null) return { name: target.name, arguments: {} };
  if (isObject(args)) return { name: target.name, arguments: args };
  if (typeof args !== 'string') return undefined;
  try {
    const parsed: unknown = JSON.parse(args);
    return isObject(parsed) ? { name: target.name, arguments: parsed } : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
