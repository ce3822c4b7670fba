import type { AnswerToolCall } from '../api-client.ts';

/** A message, answer or tool result. The turns of a conversation form a tree: an edit or retry adds a branch. */
export interface Turn {
  id: string;
  conversation: string;
  /** The id of the previous turn. Absent for a first turn. */
  parent?: string;
  role: 'user' | 'assistant' | 'tool';
  content: string;
  thinking?: string;
  /** Base64, without `data:`. */
  images?: string[];
  toolCalls?: AnswerToolCall[];
  /** The called tool, for a `tool` turn. */
  toolName?: string;
  toolCallId?: string;
  /** `cut`: the tab or the server that generated the answer ended. Another one may continue it. */
  state: 'running' | 'done' | 'stopped' | 'failed' | 'cut';
  /** Why a running answer is still empty. */
  waiting?: 'loading' | 'reading';
  model?: string;
  /** Whether the request set a JSON format. */
  json?: boolean;
  stats?: { tokens: number; nanoseconds: number; device: string; atLimit?: boolean };
  error?: string;
  /** Continuations in a row that added no text. */
  attempts?: number;
  /** Milliseconds since 1970. */
  at: number;
}

export interface ChatSettings {
  system?: string;
  temperature?: number;
  top_p?: number;
  num_ctx?: number;
  num_predict?: number;
  seed?: number;
  think?: boolean | 'low' | 'medium' | 'high';
  /** `json`, or a JSON schema. */
  format?: 'json' | Record<string, unknown>;
  /** Tool definitions in the format of `/api/chat`. */
  tools?: unknown[];
  /** Whether to load images from other sites. Not sent to the model. */
  remoteImages?: boolean;
}

export interface Conversation {
  id: string;
  title: string;
  created: number;
  updated: number;
  model?: string;
  settings: ChatSettings;
  /** The last turn of the branch that is shown. */
  leaf?: string;
}

const OPTIONS = ['temperature', 'top_p', 'num_ctx', 'num_predict', 'seed'] as const;

export function newConversation(now = Date.now()): Conversation {
  return { id: crypto.randomUUID(), title: '', created: now, updated: now, settings: {} };
}

/**
 * The turns from the first one to `leaf`. If a parent is missing or the parents form a cycle, the path starts there.
 */
export function pathTo(turns: readonly Turn[], leaf: string | undefined): Turn[] {
  const byId = new Map(turns.map((turn) => [turn.id, turn]));
  const path = new Set<Turn>();
  let turn = leaf === undefined ? undefined : byId.get(leaf);
  while (turn && !path.has(turn)) {
    path.add(turn);
    turn = turn.parent === undefined ? undefined : byId.get(turn.parent);
  }
  return [...path].reverse();
}

/** The versions of a turn, itself included, oldest first. */
export function siblings(turns: readonly Turn[], turn: Turn): Turn[] {
  return turns.filter(({ parent }) => parent === turn.parent).sort((a, b) => a.at - b.at);
}

/** The last turn of the newest branch through `turn`. */
export function newestLeaf(turns: readonly Turn[], turn: Turn): Turn {
  let leaf = turn;
  for (const seen = new Set<Turn>(); !seen.has(leaf); ) {
    seen.add(leaf);
    const next = turns.filter(({ parent }) => parent === leaf.id).sort((a, b) => b.at - a.at)[0];
    if (next) leaf = next;
  }
  return leaf;
}

/** A title of at most 60 characters from the first words of a message. */
export function titleOf(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= 60) return line;
  const cut = line.slice(0, 60);
  const space = cut.lastIndexOf(' ');
  return `${cut.slice(0, space > 30 ? space : 60)}…`;
}

/** The body of `/api/chat`. Leaves out what the model does not support, which the server would reject. */
export function chatRequestBody(
  model: string,
  { system, think, format, tools, ...settings }: ChatSettings,
  path: readonly Turn[],
  capabilities: readonly string[] = [],
): Record<string, unknown> {
  const options = Object.fromEntries(
    OPTIONS.flatMap((name) => (settings[name] === undefined ? [] : [[name, settings[name]]])),
  );
  const can = (capability: string) => capabilities.includes(capability);
  const sentTurns = path.filter(
    ({ role, content, toolCalls }) => role !== 'assistant' || content !== '' || toolCalls?.length,
  );
  return {
    model,
    messages: [
      ...(system?.trim() ? [{ role: 'system', content: system }] : []),
      ...sentTurns.map(({ role, content, images, toolCalls, toolName, toolCallId }) => ({
        role,
        content,
        ...(images?.length && can('vision') && { images }),
        ...(toolCalls?.length && { tool_calls: toolCalls }),
        ...(toolName && { tool_name: toolName }),
        ...(toolCallId && { tool_call_id: toolCallId }),
      })),
    ],
    ...(Object.keys(options).length > 0 && { options }),
    ...(format !== undefined && { format }),
    ...(think !== undefined && can('thinking') && { think }),
    ...(tools?.length && can('tools') && { tools }),
  };
}

/** Copies a path into another conversation, with new ids. */
export function copyPath(path: readonly Turn[], conversation: string): Turn[] {
  let parent: string | undefined;
  return path.map((turn) => {
    const copy: Turn = { ...turn, id: crypto.randomUUID(), conversation };
    delete copy.parent;
    if (parent !== undefined) copy.parent = parent;
    parent = copy.id;
    return copy;
  });
}
