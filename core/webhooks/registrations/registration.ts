import { jsonText } from '#core/base';
import { nodeSettings, type Workflow, type WorkflowNode } from '#core/workflow-format';
import { chatPath, chatTrigger } from '../nodes/ai/triggers/chat-trigger.ts';
import { nodeType } from '../nodes/index.ts';
import { formTrigger } from '../nodes/triggers/form-trigger.ts';
import { webhook } from '../nodes/triggers/webhook.ts';

/** A path and methods that belong to a node: of `/webhook/PATH`, or of a form's `/form/PATH`. */
export interface Registration {
  kind: 'webhook' | 'form';
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

/**
 * The registrations of a workflow's enabled nodes with addresses: Webhook nodes, Form, Chat and service triggers. The
 * path of a node without one is its `webhookId` or id.
 */
export function webhookRegistrations(workflow: Workflow): Registration[] {
  return workflow.nodes.flatMap((node) => {
    if (node.disabled) return [];
    if (node.type === webhook.name) return [webhookRegistration(workflow, node)];
    if (node.type === formTrigger.name) return [formRegistration(workflow, node)];
    if (node.type === chatTrigger.name) return [chatRegistration(workflow, node)];
    const hook = nodeType(node.type)?.hook;
    return hook ? [hookRegistration(workflow, node, hook.methods)] : [];
  });
}

function webhookRegistration(workflow: Workflow, node: WorkflowNode): Registration {
  const { get } = nodeSettings(webhook, node);
  const path = pathOf(get('path'), node);
  const segments = path.replace(/\/$/, '').split('/');
  const methods = get('httpMethod');
  return {
    kind: 'webhook',
    workflow,
    node,
    methods: (Array.isArray(methods) ? methods : [methods]).map(jsonText),
    path,
    segments,
    dynamic: segments.some(isVariable),
  };
}

/** A form's path has no variables. */
function formRegistration(workflow: Workflow, node: WorkflowNode): Registration {
  const { get } = nodeSettings(formTrigger, node);
  const path = pathOf(get('path') || get('options.path'), node);
  const segments = path.replace(/\/$/, '').split('/');
  return { kind: 'form', workflow, node, methods: ['GET', 'POST'], path, segments, dynamic: false };
}

function chatRegistration(workflow: Workflow, node: WorkflowNode): Registration {
  const path = chatPath({ node });
  const segments = path.split('/');
  return { kind: 'webhook', workflow, node, methods: ['GET', 'POST'], path, segments, dynamic: false };
}

/** The path at which a service calls its trigger. */
export function hookPath({ webhookId, id }: WorkflowNode): string {
  return `${webhookId || id}/webhook`;
}

function hookRegistration(workflow: Workflow, node: WorkflowNode, methods = ['POST']): Registration {
  const path = hookPath(node);
  return {
    kind: 'webhook',
    workflow,
    node,
    methods,
    path,
    segments: path.split('/'),
    dynamic: false,
  };
}

function pathOf(value: unknown, { webhookId, id }: WorkflowNode): string {
  const ownPath = jsonText(value ?? '')
    .trim()
    .replace(/^\//, '');
  return ownPath || webhookId || id;
}

export function isVariable(segment: string): boolean {
  return segment.length > 1 && segment.startsWith(':');
}

/** The path after `/webhook/` as users see it. A path with variables begins with the node's `webhookId`. */
export function displayPath({ dynamic, node, path }: Registration): string {
  return dynamic && node.webhookId ? `${node.webhookId}/${path}` : path;
}
