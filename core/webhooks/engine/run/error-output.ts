/** The items of the error output, for nodes with the setting "Continue (using error output)". */
import { errorMessage } from '#core/base';
import { type Item, type NodeOutput, pairedItems } from '#core/workflow-format';

/**
 * Moves items that represent failures to an additional output after the regular ones. They get the fields of their
 * input item and the error.
 * @param regularOutputs number of regular outputs
 */
export function splitFailures(
  output: NodeOutput,
  regularOutputs: number,
  inputs: (Item[] | null)[],
): NodeOutput {
  const failed: Item[] = [];
  const succeeded = Array.from({ length: regularOutputs }, (_, index) => {
    const items = output[index];
    return (
      items?.filter((item) => {
        if (!isFailure(item)) return true;
        const [pair] = pairedItems(item.pairedItem);
        const source = pair && inputs[pair.input ?? 0]?.[pair.item];
        failed.push({ ...item, json: { ...source?.json, ...item.json } });
        return false;
      }) ?? null
    );
  });
  return [...succeeded, failed];
}

/** The error output of a node that failed completely: all items of input 0, with the error. */
export function failAllItems(inputs: (Item[] | null)[], error: unknown): Item[] {
  const message = errorMessage(error);
  return (inputs[0] ?? []).map((item, index) => ({
    ...item,
    json: { ...item.json, error: message },
    pairedItem: { item: index },
  }));
}

/** An item represents a failure if its json holds only an error, perhaps with a message. */
function isFailure({ json, error }: Item): boolean {
  if (error !== undefined) return true;
  const keys = Object.keys(json);
  if (!keys.includes('error')) return false;
  return keys.length === 1 || (keys.length === 2 && keys.includes('message'));
}
