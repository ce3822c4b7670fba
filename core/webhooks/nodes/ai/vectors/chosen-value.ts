import { isObject } from '#core/base';
import type { NodeContext } from '../../../node-api/node-context.ts';

/** The value of a parameter that is a text, or a choice among resources: `{ __rl, mode, value }`. */
export async function chosenValue(
  context: Pick<NodeContext, 'parameter'>,
  path: string,
  itemIndex: number,
): Promise<string | undefined> {
  const value = await context.parameter<unknown>(path, itemIndex);
  const chosen = isObject(value) ? value.value : value;
  return chosen === undefined || chosen === null ? undefined : String(chosen);
}
