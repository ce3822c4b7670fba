/** Sorts out what failed where a node goes on after errors: to the regular or to the error output. */
import { errorMessage } from '#core/base';
import { type Item, type NodeOutput, pairedItems } from '#core/workflow-format';

/**
 * Moves items that stand for failures to one more output behind the regular ones. They carry what came in, and the
 * error.
 */
export function splitFailures(output: NodeOutput, regular: number, inputs: (Item[] | null)[]): NodeOutput {
  const failed: Item[] = [];
  const kept = Array.from({ length: regular }, (_, index) => {
    const items = output[index];
    return (
      items?.filter((item) => {
        if (!standsForFailure(item)) return true;
        const [from] = pairedItems(item.pairedItem);
        const source = from && inputs[from.input ?? 0]?.[from.item];
        failed.push({ ...item, json: { ...source?.json, ...item.json } });
        return false;
      }) ?? null
    );
  });
  return [...kept, failed];
}

/** What goes to the error output when the whole node failed. */
export function allFailed(inputs: (Item[] | null)[], error: unknown): Item[] {
  const message = errorMessage(error);
  return (inputs[0] ?? []).map((item, index) => ({
    ...item,
    json: { ...item.json, error: message },
    pairedItem: { item: index },
  }));
}

/** Its json is an error and nothing else. */
function standsForFailure({ json, error }: Item): boolean {
  if (error !== undefined) return true;
  const keys = Object.keys(json);
  if (!keys.includes('error')) return false;
  return keys.length === 1 || (keys.length === 2 && keys.includes('message'));
}
