import * as v from 'valibot';
import { chatStrings } from '../strings/chat.ts';
import { saveFile } from '../ui/save-file.ts';
import type { Chats } from './chats.ts';
import { type Conversation, newConversation, type Turn } from './conversation.ts';

const KIND = 'tabd-chats';

const call = v.object({
  id: v.optional(v.string()),
  function: v.object({ name: v.string(), arguments: v.record(v.string(), v.unknown()) }),
});

const turn = v.object({
  id: v.string(),
  parent: v.optional(v.string()),
  role: v.picklist(['user', 'assistant', 'tool']),
  content: v.string(),
  thinking: v.optional(v.string()),
  images: v.optional(v.array(v.pipe(v.string(), v.regex(/^[A-Za-z0-9+/]+=*$/)))),
  toolCalls: v.optional(v.array(call)),
  toolName: v.optional(v.string()),
  toolCallId: v.optional(v.string()),
  state: v.picklist(['running', 'done', 'stopped', 'failed', 'cut']),
  model: v.optional(v.string()),
  json: v.optional(v.boolean()),
  stats: v.optional(
    v.object({
      tokens: v.number(),
      nanoseconds: v.number(),
      device: v.string(),
      atLimit: v.optional(v.boolean()),
    }),
  ),
  error: v.optional(v.string()),
  at: v.number(),
});

/** `remoteImages` is left out: the author of a file must not decide that this browser loads remote images. */
const settings = v.object({
  system: v.optional(v.string()),
  temperature: v.optional(v.number()),
  top_p: v.optional(v.number()),
  num_ctx: v.optional(v.number()),
  num_predict: v.optional(v.number()),
  seed: v.optional(v.number()),
  think: v.optional(v.union([v.boolean(), v.picklist(['low', 'medium', 'high'])])),
  format: v.optional(v.union([v.literal('json'), v.record(v.string(), v.unknown())])),
  tools: v.optional(v.array(v.unknown())),
});

const file = v.object({
  kind: v.literal(KIND),
  version: v.literal(1),
  conversations: v.array(
    v.object({
      id: v.string(),
      title: v.string(),
      created: v.number(),
      updated: v.number(),
      model: v.optional(v.string()),
      settings,
      leaf: v.optional(v.string()),
      turns: v.array(turn),
    }),
  ),
});

export interface StoredChat {
  conversation: Conversation;
  turns: Turn[];
}

/** The text of an export file. */
export function chatsToJson(stored: readonly StoredChat[]): string {
  const conversations = stored.map(({ conversation, turns }) => ({
    ...conversation,
    turns: turns.map(({ conversation: _, ...rest }) => rest),
  }));
  return JSON.stringify({ kind: KIND, version: 1, conversations }, null, 2);
}

/**
 * Parses an export file. Turns get new ids, and so do conversations whose id is in `storedIds`: an import replaces
 * nothing. Throws with a message for the user when the file is invalid.
 */
export function parseChats(text: string, storedIds: ReadonlySet<string>): StoredChat[] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new Error(chatStrings.notChatFile);
  }
  const checked = v.safeParse(file, json);
  if (!checked.success) {
    const [issue] = checked.issues;
    throw new Error(`${chatStrings.notChatFile} ${v.getDotPath(issue) ?? ''}: ${issue.message}`);
  }
  return checked.output.conversations.map(({ turns, ...head }) => {
    const id = storedIds.has(head.id) ? newConversation().id : head.id;
    const ids = new Map(turns.map((turn) => [turn.id, crypto.randomUUID() as string]));
    const conversation = { ...head, id } as Conversation;
    const leaf = head.leaf === undefined ? undefined : ids.get(head.leaf);
    if (leaf === undefined) delete conversation.leaf;
    else conversation.leaf = leaf;
    return {
      conversation,
      turns: turns.map((turn) => {
        const copy = { ...turn, id: ids.get(turn.id)!, conversation: id } as Turn;
        const parent = turn.parent === undefined ? undefined : ids.get(turn.parent);
        delete copy.parent;
        if (parent !== undefined) copy.parent = parent;
        if (copy.state === 'running') copy.state = 'cut';
        return copy;
      }),
    };
  });
}

/** Downloads all conversations, or one, as a file. */
export async function exportChats(chats: Chats, only?: string): Promise<void> {
  const conversations = (await chats.store.list()).filter(({ id }) => only === undefined || id === only);
  const stored: StoredChat[] = [];
  for (const conversation of conversations)
    stored.push({ conversation, turns: await chats.store.turns(conversation.id) });
  const day = new Date().toISOString().slice(0, 10);
  saveFile(`tabd-chats-${day}.json`, 'application/json', chatsToJson(stored));
}
