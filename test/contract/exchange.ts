/** A request and its answer, as the contract tables and the replays see them on every transport. */
import type { MessageSocket } from './socket.ts';

export type RealSystem = 'ollama' | 'comfyui' | 'n8n';
export type TransportName = 'process' | 'worker' | 'bridge' | 'port' | 'door';
export const TRANSPORTS: TransportName[] = ['process', 'worker', 'bridge', 'port', 'door'];

export interface Call {
  method: string;
  path: string;
  headers?: Record<string, string>;
  /** The encoded body. The `json` of a table becomes this. */
  body?: string | Uint8Array;
  /** Cancels the request, as the disconnect of a client does. */
  signal?: AbortSignal;
}

export interface Answer {
  status: number;
  /** Names are in lower case. Repeated headers are joined by `, `. */
  headers: Record<string, string>;
  body: string;
  /** The server's chunks, where the transport preserves them. */
  chunks?: string[];
}

/**
 * The content of the server at the start. The first three are for tables, the others for replays.
 *
 * - `ready`: the default model alone
 * - `fresh`: no model
 * - `embeds`: an embedding model alone
 * - `hears`: a small model that hears alone
 * - `speaks`: a small model that speaks alone
 * - `variants`: several models
 * - `managed`: like `ready`, but the replay changes it
 * - `origins`: OLLAMA_ORIGINS is set
 * - `transcripts`: no language model
 * - `previews`: no language model, and samplers send previews
 * - `scripted`: no language model, and workflows may call servers of this computer
 */
export type State =
  | 'ready'
  | 'fresh'
  | 'embeds'
  | 'hears'
  | 'speaks'
  | 'variants'
  | 'managed'
  | 'origins'
  | 'transcripts'
  | 'previews'
  | 'scripted';

/** The data of a stream of server-sent events so far, parsed from JSON. */
export interface FollowedEvents {
  readonly received: unknown[];
  /** Throws when the condition does not hold within the limit in milliseconds. */
  until(enough: () => boolean, milliseconds: number): Promise<void>;
  close(): void;
}

export interface Transport {
  readonly name: TransportName;
  /** True when real weights answer, false for the scripted engine. */
  readonly realModel: boolean;
  send(api: RealSystem, state: State, call: Call): Promise<Answer>;
  connect(api: RealSystem, state: State, path: string): Promise<MessageSocket>;
  /**
   * Calls the control API of workflows (`/workflows`) as the owner of the server. Returns the JSON of a successful
   * answer.
   */
  manage(state: State, method: string, path: string, json?: unknown): Promise<Record<string, unknown>>;
  /** Follows events of the control API (`/events`). Resolves when no later event can be missed. */
  follow?(state: State, path: string): Promise<FollowedEvents>;
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
