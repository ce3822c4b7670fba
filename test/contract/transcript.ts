/** Recorded messages of a ComfyUI socket, and the server on which they are replayed. */
import type { MessageSocket } from './socket.ts';

/** Milliseconds for a prompt. */
export const LIMIT = 60_000;

/** A message of a socket: JSON, or the first bytes of a binary one. */
export interface ReceivedMessage {
  // biome-ignore lint/suspicious/noExplicitAny: messages of every kind
  json?: any;
  /** The first bytes, parsed. */
  binary?: Record<string, unknown>;
}

/** The recorded messages of a client. */
export interface Transcript {
  name: string;
  messages: ReceivedMessage[];
  /** The body of `POST /prompt`. Absent in transcripts of other steps. */
  body?: PromptBody;
}

/** The body of `POST /prompt`. */
export interface PromptBody {
  prompt: Record<string, GraphNode>;
  client_id: string;
}

interface GraphNode {
  class_type: string;
  inputs: Record<string, unknown>;
}

/** A server on which transcripts are replayed. */
export interface Stage {
  /** Returns answers 2xx, and throws for others. */
  post(path: string, json: unknown): Promise<string>;
  connect(path: string): Promise<MessageSocket>;
}

/** Restores the cached results of exactly these nodes of a graph. */
export async function remember(
  stage: Stage,
  graph: PromptBody['prompt'],
  ids: readonly string[],
): Promise<void> {
  await stage.post('/free', { free_memory: true });
  if (ids.length === 0) return;
  const socket = await stage.connect('/ws?clientId=before');
  await stage.post('/prompt', { prompt: withOutputs(graph, ids), client_id: 'before', prompt_id: 'before' });
  await socket.until((received) => received.some(isEnd), LIMIT);
  socket.close();
}

/** Some nodes of a graph with all nodes that they need. */
function withOutputs(graph: PromptBody['prompt'], ids: readonly string[]): PromptBody['prompt'] {
  const part = Object.fromEntries(ids.map((id) => [id, graph[id]!]));
  const used = new Set(Object.values(part).flatMap(({ inputs }) => Object.values(inputs).map(sourceOf)));
  for (const id of ids) {
    if (used.has(id)) continue;
    if (/^(Save|Preview)/.test(part[id]!.class_type)) continue;
    part[`show ${id}`] = { class_type: 'PreviewAny', inputs: { source: [id, 0] } };
  }
  return part;
}

const sourceOf = (value: unknown) => (Array.isArray(value) ? value[0] : undefined);

/** Whether the message reports the end of a prompt. */
export function isEnd(message: string | Uint8Array): boolean {
  if (typeof message !== 'string') return false;
  const { type, data } = JSON.parse(message);
  return type === 'executing' && data.node === null;
}
