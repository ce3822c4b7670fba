import type { Item } from '#core/workflow-format';
import { expressionScope } from '../engine/run/expression-scope.ts';
import type { WorkflowRunServices } from '../engine/run/run-services.ts';
import type { ExpressionScope } from '../expressions/expressions.ts';
import { hasExpression } from '../expressions/template.ts';
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
  const scope = (inputs: Item[][]) =>
    expressionScope(
      {
        workflow,
        node,
        findNode: (name: string) => workflow.nodes.find((other) => other.name === name),
        executionId,
        mode: test ? 'manual' : 'webhook',
        test,
        inputs,
        signal: request.signal,
      },
      services,
    );
  let withoutItem: ExpressionScope | undefined;
  return async (value, item) => {
    // Most nodes have no expression in their options: their calls do without a scope.
    if (!hasExpression(value)) return value;
    if (item) return services.expressions.evaluate(value, scope([[item]]), 0);
    withoutItem ??= scope([]);
    return services.expressions.evaluate(value, withoutItem, 0);
  };
}
