/** The webhooks and chats of a workflow as tools: a call is a request to the address, without a network. */
import { encodeBase64 } from '#core/http';
import { type CallableTool, type McpResult, textResult, toolName } from '#core/mcp';
import type { JsonObject, Workflow } from '#core/workflow-format';
import { answerRegisteredCall } from '../calls/registered-call.ts';
import { chatTrigger } from '../nodes/ai/triggers/chat-trigger.ts';
import { parseCalledPath } from '../registrations/called-path.ts';
import {
  displayPath,
  isVariable,
  type Registration,
  webhookRegistrations,
} from '../registrations/registration.ts';
import type { WebhookServices } from '../services.ts';

/** The methods whose requests have a body, the usual one first. */
const BODY_METHODS = ['POST', 'PUT', 'PATCH'];
/** Characters of a body that a model reads. */
const MAX_TEXT = 1_000_000;

/** Forms have pages of their own and are no tools. */
export function webhookTools(workflow: Workflow, services: WebhookServices): CallableTool[] {
  return webhookRegistrations(workflow)
    .filter(({ kind }) => kind === 'webhook')
    .map((registration) =>
      registration.node.type === chatTrigger.name
        ? chatTool(registration, services)
        : webhookTool(registration, services),
    );
}

function chatTool(registration: Registration, services: WebhookServices): CallableTool {
  const { workflow } = registration;
  return {
    name: toolName('chat', workflow.name),
    description: `Sends a message to the chat of the published workflow "${workflow.name}" and returns its answer.`,
    schema: {
      type: 'object',
      properties: {
        chatInput: { type: 'string', description: 'The message.' },
        sessionId: { type: 'string', description: 'Messages with the same id share their memory.' },
      },
      required: ['chatInput'],
    },
    call: (args, { signal }) => {
      const body = { action: 'sendMessage', sessionId: crypto.randomUUID(), ...args };
      return send(registration, { method: 'POST', body, signal }, services);
    },
  };
}

function webhookTool(registration: Registration, services: WebhookServices): CallableTool {
  const { workflow, methods, segments, node } = registration;
  const method = BODY_METHODS.find((each) => methods.includes(each)) ?? methods[0] ?? 'GET';
  const hasBody = BODY_METHODS.includes(method);
  const variables = segments.filter(isVariable).map((segment) => segment.slice(1));
  return {
    name: toolName('webhook', workflow.name),
    description: `Calls the webhook "${node.name}" of the published workflow "${workflow.name}" (${method}) and returns its response.`,
    schema: {
      type: 'object',
      properties: {
        ...(hasBody && { body: { description: 'The JSON body of the request.' } }),
        query: { type: 'object', description: 'The query of the address.' },
        ...Object.fromEntries(variables.map((name) => [name, { type: 'string' }])),
      },
      ...(variables.length > 0 && { required: variables }),
    },
    call: (args, { signal }) => {
      const { body, query } = args;
      const values = Object.fromEntries(variables.map((name) => [name, String(args[name] ?? '')]));
      return send(
        registration,
        { method, signal, values, query, ...(hasBody && { body: body ?? {} }) },
        services,
      );
    },
  };
}

interface Sending {
  method: string;
  signal: AbortSignal;
  /** Values of the variables in the path. */
  values?: Record<string, string>;
  query?: unknown;
  body?: unknown;
}

async function send(
  registration: Registration,
  { method, signal, values = {}, query, body }: Sending,
  services: WebhookServices,
): Promise<McpResult> {
  const path = displayPath(registration)
    .split('/')
    .map((segment) => (isVariable(segment) ? encodeURIComponent(values[segment.slice(1)] ?? '') : segment))
    .join('/');
  const { publicAddress, endpoints } = services.engine.settings;
  const url = new URL(`/${endpoints.webhook}/${path}`, publicAddress);
  for (const [name, value] of Object.entries((query ?? {}) as JsonObject)) {
    url.searchParams.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  const request = new Request(url, {
    method,
    signal,
    ...(body !== undefined && {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }),
  });
  const called = parseCalledPath(url.pathname, endpoints)!;
  return readResponse(await answerRegisteredCall(request, called, '127.0.0.1', services));
}

/** Texts and JSON as they are, images as images, and the type and size of anything else. */
async function readResponse(response: Response): Promise<McpResult> {
  const type = response.headers.get('content-type')?.split(';')[0] ?? '';
  const isError = response.status >= 400;
  if (/^(text\/|application\/(json|xml|x-ndjson)|$)/.test(type)) {
    const text = await response.text();
    return textResult(text.slice(0, MAX_TEXT) || `status ${response.status}`, isError);
  }
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (!type.startsWith('image/')) return textResult(`${bytes.length} bytes of ${type}`, isError);
  return {
    content: [{ type: 'image', data: encodeBase64(bytes), mimeType: type }],
    ...(isError && { isError }),
  };
}
