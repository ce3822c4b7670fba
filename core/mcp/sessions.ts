/** The sessions of MCP clients, by their ids. */

/** A session of the older transport has a stream, on which answers are sent. */
export interface McpSession {
  /** The address that the session belongs to. */
  path: string;
  send?(event: string, data: string): void;
  /** The messages that are being answered, by their ids. */
  running: Map<string, AbortController>;
}

/** Sessions that are remembered at most. The oldest ones are forgotten, and their clients begin again. */
const MAX_SESSIONS = 1000;

/** The open sessions. Their number is limited, because clients seldom end them. */
export class McpSessions {
  readonly #sessions = new Map<string, McpSession>();

  /** @param id of a session that a former server opened. Undefined: a new one */
  open(session: Omit<McpSession, 'running'>, id: string = crypto.randomUUID()): string {
    this.#sessions.set(id, { ...session, running: new Map() });
    for (const oldest of this.#sessions.keys()) {
      if (this.#sessions.size <= MAX_SESSIONS) break;
      this.#sessions.delete(oldest);
    }
    return id;
  }

  /** Undefined for an unknown id, and for a session of another address. */
  find(id: string | null, path: string): McpSession | undefined {
    const session = id === null ? undefined : this.#sessions.get(id);
    return session?.path === path ? session : undefined;
  }

  /** Ends a session, and the calls that run for it. */
  close(id: string): void {
    for (const controller of this.#sessions.get(id)?.running.values() ?? []) controller.abort();
    this.#sessions.delete(id);
  }
}
