/** The addresses that a workflow's Webhook nodes ask for. */

import { nodeSettings, type Workflow, type WorkflowNode } from '#core/workflow-format';
import { webhook } from '../nodes/triggers/webhook.ts';

export interface Registration {
  workflow: Workflow;
  node: WorkflowNode;
  /** In the order of the node's outputs. */
  methods: string[];
  /** As set, without a slash at the start: what is shown. */
  path: string;
  /** Parts of the path between slashes; `:name` stands for any one. */
  segments: string[];
  dynamic: boolean;
}

const NODE_TYPE = 'n8n-nodes-base.webhook';

/** Of every enabled Webhook node. A node without a path has its `webhookId` for one, or its own id. */
export function webhookRegistrations(workflow: Workflow): Registration[] {
  return workflow.nodes
    .filter(({ type, disabled }) => type === NODE_TYPE && !disabled)
    .map((node) => {
      const settings = nodeSettings(webhook, node);
      const set = String(settings.get('path') ?? '').trim();
      const path = (set.replace(/^\//, '') || node.webhookId || node.id) as string;
      const segments = path.replace(/\/$/, '').split('/');
      const methods = settings.get('httpMethod');
      return {
        workflow,
        node,
        methods: (Array.isArray(methods) ? methods : [methods]).map(String),
        path,
        segments,
        dynamic: segments.some(isVariable),
      };
    });
}

export function isVariable(segment: string): boolean {
  return segment.length > 1 && segment.startsWith(':');
}

/** Behind `/webhook/`: an address with variables is told with the id that makes it unmistakable. */
export function displayPath({ dynamic, node, path }: Registration): string {
  return dynamic && node.webhookId ? `${node.webhookId}/${path}` : path;
}
