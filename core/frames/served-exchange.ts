import type { CallContext, Server } from '#core/http';
import { blobOf } from './bodies/blob-response.ts';
import { BodyReceiver, WINDOW } from './bodies/body-receiver.ts';
import { BodySender } from './bodies/body-sender.ts';
import { buildRequest } from './bodies/build-request.ts';
import { isNullBodyStatus } from './bodies/null-body.ts';
import type { FrameChannel } from './channels/frame-channel.ts';
import { FrameError, PeerLost, toFrameError } from './errors.ts';
import { FramedWebSocket } from './frame-socket.ts';
import type {
  BodyFrame,
  ConnectFrame,
  HeadFrame,
  OpenFrame,
  RequestFrame,
  WebSocketFrame,
} from './grammar.ts';

type FrameToServer =
  | BodyFrame
  | Exclude<RequestFrame, { type: 'open' }>
  | Exclude<WebSocketFrame, { type: 'connect' }>;

export interface ServedExchangeOptions {
  server: Pick<Server, 'fetch' | 'connect'>;
  context: CallContext;
  /** Milliseconds that a response waits for a reader that takes nothing. */
  stallTimeout: number;
  /** Called once, when the exchange has ended, with or without success. */
  onEnd(): void;
}

/** One request or WebSocket as the server sees it, from its first frame to its end. */
export class ServedExchange {
  readonly #abort = new AbortController();
  #hasEnded = false;
  /** Receives the request's body while it comes in chunks. */
  #receiver: BodyReceiver | undefined;
  /**
   * The request's body. Its form, stream or Blob, is known once its first frame arrives. Undefined: the request has
   * none.
   */
  #body: Promise<ReadableStream<Uint8Array> | Blob | undefined> = Promise.resolve(undefined);
  /** Resolves `#body`. Undefined once it was called. */
  #resolveBody: ((body: ReadableStream<Uint8Array> | Blob) => void) | undefined;
  #sender: BodySender | undefined;
  #socket: FramedWebSocket | undefined;

  constructor(
    private readonly channel: FrameChannel,
    private readonly first: OpenFrame | ConnectFrame,
    private readonly options: ServedExchangeOptions,
  ) {}

  /** Whether this is an open WebSocket. It may be idle. */
  get isSocket(): boolean {
    return this.#socket !== undefined;
  }

  /** Accepts the request and answers it. Never rejects: errors become `error` frames. */
  async run(): Promise<void> {
    const { first, channel } = this;
    const { id } = first;
    const expectsBody = first.type === 'open' && (first.body || first.confirms === true);
    if (expectsBody) this.#expectBody();
    channel.send({ type: 'accept', id, credit: expectsBody ? WINDOW : 0 });
    try {
      if (first.type === 'open') await this.#answer(first);
      else await this.#connect(first);
    } catch (cause) {
      if (!this.#hasEnded) channel.send({ type: 'error', id, message: toFrameError(cause).message });
      this.stop(cause);
    }
  }

  receive(frame: FrameToServer): void {
    switch (frame.type) {
      case 'chunk':
        this.#resolveBody?.(this.#receiver!.stream);
        this.#receiver?.push(frame.bytes);
        return;
      case 'end':
        this.#resolveBody?.(this.#receiver!.stream);
        this.#receiver?.end();
        return;
      case 'blob':
        this.#resolveBody?.(frame.blob);
        this.#receiver = undefined;
        return;
      case 'error':
        this.#resolveBody?.(this.#receiver!.stream);
        this.#receiver?.fail(new FrameError(frame.message));
        return;
      case 'cancel':
        this.stop(new PeerLost(frame.reason ?? 'the caller has left'));
        return;
      case 'credit':
        if (this.#socket) this.#socket.receive(frame);
        else this.#sender?.grant(frame.bytes);
        return;
      case 'message':
      case 'close':
        this.#socket?.receive(frame);
    }
  }

  /** Stops the work without sending frames. Does nothing when the exchange has ended. */
  stop(cause: unknown): void {
    if (this.#hasEnded) return;
    this.#end();
    const error = toFrameError(cause);
    this.#abort.abort(error);
    this.#resolveBody?.(this.#receiver!.stream);
    this.#receiver?.fail(error, true);
    this.#sender?.stop(cause);
    this.#socket?.end(1006, error.message);
  }

  async #answer(open: OpenFrame): Promise<void> {
    const body = await this.#body;
    if (this.#hasEnded) return;
    const request = await buildRequest(open, open.body ? body : undefined, this.#abort.signal);
    const response = await this.options.server.fetch(request, this.options.context);
    await this.#respond(response, open);
  }

  async #connect(connect: ConnectFrame): Promise<void> {
    const headers = [...connect.headers];
    if (connect.protocols.length > 0) headers.push(['sec-websocket-protocol', connect.protocols.join(', ')]);
    const request = await buildRequest(
      { method: 'GET', url: connect.url, headers },
      undefined,
      this.#abort.signal,
    );
    const session = await this.options.server.connect(request, this.options.context);
    if (session instanceof Response) return this.#respond(session, connect);
    if (this.#hasEnded) return;
    const { id } = connect;
    const { protocol } = session;
    this.channel.send({ type: 'connected', id, protocol });
    this.#socket = new FramedWebSocket(this.channel, id, protocol ?? '', () => {
      this.#abort.abort(new PeerLost('the socket is closed'));
      this.#end();
    });
    session.start(this.#socket);
  }

  async #respond(response: Response, { id, credit }: OpenFrame | ConnectFrame): Promise<void> {
    if (this.#hasEnded) {
      await response.body?.cancel(this.#abort.signal.reason).catch(() => {});
      return;
    }
    const head = this.#headOf(response, id);
    const blob = this.channel.carriesBlobs ? blobOf(response) : undefined;
    const isHeadRequest = this.first.type === 'open' && this.first.method === 'HEAD';
    const hasNoBody = isHeadRequest || isNullBodyStatus(response.status) || !response.body;
    if (hasNoBody || blob) {
      this.channel.send(hasNoBody ? head : { ...head, blob });
      this.#end();
      await response.body?.cancel().catch(() => {});
      return;
    }
    this.#sender = new BodySender(this.channel, id, credit, this.options.stallTimeout);
    this.channel.send({ ...head, body: true });
    await this.#sender.send(response.body!);
    this.#end();
  }

  #headOf(response: Response, id: number): HeadFrame {
    // `Response.error()` has status 0: the network failed, and no status can express it.
    if (response.status === 0) throw new FrameError('the server gave no answer');
    const { status, statusText } = response;
    return { type: 'head', id, status, statusText, headers: [...response.headers], body: false };
  }

  #expectBody(): void {
    const { id } = this.first;
    this.#receiver = new BodyReceiver({
      grant: (bytes) => this.channel.send({ type: 'credit', id, bytes }),
      cancelled: (reason) => {
        if (this.#hasEnded) return;
        this.channel.send({ type: 'cancel', id, reason: toFrameError(reason ?? 'not wanted').message });
      },
    });
    this.#body = new Promise((resolve) => {
      this.#resolveBody = (body) => {
        this.#resolveBody = undefined;
        resolve(body);
      };
    });
  }

  #end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#receiver?.fail(new FrameError('the answer is complete, the rest of the body was not taken'));
    this.options.onEnd();
  }
}
