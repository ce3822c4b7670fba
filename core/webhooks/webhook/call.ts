/** One HTTP call to a node that is called by address: a Webhook node, or a Wait node that waits for one. */
import type { Workflow, WorkflowNode } from '../workflow/types.ts';

export interface WebhookCall {
  request: Request;
  workflow: Workflow;
  node: WorkflowNode;
  /** Methods that the address is answered to, in the order of the node's outputs: for pages of other sites. */
  methods: string[];
  /** Values of the path's variables. */
  params: Record<string, string>;
  /** What the item tells as `webhookUrl`: with the public address, variables by name. */
  webhookUrl: string;
  /** Of the editor. */
  test: boolean;
  /** The address that the connection came from. */
  clientAddress: string;
}
