import type { ServerSocket, WebSocketSession } from '#core/http';
import type { Preview } from '../nodes/kernel/node-context.ts';
import { pythonJson } from '../python/python-json.ts';

/** Bytes; announced to clients in the feature flags. */
export const MAX_UPLOAD_SIZE = 104_857_600;

/** A client that takes nothing gets no more pictures beyond so many bytes; beyond `GONE` its socket is closed. */
const SLOW = 16 * 1024 * 1024;
const GONE = 128 * 1024 * 1024;

export const serverFeatures = {
  supports_preview_metadata: true,
  max_upload_size: MAX_UPLOAD_SIZE,
};

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
  #current: { clientId: string; node: string } | undefined;

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
          socket.send(event('feature_flags', serverFeatures));
        });
        socket.send(event('status', { status: this.#status(), sid: sessionId }));
        // Who comes back in the middle of its own prompt learns where it is.
        if (this.#current?.clientId === sessionId)
          socket.send(event('executing', { node: this.#current.node }));
      },
    };
  }

  /** Tells every socket how many prompts wait or run. */
  setQueueRemaining(count: number): void {
    this.#queueRemaining = count;
    this.#deliver(this.#members, event('status', { status: this.#status() }));
  }

  /** The node that runs, and for whom; undefined: none. */
  setCurrentNode(clientId: string | undefined, node: string | undefined): void {
    this.#current = clientId !== undefined && node !== undefined ? { clientId, node } : undefined;
  }

  /** To the client's sockets; without a client, to nobody. */
  send(clientId: string | undefined, type: string, data: unknown): void {
    const members = clientId === undefined ? [] : this.#of(clientId);
    if (members.length > 0) this.#deliver(members, event(type, data));
  }

  /** To the client's sockets; without a client, to all. */
  sendToAllOr(clientId: string | undefined, type: string, data: unknown): void {
    const members = this.#of(clientId);
    if (members.length > 0) this.#deliver(members, event(type, data));
  }

  /** Whether anybody would get what `sendToAllOr` sends. */
  hears(clientId: string | undefined): boolean {
    return this.#of(clientId).length > 0;
  }

  /** A picture: for clients that announced it, with what it belongs to. */
  preview(
    clientId: string | undefined,
    { type, bytes }: Preview,
    place: Record<string, unknown>,
    form: 'with metadata' | 'plain',
  ): void {
    const withMetadata = form === 'with metadata';
    const members = this.#of(clientId).filter(
      ({ features, socket }) =>
        (features.supports_preview_metadata === true) === withMetadata && socket.bufferedAmount < SLOW,
    );
    if (members.length === 0) return;
    const head = withMetadata
      ? lengthAnd(utf8.encode(pythonJson({ ...place, image_type: type })))
      : uint32(type === 'image/jpeg' ? 1 : 2);
    this.#deliver(members, joined(uint32(withMetadata ? 4 : 1), head, bytes));
  }

  /** A text on a node. */
  text(clientId: string | undefined, node: string, text: string): void {
    this.#deliver(this.#of(clientId), joined(uint32(3), lengthAnd(utf8.encode(node)), utf8.encode(text)));
  }

  close(): void {
    for (const { socket } of this.#members) socket.close(1001, 'server is shutting down');
    this.#members.clear();
  }

  #of(clientId: string | undefined): Member[] {
    const all = [...this.#members];
    return clientId === undefined ? all : all.filter(({ sessionId }) => sessionId === clientId);
  }

  #deliver(members: Iterable<Member>, message: string | Uint8Array): void {
    for (const member of [...members]) {
      const { socket } = member;
      if (socket.bufferedAmount > GONE) {
        this.#members.delete(member);
        socket.close(1013, 'this client takes no messages');
      } else socket.send(message);
    }
  }

  #status(): unknown {
    return { exec_info: { queue_remaining: this.#queueRemaining } };
  }
}

const utf8 = new TextEncoder();

const event = (type: string, data: unknown) => pythonJson({ type, data });

function uint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}

const lengthAnd = (bytes: Uint8Array) => joined(uint32(bytes.length), bytes);

function joined(...parts: Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
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
