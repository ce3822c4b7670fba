/** A node's settings for failures, with the limits that apply to them. */
import type { OnError, WorkflowNode } from '#core/workflow-format';

export function onErrorOf(node: WorkflowNode): OnError {
  return node.onError ?? (node.continueOnFail ? 'continueRegularOutput' : 'stopWorkflow');
}

/** How often it is tried in all, and the pause between in milliseconds. */
export function triesOf(node: WorkflowNode): { tries: number; pause: number } {
  if (!node.retryOnFail) return { tries: 1, pause: 0 };
  return {
    tries: Math.min(5, Math.max(2, node.maxTries || 3)),
    pause: Math.min(5000, Math.max(0, node.waitBetweenTries ?? 1000)),
  };
}
