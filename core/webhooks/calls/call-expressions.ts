import type { Item } from '#core/workflow-format';
import { expressionScope } from '../engine/run/expression-scope.ts';
import type { WorkflowRunServices } from '../engine/run/run-services.ts';
import type { WebhookCall } from './webhook-call.ts';
import type { StoredValue } from './webhook-options.ts';

/**
 * Evaluates the expressions in a stored value of the called node.
 * @param item the item that the expressions see; there is none before the body is read
 * @throws ExpressionError, or the reason of the request's signal
 */
export type Evaluate = (value: StoredValue, item?: Item) => Promise<unknown>;

/** @param executionId undefined before the execution starts */
export function callExpressions(
  { workflow, node, test, request }: WebhookCall,
  services: WorkflowRunServices,
  executionId?: string,
): Evaluate {
  const source = {
    workflow,
    node,
    findNode: (name: string) => workflow.nodes.find((other) => other.name === name),
    executionId,
    mode: test ? ('manual' as const) : ('webhook' as const),
    test,
    inputs: [],
    signal: request.signal,
  };
  const scope = expressionScope(source, services);
  return (value, item) => {
    const seen = item ? expressionScope({ ...source, inputs: [[item]] }, services) : scope;
    return services.expressions.evaluate(value, seen, 0);
  };
}
