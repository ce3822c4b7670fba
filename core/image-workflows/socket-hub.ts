import type { ServerSocket, WebSocketSession } from '../server-types.ts';

/** Bytes; announced to clients in the feature flags. */
export const MAX_UPLOAD_SIZE = 104_857_600;

interface Member {
  socket: ServerSocket;
  sessionId: string;
  /** What the client said it understands, in its first message. */
  features: Record<string, unknown>;
}

/**
 * The sockets of `/ws`. A session id (`clientId`) may have several sockets: all of them keep receiving, whichever
 * connected last, and one that closes takes nothing from the others.
 */
export class SocketHub {
  readonly #members = new Set<Member>();
  #queueRemaining = 0;

  /** A session for `GET /ws?clientId=X`; an absent or empty id gets 32 random hex digits. */
  session(clientId: string | null): WebSocketSession {
    const sessionId = clientId || randomHex(16);
    return {
      start: (socket) => {
        const member: Member = { socket, sessionId, features: {} };
        this.#members.add(member);
        socket.onClose(() => this.#members.delete(member));
        let first = true;
        socket.onMessage((data) => {
          const message = parseObject(data);
          if (message === undefined || !first) return;
          first = false;
          if (message.type !== 'feature_flags') return;
          if (isObject(message.data)) member.features = message.data;
          send(socket, 'feature_flags', {
            supports_preview_metadata: true,
            max_upload_size: MAX_UPLOAD_SIZE,
          });
        });
        send(socket, 'status', { status: this.#status(), sid: sessionId });
      },
    };
  }

  /** Tells every socket how many prompts wait or run. */
  setQueueRemaining(count: number): void {
    this.#queueRemaining = count;
    for (const { socket } of this.#members) send(socket, 'status', { status: this.#status() });
  }

  close(): void {
    for (const { socket } of this.#members) socket.close(1001, 'server is shutting down');
    this.#members.clear();
  }

  #status(): unknown {
    return { exec_info: { queue_remaining: this.#queueRemaining } };
  }
}

function send(socket: ServerSocket, type: string, data: unknown): void {
  socket.send(JSON.stringify({ type, data }));
}

function parseObject(data: string | Uint8Array): Record<string, unknown> | undefined {
  if (typeof data !== 'string') return undefined;
  try {
    const value: unknown = JSON.parse(data);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function randomHex(bytes: number): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
