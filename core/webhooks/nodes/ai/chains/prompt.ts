/** The question of the user, as AI nodes take it from an item. */
import type { NodeContext } from '../../../node-api/node-context.ts';
import { NodeError } from '../../../node-api/node-error.ts';

/** Expressions over the item by the parameter `promptType`. Every other type reads the parameter `text`. */
const FIELDS: Record<string, string> = {
  auto: '={{ $json["chatInput"] }}',
  guardrails: '={{ $json["guardrailsInput"] }}',
};

/** @throws NodeError "No prompt specified" */
export async function readPrompt(context: NodeContext, itemIndex: number): Promise<string> {
  const type = String((await context.parameter('promptType', itemIndex)) ?? 'define');
  const field = FIELDS[type];
  const value =
    field === undefined
      ? await context.parameter<unknown>('text', itemIndex)
      : await context.evaluate<unknown>(field, itemIndex);
  return requirePrompt(value);
}

/** @throws NodeError "No prompt specified" */
export function requirePrompt(value: unknown): string {
  if (value !== undefined && value !== null) return typeof value === 'string' ? value : JSON.stringify(value);
  throw new NodeError('No prompt specified', {
    description:
      "Expected to find the prompt in an input field called 'chatInput' (this is what the chat trigger node node outputs). To use something else, change the 'Prompt' parameter",
  });
}
