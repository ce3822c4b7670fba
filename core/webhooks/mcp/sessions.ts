/** The sessions of MCP clients, by their ids. */

/** A session of the older transport has a stream, on which answers are sent. */
interface Session {
  /** The address that the session belongs to. */
  path: string;
  send?(event: string, data: string): void;
}

/** Sessions that are remembered at most. The oldest ones are forgotten, and their clients begin again. */
const MAX_SESSIONS = 1000;

export class McpSessions {
  readonly #sessions = new Map<string, Session>();

  open(session: Session): string {
    const id = crypto.randomUUID();
    this.#sessions.set(id, session);
    for (const oldest of this.#sessions.keys()) {
      if (this.#sessions.size <= MAX_SESSIONS) break;
      this.#sessions.delete(oldest);
    }
    return id;
  }

  /** Undefined for an unknown id, and for a session of another address. */
  find(id: string | null, path: string): Session | undefined {
    const session = id === null ? undefined : this.#sessions.get(id);
    return session?.path === path ? session : undefined;
  }

  close(id: string): void {
    this.#sessions.delete(id);
  }
}
