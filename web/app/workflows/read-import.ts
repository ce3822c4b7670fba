import { workflowStrings } from '../strings/workflows.ts';

/** Parses pasted or opened JSON for the import of the control API. Throws with a message for the user. */
export function readImport(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(workflowStrings.import.notJson((error as Error).message));
  }
  const list = Array.isArray(value)
    ? value
    : ((value as { workflows?: unknown[] } | null)?.workflows ?? [value]);
  const all = Array.isArray(list) ? list : [list];
  if (
    all.length === 0 ||
    !all.every((entry) => Array.isArray((entry as { nodes?: unknown } | null)?.nodes))
  ) {
    throw new Error(workflowStrings.import.notWorkflow);
  }
  return value;
}
