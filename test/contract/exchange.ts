/** One request and its answer, as the contract tables and the replays see them on every transport. */
import type { HeardSocket } from './socket.ts';

export type ApiName = 'ollama' | 'comfyui' | 'n8n';
export type TransportName = 'process' | 'worker' | 'bridge' | 'port';
export const TRANSPORTS: TransportName[] = ['process', 'worker', 'bridge', 'port'];

export interface Call {
  method: string;
  path: string;
  headers?: Record<string, string>;
  /** Already encoded; `json` in a table becomes this. */
  body?: string | Uint8Array;
  /** Gives the request up, as a client that leaves. */
  signal?: AbortSignal;
}

export interface Answer {
  status: number;
  /** Names in lower case; repeated headers are joined by `, `. */
  headers: Record<string, string>;
  body: string;
  /** Pieces as the server sent them, where the transport keeps them apart. */
  chunks?: string[];
}

/**
 * What the server has when it starts. `ready`: the default model and nothing else; `fresh`: nothing; `embeds`: a model
 * for embeddings and nothing else; for replays also
 * `variants`: more models; `managed`: as `ready`, to be changed by what is replayed; `origins`: with OLLAMA_ORIGINS set;
 * `transcripts`: no language model; `previews`: the same, and samplers show their steps.
 */
export type State =
  | 'ready'
  | 'fresh'
  | 'embeds'
  | 'variants'
  | 'managed'
  | 'origins'
  | 'transcripts'
  | 'previews';

/** What a stream of server-sent events told so far: the JSON of each. */
export interface Followed {
  readonly heard: unknown[];
  /** Throws when it does not hold within so many milliseconds. */
  until(enough: () => boolean, milliseconds: number): Promise<void>;
  close(): void;
}

export interface Transport {
  readonly name: TransportName;
  /** True when real weights answer, false for the scripted engine. */
  readonly realModel: boolean;
  send(api: ApiName, state: State, call: Call): Promise<Answer>;
  connect(api: ApiName, state: State, path: string): Promise<HeardSocket>;
  /** A call of the control API of workflows (`/workflows`), as the owner of the server; the JSON of a good answer. */
  manage(state: State, method: string, path: string, json?: unknown): Promise<Record<string, unknown>>;
  /** Events of the control API (`/events`); resolves when nothing is missed any more. */
  follow?(state: State, path: string): Promise<Followed>;
  close(): Promise<void>;
}

export function joinHeaders(pairs: Iterable<[string, string]>): Record<string, string> {
  const joined: Record<string, string> = {};
  for (const [name, value] of pairs) {
    const key = name.toLowerCase();
    joined[key] = key in joined ? `${joined[key]}, ${value}` : value;
  }
  return joined;
}
