/** Answers the call that started or resumed the execution. Its input items are passed on unchanged. */
import { errorMessage } from '#core/base';
import { WorkflowGraph } from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeResponse } from '../../node-api/node-response.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { headerPairs } from '../shared/response-headers.ts';
import { respondParameters } from './respond-to-webhook/parameters.ts';
import { responseContent } from './respond-to-webhook/response-body.ts';
import { streamResponse } from './respond-to-webhook/stream-response.ts';

/** Types of nodes that a call enters by. */
const ENTRY_NODES = /^n8n-nodes-base\.(webhook|wait|form|formTrigger)$/;

export const respondToWebhook: NodeType = {
  name: 'n8n-nodes-base.respondToWebhook',
  label: 'Respond to Webhook',
  description: 'Answers the caller of the Webhook node.',
  group: 'flow',
  versions: [1, 1.1, 1.2, 1.3, 1.4, 1.5],
  inputs: 1,
  outputs: ({ version, get }) =>
    version === 1.3 || (version > 1.3 && get('enableResponseOutput') === true)
      ? ['Input Data', 'Response']
      : ['main'],
  credentials: [{ type: 'jwtAuth', required: true, show: { respondWith: ['jwt'] } }],
  parameters: respondParameters,
  async execute(context) {
    const items = context.items();
    try {
      if (context.version >= 1.1) requireEntryNode(context);
      const content = await responseContent(context);
      const options = await context.parameter<Record<string, unknown>>('options', 0, {});
      const canStream = context.version >= 1.5 && options.enableStreaming !== false;
      const response: NodeResponse = {
        ...statusOf(context, options.responseCode),
        headers: [...content.headers, ...headerPairs(options.responseHeaders)],
        body: content.body,
      };
      if (!(canStream && (await streamResponse(context, response)))) context.respond(response);
      const responseItem = { json: { response: toJson(response) }, pairedItem: { item: 0 } };
      return hasResponseOutput(context) ? [items, [responseItem]] : [items];
    } catch (error) {
      if (!context.continueOnFail || context.signal.aborted) throw error;
      const message = errorMessage(error);
      return [items.map((_item, item) => ({ json: { error: message }, pairedItem: { item } }))];
    }
  },
};

function hasResponseOutput({ version, literal }: NodeContext): boolean {
  return version === 1.3 || (version > 1.3 && literal('enableResponseOutput') === true);
}

function requireEntryNode({ workflow, node }: NodeContext): void {
  const graph = new WorkflowGraph(workflow);
  for (const name of graph.ancestors(node.name)) if (ENTRY_NODES.test(graph.node(name)?.type ?? '')) return;
  throw new NodeError('No Webhook node found in the workflow', {
    description:
      'Insert a Webhook node to your workflow and set the “Respond” parameter to “Using Respond to Webhook Node”',
  });
}

function statusOf(context: NodeContext, code: unknown): { status?: number } {
  if (code === undefined || code === '') {
    return context.literal('respondWith') === 'redirect' ? { status: 307 } : {};
  }
  const status = Number(code);
  if (Number.isInteger(status) && status >= 200 && status <= 599) return { status };
  throw new NodeError(`The response code ${JSON.stringify(code)} is not a status between 200 and 599`);
}

/** The response as the item of the second output. */
function toJson({ body, headers, status = 200 }: NodeResponse) {
  const content = body.kind === 'json' ? body.value : body.kind === 'text' ? body.text : undefined;
  return {
    ...(body.kind === 'binary' ? { body: body.binary } : content !== undefined && { body: content }),
    headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
    statusCode: status,
  };
}
