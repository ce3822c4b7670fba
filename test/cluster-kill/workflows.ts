/** The workflows that are called, one for each way to answer. Each has two effects, with some work between them. */
import { webhookNode } from '../support/webhooks/webhook-server.ts';
import { codeNode, sentWorkflow, workflowOf } from '../support/webhooks/workflow-builder.ts';

export interface CallKind {
  path: string;
  method: 'GET' | 'POST';
  /** Whether the answer comes when the run is stored. The others wait for the run. */
  isAtOnce: boolean;
  /** How often it is called: a share of all calls. */
  share: number;
  workflow(ledger: string): object;
}

const effect = (ledger: string, step: number) => ({
  type: 'httpRequest',
  typeVersion: 4.2,
  parameters: {
    method: 'POST',
    url: `={{ "${ledger}/?step=${step}&call=" + $("Webhook").first().json.query.call + "&execution=" + $execution.id }}`,
  },
});
const CODE = 'return [{ json: { call: $("Webhook").first().json.query.call } }];';

function kind(
  path: string,
  method: 'GET' | 'POST',
  share: number,
  responseMode: 'onReceived' | 'lastNode' | 'responseNode',
  waits = false,
): CallKind {
  return {
    path,
    method,
    share,
    isAtOnce: responseMode === 'onReceived',
    workflow(ledger) {
      const responds = responseMode === 'responseNode';
      const nodes = {
        Webhook: webhookNode(path, { httpMethod: method, responseMode }),
        First: effect(ledger, 1),
        ...(waits && {
          Wait: { type: 'wait', typeVersion: 1.1, parameters: { amount: 3, unit: 'seconds' } },
        }),
        Code: codeNode(CODE),
        ...(responds && {
          Respond: {
            type: 'respondToWebhook',
            typeVersion: 1.1,
            parameters: { respondWith: 'firstIncomingItem' },
          },
        }),
        Second: effect(ledger, 2),
        Last: codeNode(CODE),
      };
      const names = Object.keys(nodes);
      const edges = names.slice(1).map((name, at) => `${names[at]} -> ${name}`);
      return sentWorkflow(workflowOf(nodes, edges, { name: path }));
    },
  };
}

export const CALL_KINDS: readonly CallKind[] = [
  kind('at-once', 'POST', 0.3, 'onReceived'),
  kind('at-once-get', 'GET', 0.15, 'onReceived'),
  kind('at-once-wait', 'POST', 0.1, 'onReceived', true),
  kind('last-node', 'POST', 0.15, 'lastNode'),
  kind('last-node-get', 'GET', 0.1, 'lastNode'),
  kind('respond', 'POST', 0.2, 'responseNode'),
];
