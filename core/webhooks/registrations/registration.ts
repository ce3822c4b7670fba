import { nodeSettings, type Workflow, type WorkflowNode } from '#core/workflow-format';
import { webhook } from '../nodes/triggers/webhook.ts';

/** A path and methods that belong to a Webhook node. */
export interface Registration {
  workflow: Workflow;
  node: WorkflowNode;
  /** The methods, in the order of the node's outputs. */
  methods: string[];
  /** The path as the node sets it, without a slash at the start. */
  path: string;
  /** The parts of the path between slashes. `:name` is a variable. */
  segments: string[];
  /** Whether the path has variables. */
  dynamic: boolean;
}

/** The registrations of a workflow's enabled Webhook nodes. The path of a node without one is its `webhookId` or id. */
export function webhookRegistrations(workflow: Workflow): Registration[] {
  return workflow.nodes
    .filter(({ type, disabled }) => type === webhook.name && !disabled)
    .map((node) => {
      const { get } = nodeSettings(webhook, node);
      const ownPath = String(get('path') ?? '')
        .trim()
        .replace(/^\//, '');
      const path = ownPath || node.webhookId || node.id;
      const segments = path.replace(/\/$/, '').split('/');
      const methods = get('httpMethod');
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

/** The path after `/webhook/` as users see it. A path with variables begins with the node's `webhookId`. */
export function displayPath({ dynamic, node, path }: Registration): string {
  return dynamic && node.webhookId ? `${node.webhookId}/${path}` : path;
}
