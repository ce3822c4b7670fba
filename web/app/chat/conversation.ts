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
  /** Documents that the message brings along. The model reads them before the message. */
  documents?: DocumentText[];
  toolCalls?: AnswerToolCall[];
  /** The called tool, for a `tool` turn. */
  toolName?: string;
  toolCallId?: string;
  /** `cut`: the tab or the server that generated the answer ended. Another one may continue it. */
  state: 'running' | 'done' | 'stopped' | 'failed' | 'cut';
  /** Why a running answer is still empty. `queued`: the compared model answers first. */
  waiting?: 'loading' | 'reading' | 'searching' | 'queued';
  /** How much of the documents was searched, from 0 to 1. */
  progress?: number;
  model?: string;
  /** Whether the request set a JSON format. */
  json?: boolean;
  stats?: { tokens: number; nanoseconds: number; device: string; atLimit?: boolean; promptTokens?: number };
  /** Tokens of a running answer, and the milliseconds since the first one. Not stored in finished turns. */
  live?: { tokens: number; milliseconds: number };
  /** Whether the user has changed the answer. */
  edited?: boolean;
  /** The id of the version of this answer that is shown next to it. */
  comparedWith?: string;
  /** The passages of documents that the model got. Absent: it got the whole documents. */
  sources?: Source[];
  error?: string;
  /** Continuations in a row that added no text. */
  attempts?: number;
  /** Milliseconds since 1970. */
  at: number;
}

/** The text of an attached document. */
export interface DocumentText {
  name: string;
  text: string;
  /** Vectors of its passages, one after the other. Absent until they are needed. */
  index?: { model: string; vectors: Float32Array };
}

/** A passage of a document that fits a question. */
export interface Source {
  document: string;
  text: string;
  /** Cosine similarity to the question. */
  score: number;
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
  /** The part of documents that the model gets. Absent: passages if they are long and a model can embed them. */
  documents?: 'whole' | 'passages';
}

export interface Conversation {
  id: string;
  title: string;
  created: number;
  updated: number;
  model?: string;
  /** A second model, which answers each message, too. */
  compare?: string;
  settings: ChatSettings;
  /** The name of the folder that lists it. */
  folder?: string;
  /** The last turn of the branch that is shown. */
  leaf?: string;
  /** Whether it stays above the other conversations. */
  pinned?: boolean;
}

/** Stands before the passages of documents in a prompt. */
const PASSAGES_HINT =
  'Passages of the attached documents follow. Answer with them, and cite their numbers, such as [1].';
const OPTIONS = ['temperature', 'top_p', 'num_ctx', 'num_predict', 'seed'] as const;

export function newConversation(now = Date.now()): Conversation {
  return { id: crypto.randomUUID(), title: '', created: now, updated: now, settings: {} };
}

/** Other values of a conversation. Undefined removes one. */
export type ConversationChange = { [Name in keyof Conversation]?: Conversation[Name] | undefined };

export function withChange(conversation: Conversation, change: ConversationChange): Conversation {
  const entries = Object.entries({ ...conversation, ...change }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as unknown as Conversation;
}

/** A complete turn with a new id. */
export function newTurn(
  role: Turn['role'],
  content: string,
  { conversation, parent, at }: { conversation: string; parent: string | undefined; at: number },
  { images = [], documents = [] }: Pick<Turn, 'images' | 'documents'> = {},
): Turn {
  const turn: Turn = { id: crypto.randomUUID(), conversation, role, content, state: 'done', at };
  if (parent !== undefined) turn.parent = parent;
  if (images.length > 0) turn.images = images;
  if (documents.length > 0) turn.documents = documents;
  return turn;
}

/** Another version of an answer, with the user's text. */
export function editedTurn(answer: Turn, content: string, at: number): Turn {
  const { toolCalls, error, stats, ...rest } = answer;
  return { ...rest, id: crypto.randomUUID(), content, state: 'done', edited: true, at };
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

/** The turns by the id of the turn before them. */
export function groupByParent(turns: readonly Turn[]): Map<string | undefined, Turn[]> {
  const groups = new Map<string | undefined, Turn[]>();
  for (const turn of turns) {
    const group = groups.get(turn.parent);
    if (group) group.push(turn);
    else groups.set(turn.parent, [turn]);
  }
  return groups;
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

/** The two answers that are shown side by side, left and right. Undefined for an answer that is shown alone. */
export function comparedAnswers(turns: readonly Turn[], turn: Turn): [Turn, Turn] | undefined {
  if (turn.role !== 'assistant') return undefined;
  const left = turns.find(({ id, parent }) => id === turn.comparedWith && parent === turn.parent);
  if (left) return [left, turn];
  const rights = turns.filter(
    ({ comparedWith, parent }) => comparedWith === turn.id && parent === turn.parent,
  );
  const [right] = rights.sort((a, b) => b.at - a.at);
  return right && [turn, right];
}

/** An answer of the branch to `leaf` that is not complete, or one that is shown next to the branch. */
export function runningAnswer(turns: readonly Turn[], leaf: string | undefined): Turn | undefined {
  const running = turns.filter(({ state }) => state === 'running');
  if (running.length === 0) return undefined;
  const shown = new Set(pathTo(turns, leaf).map(({ id }) => id));
  return running.find((turn) => (comparedAnswers(turns, turn) ?? [turn]).some(({ id }) => shown.has(id)));
}

/** A title of at most 60 characters from the first words of a message. */
export function titleOf(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= 60) return line;
  const cut = line.slice(0, 60);
  const space = cut.lastIndexOf(' ');
  return `${cut.slice(0, space > 30 ? space : 60)}…`;
}

/**
 * The body of `/api/chat`. Leaves out what the model does not support, which the server would reject.
 * @param sources passages for the last message of the user, in place of all documents
 */
export function chatRequestBody(
  model: string,
  { system, think, format, tools, ...settings }: ChatSettings,
  path: readonly Turn[],
  capabilities: readonly string[] = [],
  sources?: readonly Source[],
): Record<string, unknown> {
  const options = Object.fromEntries(
    OPTIONS.flatMap((name) => (settings[name] === undefined ? [] : [[name, settings[name]]])),
  );
  const can = (capability: string) => capabilities.includes(capability);
  const sentTurns = path.filter(
    ({ role, content, toolCalls }) => role !== 'assistant' || content !== '' || toolCalls?.length,
  );
  const question = sources && sentTurns.findLast(({ role }) => role === 'user');
  return {
    model,
    messages: [
      ...(system?.trim() ? [{ role: 'system', content: system }] : []),
      ...sentTurns.map(({ id, role, content, documents, images, toolCalls, toolName, toolCallId }) => ({
        role,
        content: sources
          ? withSources(content, documents, id === question?.id ? sources : [])
          : withDocuments(content, documents),
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

function withDocuments(content: string, documents: readonly DocumentText[] = []): string {
  return [...documents.map(({ name, text }) => `Document "${name}":\n\n${text}`), content]
    .filter(Boolean)
    .join('\n\n---\n\n');
}

function withSources(
  content: string,
  documents: readonly DocumentText[] = [],
  sources: readonly Source[],
): string {
  const passages = sources.map(({ document, text }, at) => `[${at + 1}] From "${document}":\n${text}`);
  return [
    ...documents.map(({ name }) => `(The user attached the document "${name}".)`),
    ...(passages.length > 0 ? [PASSAGES_HINT, ...passages] : []),
    content,
  ]
    .filter(Boolean)
    .join('\n\n');
}

/** Copies a path into another conversation, with new ids. Answers that are compared stay behind. */
export function copyPath(path: readonly Turn[], conversation: string): Turn[] {
  let parent: string | undefined;
  return path.map((turn) => {
    const copy: Turn = { ...turn, id: crypto.randomUUID(), conversation };
    delete copy.parent;
    delete copy.comparedWith;
    if (parent !== undefined) copy.parent = parent;
    parent = copy.id;
    return copy;
  });
}

/** A new conversation with the settings of another one and a copy of its path. */
export function forkOf(
  { settings, title, model, folder }: Conversation,
  path: readonly Turn[],
): { conversation: Conversation; turns: Turn[] } {
  const conversation: Conversation = { ...newConversation(), settings, title };
  if (model !== undefined) conversation.model = model;
  if (folder !== undefined) conversation.folder = folder;
  const turns = copyPath(path, conversation.id);
  const leaf = turns.at(-1)?.id;
  if (leaf !== undefined) conversation.leaf = leaf;
  return { conversation, turns };
}
