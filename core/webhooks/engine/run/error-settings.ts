/** A node's settings for failures, within n8n's limits. */
import type { OnError, WorkflowNode } from '#core/workflow-format';

export function onErrorOf(node: WorkflowNode): OnError {
  return node.onError ?? (node.continueOnFail ? 'continueRegularOutput' : 'stopWorkflow');
}

/** `tries`: 2 to 5 with retries, otherwise 1. `pause` between two tries: at most 5000 milliseconds. */
export function triesOf(node: WorkflowNode): { tries: number; pause: number } {
  if (!node.retryOnFail) return { tries: 1, pause: 0 };
  return {
    tries: Math.min(5, Math.max(2, node.maxTries || 3)),
    pause: Math.min(5000, Math.max(0, node.waitBetweenTries ?? 1000)),
  };
}
