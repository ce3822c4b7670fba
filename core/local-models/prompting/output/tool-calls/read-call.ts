import type { ToolCall } from '#core/local-models/base/messages.ts';
import type { KnownTools } from './parser.ts';

/**
 * The calls in a JSON text: an object `{"name", "arguments" | "parameters"}`, the same within `"function"`, or an
 * array of them, alone or as `"tool_calls"`. undefined = not calls of these tools.
 */
export function readCalls(text: string, tools: KnownTools): ToolCall[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (isObject(value)) value = value.tool_calls ?? value.tool_call ?? value;
  const entries = Array.isArray(value) ? value : [value];
  const calls = entries.map((entry) => readCall(entry, tools));
  return calls.length > 0 && calls.every((call) => call !== undefined) ? calls : undefined;
}

function readCall(entry: unknown, tools: KnownTools): ToolCall | undefined {
  if (!isObject(entry)) return undefined;
  const target = isObject(entry.function) ? entry.function : entry;
  const name = target.name ?? target.tool_name ?? target.function;
  return typeof name === 'string'
    ? callOf(name, target.arguments ?? target.parameters ?? target.args, tools)
    : undefined;
}

/** `args`: an object, the JSON text of one, or nothing. */
export function callOf(name: string, args: unknown, tools: KnownTools): ToolCall | undefined {
  if (!tools.has(name)) return undefined;
  if (args === undefined || args === null) return { name, arguments: {} };
  if (isObject(args)) return { name, arguments: args };
  if (typeof args !== 'string') return undefined;
  if (args.trim() === '') return { name, arguments: {} };
  try {
    const parsed: unknown = JSON.parse(args);
    return isObject(parsed) ? { name, arguments: parsed } : undefined;
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
