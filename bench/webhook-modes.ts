/** Small workflows, one for each way in which a webhook responds, in the format of n8n's public API. */
import { webhookNode } from '#test/support/webhooks/webhook-server.ts';
import { codeNode, sentWorkflow, setFields, workflowOf } from '#test/support/webhooks/workflow-builder.ts';

/** The body of each call, as JSON. */
export const WEBHOOK_BODY = '{"a":1,"name":"x"}';

export interface WebhookMode {
  /** The last part of the address. */
  id: string;
  what: string;
  /** Requests/s of one core. */
  aim: string;
  /** The workflow whose webhook answers at `path`. */
  workflow(path: string): ReturnType<typeof sentWorkflow>;
}

const respond = {
  type: 'respondToWebhook',
  typeVersion: 1.5,
  parameters: { respondWith: 'firstIncomingItem' },
};

/** n8n registers the plain path only for nodes with a webhook id. */
const webhook = (path: string, responseMode: string) => ({
  ...webhookNode(path, { responseMode }),
  webhookId: path,
});

const setName = setFields({ hello: '={{ $json.body.name }}' }, false);

export const WEBHOOK_MODES: WebhookMode[] = [
  {
    id: 'at-once',
    what: 'Immediately',
    aim: '>= 2000',
    workflow: (path) => named(path, { Webhook: webhook(path, 'onReceived') }, []),
  },
  {
    id: 'last-node',
    what: 'When Last Node Finishes, with Set',
    aim: '>= 2000',
    workflow: (path) => named(path, { Webhook: webhook(path, 'lastNode'), Set: setName }, ['Webhook -> Set']),
  },
  {
    id: 'by-node',
    what: "Using 'Respond to Webhook' Node, with Set",
    aim: '>= 2000',
    workflow: (path) =>
      named(path, { Webhook: webhook(path, 'responseNode'), Set: setName, Respond: respond }, [
        'Webhook -> Set',
        'Set -> Respond',
      ]),
  },
  {
    id: 'code',
    what: "Using 'Respond to Webhook' Node, with Code",
    aim: '>= 500',
    workflow: (path) =>
      named(
        path,
        {
          Webhook: webhook(path, 'responseNode'),
          Code: codeNode('return { sum: $json.body.a + 1 };'),
          Respond: respond,
        },
        ['Webhook -> Code', 'Code -> Respond'],
      ),
  },
];

function named(path: string, nodes: Parameters<typeof workflowOf>[0], edges: string[]) {
  return sentWorkflow(workflowOf(nodes, edges, { name: `Bench ${path}` }));
}
