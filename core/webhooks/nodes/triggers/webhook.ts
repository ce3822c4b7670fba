/** Starts a workflow when its address is called. Its parameters say which calls are accepted and who answers them. */
import { jsonText } from '#core/base';
import type { NodeSettings } from '#core/workflow-format';
import type { NodeType } from '../../node-api/node-type.ts';
import {
  AUTHENTICATION,
  authenticationCredentials,
  METHODS,
  webhookParameters,
} from './webhook/parameters.ts';

export const webhook: NodeType = {
  name: 'n8n-nodes-base.webhook',
  label: 'Webhook',
  description: 'Starts the workflow when its address is called.',
  group: 'trigger',
  versions: [1, 1.1, 2, 2.1],
  inputs: 0,
  outputs: (settings) => (settings.get('multipleMethods') === true ? methodsOf(settings) : ['main']),
  credentials: authenticationCredentials((value) => ({ authentication: [value] })),
  parameters: webhookParameters,
  issues(settings) {
    const { get } = settings;
    const authentication = jsonText(get('authentication') ?? 'none');
    const methods = get('multipleMethods') === true ? methodsOf(settings) : [jsonText(get('httpMethod'))];
    // Every call of such an address would fail: it is reported before the workflow is published.
    return [
      ...(Object.hasOwn(AUTHENTICATION, authentication)
        ? []
        : [`The authentication "${authentication}" is not supported here: use Basic, Header or JWT Auth`]),
      ...methods
        .filter((method) => !METHODS.includes(method))
        .map((method) => `The HTTP method "${method}" is not supported`),
    ];
  },
  // A call supplies the item. A run that starts in the editor has an empty one.
  execute: async (context) => [context.items()],
};

function methodsOf(settings: NodeSettings): string[] {
  const methods = settings.get('httpMethod');
  return Array.isArray(methods) ? methods.map(jsonText) : [jsonText(methods)];
}
