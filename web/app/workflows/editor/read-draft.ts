import { ApiError } from '#core/http';
import { readWorkflow } from '#core/workflow-format';
import { workflowStrings } from '../../strings/workflows.ts';
import type { WorkflowDraft } from '../api-types.ts';

/** Parses a workflow from JSON. Throws with a message for the user. */
export function parseDraft(text: string, former: WorkflowDraft): WorkflowDraft {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(workflowStrings.import.notJson((error as Error).message));
  }
  try {
    const { name, nodes, connections, settings, pinData } = readWorkflow(value);
    const named = (value as { name?: unknown }).name;
    return { name: named === undefined ? former.name : name, nodes, connections, settings, pinData };
  } catch (error) {
    if (error instanceof ApiError) throw new Error(error.message);
    throw error;
  }
}
