/** Calls a workflow's Webhook node directly: from a request to its item, or to the response. */

import { corsHeaders } from '#core/webhooks/calls/cors.ts';
import { receiveCall } from '#core/webhooks/calls/receive-call.ts';
import { respondToCall } from '#core/webhooks/calls/response/respond.ts';
import type { WebhookCall } from '#core/webhooks/calls/webhook-call.ts';
import { readWebhookOptions } from '#core/webhooks/calls/webhook-options.ts';
import type { Engine } from '#core/webhooks/engine/engine.ts';
import { webhook } from '#core/webhooks/nodes/triggers/webhook.ts';
import { type Binary, readWorkflow, type Workflow } from '#core/workflow-format';

export const ADDRESS = 'http://localhost:5678/webhook/x';

export interface CallOptions {
  /** Parameters of the Webhook node. Default: version 2.1, POST. */
  parameters?: Record<string, unknown>;
  version?: number;
  credentials?: Workflow['nodes'][number]['credentials'];
  clientAddress?: string;
  params?: Record<string, string>;
  /** Nodes behind the Webhook node, one after another. */
  behind?: Partial<Workflow['nodes'][number]>[];
  settings?: Workflow['settings'];
}

export function webhookCall(request: Request, options: CallOptions = {}): WebhookCall {
  const { parameters = {}, version = 2.1, behind = [], credentials } = options;
  const nodes = [
    {
      id: 'n1',
      name: 'Webhook',
      type: 'n8n-nodes-base.webhook',
      typeVersion: version,
      position: [0, 0],
      parameters: { httpMethod: 'POST', path: 'x', ...parameters },
      ...(credentials && { credentials }),
    },
    ...behind.map((node, index) => ({
      name: `N${index}`,
      position: [200 * index + 200, 0],
      parameters: {},
      ...node,
    })),
  ];
  const connections = Object.fromEntries(
    nodes.slice(0, -1).map(({ name }, index) => {
      const next = { node: nodes[index + 1]!.name, type: 'main', index: 0 };
      return [name, { main: [[next]] }];
    }),
  );
  const workflow = readWorkflow({
    id: 'w',
    name: 'W',
    active: true,
    settings: { executionOrder: 'v1', ...options.settings },
    nodes,
    connections,
  });
  const node = workflow.nodes[0]!;
  const webhookNodeOptions = readWebhookOptions(node, { nodeType: () => webhook });
  const { allowedOrigins } = webhookNodeOptions;
  return {
    request,
    workflow,
    node,
    options: webhookNodeOptions,
    cors: corsHeaders(request.headers, { methods: [request.method], allowedOrigins }),
    search: new URL(request.url).search,
    params: options.params ?? {},
    webhookUrl: ADDRESS,
    test: false,
    clientAddress: options.clientAddress ?? '127.0.0.1',
  };
}

export interface Delivered {
  headers: Record<string, string>;
  query: unknown;
  body?: unknown;
  jwtPayload?: unknown;
}

/** The item that a call creates, or the answer that refuses the call. */
export async function receive(
  engine: Engine,
  request: Request,
  options: CallOptions = {},
): Promise<
  { json: Delivered; binary?: Record<string, Binary> } | { status: number; text: string; headers: Headers }
> {
  const received = await receiveCall(webhookCall(request, options), engine);
  if (received instanceof Response) {
    return { status: received.status, text: await received.text(), headers: received.headers };
  }
  const item = received.output.flat().find((candidate) => candidate !== null)!;
  return item as unknown as { json: Delivered; binary?: Record<string, Binary> };
}

/** Receives and answers a call: from the request to the response. */
export async function answer(engine: Engine, request: Request, options: CallOptions = {}): Promise<Response> {
  const call = webhookCall(request, options);
  const received = await receiveCall(call, engine);
  if (received instanceof Response) return received;
  return respondToCall(call, received, engine);
}

export function post(
  body: BodyInit | undefined,
  type?: string,
  headers: Record<string, string> = {},
): Request {
  const all = new Headers(headers);
  if (type !== undefined) all.set('content-type', type);
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  return new Request(ADDRESS, { method: 'POST', headers: all, ...(bytes !== undefined && { body: bytes }) });
}
