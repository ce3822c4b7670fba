/** The settings of a node that is called: a Webhook node, or a Wait node that waits for a call. */
import { jsonText } from '#core/base';
import { nodeSettings, type WorkflowNode } from '#core/workflow-format';
import type { NodeType } from '../node-api/node-type.ts';

/** A stored value: a literal, or a text or structure with expressions. */
export type StoredValue = unknown;

export interface WebhookOptions {
  /** The HTTP method of a node with one output. */
  method: string;
  /** The HTTP methods of a node that has one output for each method. */
  outputMethods: unknown[] | undefined;
  /** `none`, `basicAuth`, `headerAuth` or `jwtAuth`. */
  authentication: string;
  /** The setting "Respond": `onReceived`, `lastNode`, `responseNode` or `streaming`. */
  responseMode: unknown;
  /** Origins whose pages may read responses. Undefined: every origin. */
  allowedOrigins: string | undefined;
  /** The option "Only Run If": an expression over the item. Undefined: each call starts the workflow. */
  onlyRunIf: string | undefined;
  ipAllowlist: StoredValue;
  ignoreBots: StoredValue;
  body: {
    /** The option "Raw Body": also stores the body as a file. */
    raw: StoredValue;
    /** Version 1: stores the body as a file only. */
    asFile: StoredValue;
    /** The name of files in the item. */
    fileProperty: StoredValue;
  };
  response: ResponseOptions;
}

/** The options of the response. Expressions in them are evaluated when the response is built. */
export interface ResponseOptions {
  headers: StoredValue;
  /** The status of a node of version 1. */
  code: StoredValue;
  /** The status as chosen from a list: a number, or `customCode`. */
  codeChoice: StoredValue;
  customCode: StoredValue;
  /** The option of the response mode "Immediately" to send no body. */
  noBody: StoredValue;
  /** The body of the response mode "Immediately". */
  acknowledgement: StoredValue;
  /** "When Last Node Finishes": which items are sent, and which part of the first one. */
  lastNode: { data: StoredValue; property: StoredValue; file: StoredValue };
  contentType: StoredValue;
}

const cache = new WeakMap<WorkflowNode, WebhookOptions>();

/** Reads all options of a node. They are read once: a changed workflow has new node objects. */
export function readWebhookOptions(
  node: WorkflowNode,
  { nodeType }: { nodeType(name: string): NodeType | undefined },
): WebhookOptions {
  let options = cache.get(node);
  if (!options) {
    options = readOptions(node, nodeType(node.type));
    cache.set(node, options);
  }
  return options;
}

function readOptions(node: WorkflowNode, type: NodeType | undefined): WebhookOptions {
  const { get } = nodeSettings(type, node);
  const methods = get('httpMethod');
  const origins = get('options.allowedOrigins');
  const condition = get('options.onlyRunIf');
  return {
    method: jsonText(methods ?? 'GET'),
    outputMethods: get('multipleMethods') === true && Array.isArray(methods) ? methods : undefined,
    authentication: jsonText(get('authentication') ?? get('incomingAuthentication') ?? 'none'),
    responseMode: get('responseMode'),
    allowedOrigins: typeof origins === 'string' ? origins : undefined,
    // A text that is no expression restricts nothing.
    onlyRunIf: typeof condition === 'string' && condition.startsWith('=') ? condition : undefined,
    ipAllowlist: get('options.ipWhitelist'),
    ignoreBots: get('options.ignoreBots'),
    body: {
      raw: get('options.rawBody'),
      asFile: get('options.binaryData'),
      fileProperty: get('options.binaryPropertyName'),
    },
    response: {
      headers: get('options.responseHeaders'),
      code: get('responseCode'),
      codeChoice: get('options.responseCode.values.responseCode'),
      customCode: get('options.responseCode.values.customCode'),
      noBody: get('options.noResponseBody'),
      acknowledgement: get('options.responseData'),
      lastNode: {
        data: get('responseData'),
        property: get('options.responsePropertyName'),
        file: get('responseBinaryPropertyName'),
      },
      contentType: get('options.responseContentType'),
    },
  };
}
