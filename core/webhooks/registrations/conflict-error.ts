import { ApiError } from '#core/http';
import { filledParameters } from '#core/workflow-format';
import { webhook } from '../nodes/triggers/webhook.ts';
import type { PathConflict } from './registration-table.ts';

/** Other workflows have registered paths of this one. */
export class ConflictError extends ApiError {
  override name = 'ConflictError';
  /** JSON: `[{ trigger, conflict: { workflowId, workflowName, webhookPath, method, node } }]` */
  readonly hint: string;

  constructor(conflicts: PathConflict[]) {
    super(409, 'There is a conflict with one of the webhooks.');
    this.hint = JSON.stringify(
      conflicts.map(({ requested, existing, method }) => ({
        trigger: { ...requested.node, parameters: filledParameters(webhook, requested.node) },
        conflict: {
          workflowId: existing.workflow.id,
          workflowName: existing.workflow.name,
          webhookPath: existing.path,
          method,
          node: existing.node.name,
        },
      })),
    );
  }
}
