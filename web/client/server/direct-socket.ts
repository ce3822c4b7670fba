import type { FramedWebSocket } from '#core/frames';
import { withoutPrefix } from '#core/http';
import type { ServerConnection } from '#relay';

const CONNECTING = 0 as const;
const OPEN = 1 as const;
const CLOSING = 2 as const;
const CLOSED = 3 as const;

/** A WebSocket to a path of tabd. It behaves like the browser's and is carried by frames. */
export class DirectSocket extends EventTarget implements WebSocket {
  // Getters, because assigned static fields would keep bundlers from removing the unused class.
  static get CONNECTING() {
    return CONNECTING;
  }
  static get OPEN() {
    return OPEN;
  }
  static get CLOSING() {
    return CLOSING;
  }
  static get CLOSED() {
    return CLOSED;
  }
  readonly CONNECTING = CONNECTING;
  readonly OPEN = OPEN;
  readonly CLOSING = CLOSING;
  readonly CLOSED = CLOSED;
  readonly url: string;
  readonly extensions = '';
  binaryType: BinaryType = 'blob';
  onopen: WebSocket['onopen'] = null;
  onmessage: WebSocket['onmessage'] = null;
  onerror: WebSocket['onerror'] = null;
  onclose: WebSocket['onclose'] = null;
  readonly #left = new AbortController();
  #readyState: 0 | 1 | 2 | 3 = CONNECTING;
  #socket: FramedWebSocket | undefined;
  /** Settles when all queued messages are sent. Reading a Blob delays the messages behind it. */
  #sending: Promise<void> | undefined;

  constructor(link: ServerConnection, url: URL, protocols: string[], prefix: string) {
    super();
    const address = new URL(url);
    address.protocol = address.protocol.replace('http', 'ws');
    this.url = address.href;
    this.#open(link, url, protocols, prefix);
  }

  get readyState(): 0 | 1 | 2 | 3 {
    return this.#readyState;
  }
  get protocol(): string {
    return this.#socket?.protocol ?? '';
  }
  get bufferedAmount(): number {
    return this.#socket?.bufferedAmount ?? 0;
  }

  send(data: string | ArrayBufferLike | Blob | ArrayBufferView): void {
    if (this.#readyState === CONNECTING) {
      throw new DOMException('Still in CONNECTING state.', 'InvalidStateError');
    }
    if (data instanceof Blob || this.#sending) this.#queue(data);
    else this.#socket?.send(toBytes(data));
  }

  close(code = 1000, reason = ''): void {
    if (code !== 1000 && !(code >= 3000 && code <= 4999)) {
      throw new DOMException(
        `The close code must be 1000 or 3000 to 4999, not ${code}.`,
        'InvalidAccessError',
      );
    }
    if (this.#readyState >= CLOSING) return;
    const connecting = this.#readyState === CONNECTING;
    this.#readyState = CLOSING;
    if (connecting) this.#left.abort();
    else (this.#sending ?? Promise.resolve()).then(() => this.#socket?.close(code, reason));
  }

  #queue(data: string | ArrayBufferLike | Blob | ArrayBufferView): void {
    const before = this.#sending ?? Promise.resolve();
    const sent = before.then(async () => {
      this.#socket?.send(data instanceof Blob ? new Uint8Array(await data.arrayBuffer()) : toBytes(data));
      if (this.#sending === sent) this.#sending = undefined;
    });
    this.#sending = sent;
  }

  async #open(link: ServerConnection, url: URL, protocols: string[], prefix: string): Promise<void> {
    const inner = new URL(url);
    inner.pathname = withoutPrefix(url.pathname, prefix) ?? url.pathname;
    inner.protocol = inner.protocol.replace('ws', 'http');
    const headers: [string, string][] = [
      ['host', url.host],
      ['origin', location.origin],
      ['user-agent', navigator.userAgent],
      ['connection', 'Upgrade'],
      ['upgrade', 'websocket'],
    ];
    try {
      const client = await link.connect();
      const { signal } = this.#left;
      const opened = await client.connect({ url: inner.href, headers, protocols, signal });
      if (opened instanceof Response) {
        await opened.body?.cancel();
        throw new Error(`refused with ${opened.status}`);
      }
      this.#socket = opened;
    } catch {
      this.#fire(new Event('error'));
      this.#end(1006, '');
      return;
    }
    this.#readyState = OPEN;
    this.#fire(new Event('open'));
    this.#socket.onMessage((data) => this.#receive(data));
    this.#socket.onClose((code, reason) => this.#end(code, reason));
  }

  #receive(data: string | Uint8Array): void {
    if (this.#readyState === CLOSED) return;
    let content: unknown = data;
    if (typeof data !== 'string') {
      const bytes = data.slice();
      content = this.binaryType === 'blob' ? new Blob([bytes]) : bytes.buffer;
    }
    this.#fire(new MessageEvent('message', { data: content, origin: new URL(this.url).origin }));
  }

  #end(code: number, reason: string): void {
    if (this.#readyState === CLOSED) return;
    this.#readyState = CLOSED;
    this.#fire(new CloseEvent('close', { code, reason, wasClean: code !== 1006 }));
  }

  #fire(event: Event): void {
    const handler = this[`on${event.type}` as 'onopen'] as ((event: Event) => void) | null;
    if (typeof handler === 'function') this.addEventListener(event.type, handler, { once: true });
    this.dispatchEvent(event);
  }
}

function toBytes(data: string | ArrayBufferLike | ArrayBufferView): string | Uint8Array {
  if (typeof data === 'string') return data;
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  // A copy, because the caller may change its buffer.
  return new Uint8Array(data).slice();
}
