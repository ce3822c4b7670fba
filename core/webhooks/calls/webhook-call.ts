import type { Workflow, WorkflowNode } from '#core/workflow-format';
import type { Engine } from '../engine/engine.ts';
import { displayPath } from '../registrations/registration.ts';
import type { RegistrationMatch } from '../registrations/registration-table.ts';
import type { TestClaim } from '../registrations/test-listeners.ts';
import { corsHeaders, type HeaderPair } from './cors.ts';
import { readWebhookOptions, type WebhookOptions } from './webhook-options.ts';

/** One HTTP call to a node that has an address: a Webhook node, or a Wait node that waits for a call. */
export interface WebhookCall {
  request: Request;
  workflow: Workflow;
  node: WorkflowNode;
  options: WebhookOptions;
  /** Headers of every response, for pages of other sites. */
  cors: HeaderPair[];
  /** The query for the item, with its question mark. */
  search: string;
  /** The waiting execution that the call resumes. Undefined: the call starts a new one. */
  resumes?: string;
  /** The listener that a test call has used up. */
  claim?: TestClaim;
  /** Values of the path's variables. */
  params: Record<string, string>;
  /** The item's `webhookUrl`: with the public address, variables by name. */
  webhookUrl: string;
  /** A call to the editor's test address. */
  test: boolean;
  /** The address that the connection came from. */
  clientAddress: string;
}

/**
 * The call of a registered node.
 * @param received the request, and the methods that its path is registered for
 */
export function createCall(
  { request, clientAddress, test, methods }: ReceivedRequest,
  { registration, params }: RegistrationMatch,
  { settings: { publicAddress, endpoints }, services }: Engine,
): WebhookCall {
  const { workflow, node } = registration;
  const options = readWebhookOptions(node, services);
  const prefix = test ? endpoints.test : endpoints.webhook;
  // Without a spread: copying an unknown shape took as long as all the rest of this function.
  return {
    request,
    clientAddress,
    test,
    workflow,
    node,
    options,
    cors: corsHeaders(request.headers, { methods, allowedOrigins: options.allowedOrigins }),
    search: new URL(request.url).search,
    params,
    webhookUrl: `${publicAddress}/${prefix}/${displayPath(registration)}`,
  };
}

type ReceivedRequest = Pick<WebhookCall, 'request' | 'clientAddress' | 'test'> & { methods: string[] };
