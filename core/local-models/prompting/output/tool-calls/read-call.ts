import { isObject } from '#core/base';
import type { ToolCall } from '#core/local-models/base/messages.ts';
import type { RequestTools } from './request-tools.ts';

/**
 * Parses calls from a JSON text: `{"name", "arguments" | "parameters"}`, the same within `"function"`, or an array of
 * them, alone or as `"tool_calls"`. Undefined: the text holds anything else, or a call of another tool.
 */
export function readCalls(text: string, tools: RequestTools): ToolCall[] | undefined {
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

function readCall(entry: unknown, tools: RequestTools): ToolCall | undefined {
  if (!isObject(entry)) return undefined;
  const target = isObject(entry.function) ? entry.function : entry;
  const name = target.name ?? target.tool_name ?? target.function;
  return typeof name === 'string'
    ? toToolCall(name, target.arguments ?? target.parameters ?? target.args, tools)
    : undefined;
}

/**
 * @param args an object, its JSON text, or nothing
 * @returns undefined when the request has no such tool, or when `args` is anything else
 */
export function toToolCall(name: string, args: unknown, tools: RequestTools): ToolCall | undefined {
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
