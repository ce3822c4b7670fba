/** Starts a workflow with each message of a chat. */
import type { NodeSettings } from '#core/workflow-format';
import type { NodeType } from '../../../node-api/node-type.ts';
import { memoryInput, subNode } from '../describe.ts';

export const chatTrigger: NodeType = {
  ...subNode('chatTrigger', {
    description: 'Starts the workflow with each message of a chat, on a page of its own or on yours.',
    supplies: undefined,
    credentials: [
      { type: 'httpBasicAuth', required: true, show: { public: [true], authentication: ['basicAuth'] } },
    ],
    subNodes: ({ get }) => (get('options.loadPreviousSession') === 'memory' ? [memoryInput] : []),
    issues: ({ get }) =>
      get('public') === true && get('authentication') === 'n8nUserAuth'
        ? ['Logins of n8n users do not exist here: use Basic Auth']
        : [],
    // A call supplies the item. A run that starts in the editor has an empty one.
    execute: async (context) => [context.items()],
  }),
  group: 'trigger',
  outputs: ['main'],
};

/** The older trigger for chats of the editor. */
export const manualChatTrigger: NodeType = {
  ...subNode('manualChatTrigger', {
    description: 'Starts the workflow from the editor.',
    supplies: undefined,
    execute: async (context) => [context.items()],
  }),
  group: 'trigger',
  outputs: ['main'],
};

/** The path of a chat after the prefix of webhooks. */
export function chatPath({ node }: Pick<NodeSettings, 'node'>): string {
  return `${node.webhookId ?? node.id}/chat`;
}
