/** The arguments of tool calls, which models write as text. */
import { isObject } from '#core/base';
import type { ToolCall } from '../../../node-api/chat.ts';

/** A call as a model wrote it. `args`: JSON text, or a value. */
export interface WrittenCall {
  id: string;
  name: string;
  args: unknown;
}

/** The calls whose arguments are objects, and whether there are others. */
export function readToolCalls(written: WrittenCall[]): { toolCalls: ToolCall[]; hasInvalidCalls: boolean } {
  const toolCalls: ToolCall[] = [];
  for (const { id, name, args } of written) {
    const value = readArguments(args);
    if (value) toolCalls.push({ id, name, args: value });
  }
  return { toolCalls, hasInvalidCalls: toolCalls.length < written.length };
}

function readArguments(args: unknown): Record<string, unknown> | undefined {
  if (isObject(args)) return args;
  if (args === undefined || args === null || args === '') return {};
  try {
    const value: unknown = JSON.parse(String(args));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
