import { isObject, toHex } from '#core/base';
import type { ServerSocket, WebSocketSession } from '#core/http';
import { serverFeatures } from '../features.ts';
import type { Preview } from '../nodes/kernel/node-context.ts';
import { pythonJson } from '../python/python-json.ts';
import { previewMessage, previewWithMetadataMessage, textMessage } from './binary-messages.ts';
import type { PreviewForm, PromptListener } from './prompt-listener.ts';

/** Bytes that a socket may have buffered before it gets no more previews. */
const MAX_PREVIEW_BACKLOG = 16 * 1024 * 1024;
/** Bytes that a socket may have buffered before it is closed. */
const MAX_BACKLOG = 128 * 1024 * 1024;

interface Member {
  socket: ServerSocket;
  sessionId: string;
  /** The client's feature flags, from its first message. */
  features: Record<string, unknown>;
}

/**
 * The sockets of `/ws`. One session id (`clientId`) may have several sockets: all of them receive its messages, and the
 * end of one does not affect the others.
 */
export class SocketHub implements PromptListener {
  readonly #members = new Set<Member>();
  #queueRemaining = 0;
  /** The running node of each client's prompt. */
  readonly #current = new Map<string, string>();

  /** A session for `GET /ws?clientId=X`. An absent or empty id becomes 32 random hex digits. */
  session(clientId: string | null): WebSocketSession {
    const sessionId = clientId || randomHex(16);
    return { start: (socket) => this.#join({ socket, sessionId, features: {} }) };
  }

  /** Reports to every socket how many prompts wait or run. */
  setQueueRemaining(count: number): void {
    this.#queueRemaining = count;
    this.#deliver(this.#members, eventMessage('status', { status: this.#status() }));
  }

  setCurrentNode(clientId: string | undefined, node: string | undefined): void {
    if (clientId === undefined) return;
    if (node === undefined) this.#current.delete(clientId);
    else this.#current.set(clientId, node);
  }

  /** Sends an event to the client's sockets. Without a client, nobody receives it. */
  send(clientId: string | undefined, type: string, data: unknown): void {
    const members = clientId === undefined ? [] : this.#membersOf(clientId);
    if (members.length > 0) this.#deliver(members, eventMessage(type, data));
  }

  /** Sends an event to the client's sockets. Without a client, all sockets receive it. */
  sendOrBroadcast(clientId: string | undefined, type: string, data: unknown): void {
    const members = this.#membersOf(clientId);
    if (members.length > 0) this.#deliver(members, eventMessage(type, data));
  }

  /** Whether `sendOrBroadcast` would reach a socket. */
  hasListener(clientId: string | undefined): boolean {
    return this.#membersOf(clientId).length > 0;
  }

  /**
   * Sends an image like `sendOrBroadcast`, in one of two forms: each socket gets the form that its feature flags ask for.
   * Sockets with a backlog get no image.
   */
  sendPreview(
    clientId: string | undefined,
    preview: Preview,
    metadata: Record<string, unknown>,
    form: PreviewForm,
  ): void {
    const withMetadata = form === 'with metadata';
    const members = this.#membersOf(clientId).filter(
      ({ features, socket }) =>
        (features.supports_preview_metadata === true) === withMetadata &&
        socket.bufferedAmount < MAX_PREVIEW_BACKLOG,
    );
    if (members.length === 0) return;
    this.#deliver(
      members,
      withMetadata ? previewWithMetadataMessage(preview, metadata) : previewMessage(preview),
    );
  }

  /** Sends a text that the client shows on a node. */
  sendText(clientId: string | undefined, node: string, text: string): void {
    this.#deliver(this.#membersOf(clientId), textMessage(node, text));
  }

  close(): void {
    for (const { socket } of this.#members) socket.close(1001, 'server is shutting down');
    this.#members.clear();
  }

  #join(member: Member): void {
    const { socket, sessionId } = member;
    this.#members.add(member);
    socket.onClose(() => this.#members.delete(member));
    let isFirst = true;
    socket.onMessage((data) => {
      const message = parseObject(data);
      if (message === undefined || !isFirst) return;
      isFirst = false;
      if (message.type !== 'feature_flags') return;
      if (isObject(message.data)) member.features = message.data;
      socket.send(eventMessage('feature_flags', serverFeatures));
    });
    socket.send(eventMessage('status', { status: this.#status(), sid: sessionId }));
    // A client that reconnects during its own prompt learns which node runs.
    const node = this.#current.get(sessionId);
    if (node !== undefined) socket.send(eventMessage('executing', { node }));
  }

  #membersOf(clientId: string | undefined): Member[] {
    const all = [...this.#members];
    return clientId === undefined ? all : all.filter(({ sessionId }) => sessionId === clientId);
  }

  #deliver(members: Iterable<Member>, message: string | Uint8Array): void {
    for (const member of [...members]) {
      const { socket } = member;
      if (socket.bufferedAmount > MAX_BACKLOG) {
        this.#members.delete(member);
        socket.close(1013, 'this client takes no messages');
      } else socket.send(message);
    }
  }

  #status(): unknown {
    return { exec_info: { queue_remaining: this.#queueRemaining } };
  }
}

const eventMessage = (type: string, data: unknown) => pythonJson({ type, data });

/** Undefined for bytes, and for a text that is no JSON object. */
function parseObject(data: string | Uint8Array): Record<string, unknown> | undefined {
  if (typeof data !== 'string') return undefined;
  try {
    const value: unknown = JSON.parse(data);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function randomHex(bytes: number): string {
  return toHex(crypto.getRandomValues(new Uint8Array(bytes)));
}
