/** One HTTP call to a node that is called by address: a Webhook node, or a Wait node that waits for one. */
import type { Workflow, WorkflowNode } from '#core/workflow-format';

export interface WebhookCall {
  request: Request;
  workflow: Workflow;
  node: WorkflowNode;
  /** Methods that the address is answered to, in the order of the node's outputs: for pages of other sites. */
  methods: string[];
  /** What stands behind the path instead of what the request's URL says, where some of it is not the workflow's. */
  search?: string;
  /** The run that the call goes on with: files belong to it. Without it they belong to a new one. */
  executionId?: string;
  /** Values of the path's variables. */
  params: Record<string, string>;
  /** What the item tells as `webhookUrl`: with the public address, variables by name. */
  webhookUrl: string;
  /** Of the editor. */
  test: boolean;
  /** The address that the connection came from. */
  clientAddress: string;
}
