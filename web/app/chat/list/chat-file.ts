import * as v from 'valibot';
import { chatStrings } from '../../strings/chat.ts';
import { saveFile } from '../../ui/save-file.ts';
import type { ChatStore } from '../chat-store.ts';
import { type Conversation, newConversation, pathTo, type Turn } from '../conversation.ts';

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
  documents: v.optional(v.array(v.object({ name: v.string(), text: v.string() }))),
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
      promptTokens: v.optional(v.number()),
    }),
  ),
  edited: v.optional(v.boolean()),
  comparedWith: v.optional(v.string()),
  sources: v.optional(v.array(v.object({ document: v.string(), text: v.string(), score: v.number() }))),
  error: v.optional(v.string()),
  at: v.number(),
});

/** `remoteImages` is left out: the author of a file must not decide that this browser loads remote images. */
export const settingsSchema = v.object({
  system: v.optional(v.string()),
  temperature: v.optional(v.number()),
  top_p: v.optional(v.number()),
  num_ctx: v.optional(v.number()),
  num_predict: v.optional(v.number()),
  seed: v.optional(v.number()),
  think: v.optional(v.union([v.boolean(), v.picklist(['low', 'medium', 'high'])])),
  format: v.optional(v.union([v.literal('json'), v.record(v.string(), v.unknown())])),
  tools: v.optional(v.array(v.unknown())),
  documents: v.optional(v.picklist(['whole', 'passages'])),
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
      compare: v.optional(v.string()),
      settings: settingsSchema,
      folder: v.optional(v.string()),
      leaf: v.optional(v.string()),
      pinned: v.optional(v.boolean()),
      turns: v.array(turn),
    }),
  ),
});

export interface StoredChat {
  conversation: Conversation;
  turns: Turn[];
}

interface HasStore {
  readonly store: ChatStore;
}

/** The text of an export file. */
export function chatsToJson(stored: readonly StoredChat[]): string {
  const conversations = stored.map(({ conversation, turns }) => ({
    ...conversation,
    turns: turns.map(({ conversation: _, documents, ...rest }) => ({
      ...rest,
      // The vectors of passages are large, and can be computed again.
      ...(documents && { documents: documents.map(({ name, text }) => ({ name, text })) }),
    })),
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
    // The place helps with a file that was edited by hand. For any other file it would only confuse.
    const place = v.getDotPath(issue);
    throw new Error(place?.includes('.') ? chatStrings.chatFileProblem(place) : chatStrings.notChatFile);
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
        const compared = ids.get(turn.comparedWith ?? '');
        delete copy.comparedWith;
        if (compared !== undefined) copy.comparedWith = compared;
        if (copy.state === 'running') copy.state = 'cut';
        return copy;
      }),
    };
  });
}

/** A conversation as Markdown: its title, and the turns of the shown branch. */
export function chatToMarkdown({ conversation, turns }: StoredChat): string {
  const parts = pathTo(turns, conversation.leaf).map(({ role, content, documents = [], toolName, model }) => {
    const heading = {
      user: chatStrings.you,
      assistant: model ?? chatStrings.answer,
      tool: chatStrings.resultLabel(toolName ?? ''),
    }[role];
    const attached = documents.map(({ name }) => `*${chatStrings.documentNamed(name)}*`);
    return [`## ${heading}`, ...attached, content.trim()].filter(Boolean).join('\n\n');
  });
  return `${[`# ${conversation.title || chatStrings.untitled}`, ...parts].join('\n\n')}\n`;
}

/** Downloads all conversations as a file. */
export async function exportChats({ store }: HasStore): Promise<void> {
  const stored: StoredChat[] = [];
  for (const conversation of await store.list())
    stored.push({ conversation, turns: await store.turns(conversation.id) });
  const day = new Date().toISOString().slice(0, 10);
  saveFile(`tabd-chats-${day}.json`, 'application/json', chatsToJson(stored));
}

/** Downloads one conversation. */
export async function exportChat(
  { store }: HasStore,
  id: string,
  format: 'json' | 'markdown',
): Promise<void> {
  const conversation = await store.conversation(id);
  if (!conversation) return;
  const stored = { conversation, turns: await store.turns(id) };
  const name = (conversation.title || 'chat').replace(/[^\p{L}\p{N} ._-]+/gu, '').slice(0, 60) || 'chat';
  if (format === 'json') saveFile(`${name}.json`, 'application/json', chatsToJson([stored]));
  else saveFile(`${name}.md`, 'text/markdown', chatToMarkdown(stored));
}
