/** Starts a workflow when its address is called. What a call must fulfil and how it is answered is set here. */
import type { NodeSettings } from '#core/workflow-format';
import type { NodeType } from '../../node-api/node-type.ts';
import { AUTHENTICATION, METHODS, webhookParameters } from './webhook/parameters.ts';

export const webhook: NodeType = {
  name: 'n8n-nodes-base.webhook',
  label: 'Webhook',
  description: 'Starts the workflow when its address is called.',
  group: 'trigger',
  versions: [1, 1.1, 2, 2.1],
  inputs: 0,
  outputs: (settings) => (settings.get('multipleMethods') === true ? methodsOf(settings) : ['main']),
  credentials: [
    { type: 'httpBasicAuth', required: true, show: { authentication: ['basicAuth'] } },
    { type: 'httpHeaderAuth', required: true, show: { authentication: ['headerAuth'] } },
    { type: 'jwtAuth', required: true, show: { authentication: ['jwtAuth'] } },
  ],
  parameters: webhookParameters,
  issues(settings) {
    const { get } = settings;
    const authentication = String(get('authentication') ?? 'none');
    const methods = get('multipleMethods') === true ? methodsOf(settings) : [String(get('httpMethod'))];
    // Nobody could call such an address: better said now than to each caller.
    return [
      ...(Object.hasOwn(AUTHENTICATION, authentication)
        ? []
        : [`The authentication "${authentication}" is not supported here: use Basic, Header or JWT Auth`]),
      ...methods
        .filter((method) => !METHODS.includes(method))
        .map((method) => `The HTTP method "${method}" is not supported`),
    ];
  },
  // Calls bring the item with them; run by hand there is only an empty one.
  execute: async (context) => [context.items()],
};

function methodsOf(settings: NodeSettings): string[] {
  const methods = settings.get('httpMethod');
  return Array.isArray(methods) ? methods.map(String) : [String(methods)];
}
