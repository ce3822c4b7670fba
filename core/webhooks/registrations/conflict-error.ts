import { ApiError } from '#core/http';
import { filledParameters } from '#core/workflow-format';
import { webhook } from '../nodes/triggers/webhook.ts';
import type { PathConflict } from './registration-table.ts';

/** An address that is asked for is taken. */
export class ConflictError extends ApiError {
  override name = 'ConflictError';
  /** JSON: `[{ trigger, conflict: { workflowId, workflowName, webhookPath, method, node } }]` */
  readonly hint: string;

  constructor(clashes: PathConflict[]) {
    super(409, 'There is a conflict with one of the webhooks.');
    this.hint = JSON.stringify(
      clashes.map(({ asked, taken, method }) => ({
        trigger: { ...asked.node, parameters: filledParameters(webhook, asked.node) },
        conflict: {
          workflowId: taken.workflow.id,
          workflowName: taken.workflow.name,
          webhookPath: taken.path,
          method,
          node: taken.node.name,
        },
      })),
    );
  }
}
