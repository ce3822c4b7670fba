import type { CallContext, Server } from '#core/http';
import { blobOf } from './bodies/blob-response.ts';
import { BodyReceiver, WINDOW } from './bodies/body-receiver.ts';
import { BodySender } from './bodies/body-sender.ts';
import { buildRequest } from './bodies/build-request.ts';
import { nullBody } from './bodies/null-body.ts';
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

type ToServer =
  | BodyFrame
  | Exclude<RequestFrame, { type: 'open' }>
  | Exclude<WebSocketFrame, { type: 'connect' }>;

/** One request or socket, from its first frame to its end, as the server sees it. */
export class ServedExchange {
  readonly #abort = new AbortController();
  #over = false;
  /** The request's body: chunks as they come, or settled by the one `blob` frame. */
  #receiver: BodyReceiver | undefined;
  #body: Promise<ReadableStream<Uint8Array> | Blob | undefined> = Promise.resolve(undefined);
  #bodyArrives: ((body: ReadableStream<Uint8Array> | Blob) => void) | undefined;
  #sender: BodySender | undefined;
  #socket: FramedWebSocket | undefined;

  constructor(
    private readonly channel: FrameChannel,
    private readonly first: OpenFrame | ConnectFrame,
    private readonly options: {
      server: Pick<Server, 'fetch' | 'connect'>;
      context: CallContext;
      stallTimeout: number;
      over(): void;
    },
  ) {}

  /** A socket that is open, over which nothing may be happening. */
  get isSocket(): boolean {
    return this.#socket !== undefined;
  }

  async run(): Promise<void> {
    const { first, channel } = this;
    const { id } = first;
    const expectsBody = first.type === 'open' && first.body;
    if (expectsBody) this.#expectBody();
    channel.send({ type: 'accept', id, credit: expectsBody ? WINDOW : 0 });
    try {
      if (first.type === 'open') await this.#answer(first);
      else await this.#open(first);
    } catch (cause) {
      if (!this.#over) channel.send({ type: 'error', id, message: toFrameError(cause).message });
      this.stop(cause);
    }
  }

  receive(frame: ToServer): void {
    switch (frame.type) {
      case 'chunk':
        this.#bodyArrives?.(this.#receiver!.stream);
        this.#receiver?.push(frame.bytes);
        return;
      case 'end':
        this.#bodyArrives?.(this.#receiver!.stream);
        this.#receiver?.end();
        return;
      case 'blob':
        this.#bodyArrives?.(frame.blob);
        this.#receiver = undefined;
        return;
      case 'error':
        this.#bodyArrives?.(this.#receiver!.stream);
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

  /** Nobody is interested any more: stops the work, tells nobody. */
  stop(cause: unknown): void {
    if (this.#over) return;
    this.#end();
    this.#abort.abort(toFrameError(cause));
    this.#bodyArrives?.(this.#receiver!.stream);
    this.#receiver?.fail(toFrameError(cause), true);
    this.#sender?.stop(cause);
    this.#socket?.end(1006, toFrameError(cause).message);
  }

  async #answer(open: OpenFrame): Promise<void> {
    const body = await this.#body;
    if (this.#over) return;
    const request = await buildRequest(open, body, this.#abort.signal);
    const response = await this.options.server.fetch(request, this.options.context);
    await this.#respond(response, open);
  }

  async #open(connect: ConnectFrame): Promise<void> {
    const headers = [...connect.headers];
    if (connect.protocols.length > 0) headers.push(['sec-websocket-protocol', connect.protocols.join(', ')]);
    const request = await buildRequest(
      { method: 'GET', url: connect.url, headers },
      undefined,
      this.#abort.signal,
    );
    const session = await this.options.server.connect(request, this.options.context);
    if (session instanceof Response) return this.#respond(session, connect);
    if (this.#over) return;
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
    if (this.#over) {
      await response.body?.cancel(this.#abort.signal.reason).catch(() => {});
      return;
    }
    const head = this.#head(response, id);
    const blob = this.channel.carriesBlobs ? blobOf(response) : undefined;
    const bodyless = this.first.type === 'open' && this.first.method === 'HEAD';
    if (bodyless || nullBody(response.status) || blob || !response.body) {
      this.channel.send(!bodyless && blob && !nullBody(response.status) ? { ...head, blob } : head);
      this.#end();
      await response.body?.cancel().catch(() => {});
      return;
    }
    this.#sender = new BodySender(this.channel, id, credit, this.options.stallTimeout);
    this.channel.send({ ...head, body: true });
    await this.#sender.send(response.body);
    this.#end();
  }

  #head(response: Response, id: number): HeadFrame {
    // What Response.error() gives: the network failed, and no status can say it.
    if (response.status === 0) throw new FrameError('the server gave no answer');
    const { status, statusText } = response;
    return { type: 'head', id, status, statusText, headers: [...response.headers], body: false };
  }

  #expectBody(): void {
    const { id } = this.first;
    this.#receiver = new BodyReceiver({
      grant: (bytes) => this.channel.send({ type: 'credit', id, bytes }),
      cancelled: (reason) => {
        if (this.#over) return;
        this.channel.send({ type: 'cancel', id, reason: toFrameError(reason ?? 'not wanted').message });
      },
    });
    this.#body = new Promise((resolve) => {
      this.#bodyArrives = (body) => {
        this.#bodyArrives = undefined;
        resolve(body);
      };
    });
  }

  #end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#receiver?.fail(new FrameError('the answer is complete, the rest of the body was not taken'));
    this.options.over();
  }
}
