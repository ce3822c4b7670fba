/** Reads and changes the memory of a conversation. */
import type { Item, JsonObject } from '#core/workflow-format';
import type { ChatMessage } from '../../../node-api/chat.ts';
import type { NodeContext } from '../../../node-api/node-context.ts';
import { NodeError } from '../../../node-api/node-error.ts';
import type { NodeType } from '../../../node-api/node-type.ts';
import type { ChatMemory } from '../../../node-api/sub-nodes.ts';
import { memoryInput, rootNode } from '../describe.ts';
import { serializedMessage } from './serialized-message.ts';

const ROLES: Record<string, 'system' | 'user' | 'assistant'> = {
  system: 'system',
  user: 'user',
  ai: 'assistant',
};

export const memoryManager: NodeType = rootNode('memoryManager', {
  description: 'Reads, adds and deletes messages of a memory.',
  subNodes: [{ ...memoryInput, required: true }],
  async execute(context) {
    const [memory] = await context.subNodes('ai_memory', 0);
    if (!memory) throw new NodeError('A Memory sub-node must be connected and enabled');
    const output: Item[] = [];
    for (const index of context.items().keys()) {
      const mode = String(await context.parameter('mode', index));
      for (const json of await MODES[mode === 'insert' || mode === 'delete' ? mode : 'load'](
        context,
        memory,
        index,
      )) {
        output.push({ json, pairedItem: { item: index } });
      }
    }
    return [output];
  },
});

type Work = (context: NodeContext, memory: ChatMemory, index: number) => Promise<JsonObject[]>;

const MODES: Record<'load' | 'insert' | 'delete', Work> = { load, insert, delete: remove };

async function load(context: NodeContext, memory: ChatMemory, index: number): Promise<JsonObject[]> {
  const messages = await memory.all();
  const isSimple = (await context.parameter('simplifyOutput', index)) === true;
  const shown = isSimple ? pairs(messages) : messages.map(serializedMessage);
  const isGrouped = (await context.parameter('options.groupMessages', index, true)) !== false;
  return isGrouped ? [{ messages: shown, messagesCount: shown.length }] : shown;
}

/** A question and its answer as one object. */
function pairs(messages: ChatMessage[]): JsonObject[] {
  const found: JsonObject[] = [];
  for (const { role, content } of messages) {
    const key = role === 'assistant' ? 'ai' : role === 'user' ? 'human' : role;
    const last = found.at(-1);
    if (last && key === 'ai' && !('ai' in last) && 'human' in last) last.ai = content;
    else found.push({ [key]: content });
  }
  return found;
}

async function insert(context: NodeContext, memory: ChatMemory, index: number): Promise<JsonObject[]> {
  const isOverride = (await context.parameter('insertMode', index)) === 'override';
  const values = await context.parameter<{ type?: string; message?: unknown }[]>(
    'messages.messageValues',
    index,
    [],
  );
  const added = (values ?? []).map(
    ({ type = 'system', message }): ChatMessage => ({
      role: ROLES[type] ?? 'system',
      content: String(message ?? ''),
    }),
  );
  await memory.replace(isOverride ? added : [...(await memory.all()), ...added]);
  return [{ success: true }];
}

async function remove(context: NodeContext, memory: ChatMemory, index: number): Promise<JsonObject[]> {
  const isAll = (await context.parameter('deleteMode', index)) === 'all';
  const count = Math.max(0, Number(await context.parameter('lastMessagesCount', index)) || 0);
  await memory.replace(isAll ? [] : (await memory.all()).slice(0, count === 0 ? undefined : -count));
  return [{ success: true }];
}
