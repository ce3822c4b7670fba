import { BodyReceiver } from './bodies/body-receiver.ts';
import { BodySender, type BodySource } from './bodies/body-sender.ts';
import { nullBody } from './bodies/null-body.ts';
import type { FrameChannel } from './channels/frame-channel.ts';
import { FrameError, toFrameError } from './errors.ts';
import { FramedWebSocket } from './frame-socket.ts';
import type { BodyFrame, Frame, HeadFrame, RequestFrame, WebSocketFrame } from './grammar.ts';

type ToCaller =
  | Exclude<BodyFrame | WebSocketFrame, { type: 'connect' }>
  | Exclude<RequestFrame, { type: 'open' }>;

/** Of a Blob or file that a browser cannot read any more it says `network error` or less. */
const UNREADABLE = 'the body of the request could not be read: ';

/** One request or socket, from its `open` or `connect` to its end, as the caller sees it. */
export class CallerExchange {
  /** The other side has taken the request; rejects when it fails before. */
  readonly accepted: Promise<void>;
  /** The response with its head, or the open socket. */
  readonly outcome: Promise<Response | FramedWebSocket>;
  #accept!: { resolve(): void; reject(cause: unknown): void };
  #answer!: { resolve(value: Response | FramedWebSocket): void; reject(cause: unknown): void };
  #opened = false;
  #over = false;
  #sender: BodySender | undefined;
  #receiver: BodyReceiver | undefined;
  #socket: FramedWebSocket | undefined;

  constructor(
    private readonly channel: FrameChannel,
    private readonly id: number,
    private readonly options: {
      body?: () => BodySource | Promise<BodySource>;
      accepted?(): void;
      over(): void;
    },
  ) {
    this.accepted = new Promise((resolve, reject) => {
      this.#accept = { resolve, reject };
    });
    this.outcome = new Promise((resolve, reject) => {
      this.#answer = { resolve, reject };
    });
    // Whoever waits is told; nobody has to.
    this.accepted.catch(() => {});
    this.outcome.catch(() => {});
  }

  open(first: Frame): void {
    if (this.#over) return;
    this.#opened = true;
    this.channel.send(first);
  }

  /** This side wants no more of it: the other is told, and the body or the outcome fails with `reason`. */
  abort(reason: unknown): void {
    if (this.#over) return;
    if (this.#opened)
      this.channel.send({ type: 'cancel', id: this.id, reason: toFrameError(reason).message });
    this.#fail(reason, true);
  }

  lose(cause: Error): void {
    this.#fail(cause, false);
  }

  receive(frame: ToCaller): void {
    switch (frame.type) {
      case 'accept':
        this.#accept.resolve();
        this.options.accepted?.();
        if (this.options.body) this.#send(frame.credit, this.options.body);
        return;
      case 'head':
        this.#accept.resolve();
        this.#begin(frame);
        return;
      case 'connected':
        this.#accept.resolve();
        this.#socket = new FramedWebSocket(this.channel, this.id, frame.protocol ?? '', () => this.#end());
        this.#answer.resolve(this.#socket);
        return;
      case 'chunk':
        this.#receiver?.push(frame.bytes);
        return;
      case 'end':
        this.#receiver?.end();
        this.#end();
        return;
      case 'error':
        this.#fail(new FrameError(frame.message), false);
        return;
      case 'cancel':
        this.#sender?.stop(new FrameError(frame.reason ?? 'the rest of the body is not wanted'));
        return;
      case 'credit':
        if (this.#socket) this.#socket.receive(frame);
        else this.#sender?.grant(frame.bytes);
        return;
      case 'message':
      case 'close':
        this.#socket?.receive(frame);
        return;
      case 'blob': // bodies of answers come with their head
    }
  }

  #begin(head: HeadFrame): void {
    if (!head.body || nullBody(head.status)) {
      this.#settle(() => respond(head, nullBody(head.status) ? null : (head.blob ?? null)));
      this.#end();
      return;
    }
    this.#receiver = new BodyReceiver({
      grant: (bytes) => this.channel.send({ type: 'credit', id: this.id, bytes }),
      cancelled: (reason) => {
        this.channel.send({
          type: 'cancel',
          id: this.id,
          reason: toFrameError(reason ?? 'cancelled').message,
        });
        this.#end();
      },
    });
    const { stream } = this.#receiver;
    this.#settle(() => respond(head, stream));
  }

  #settle(make: () => Response): void {
    try {
      this.#answer.resolve(make());
    } catch (cause) {
      this.abort(new FrameError(`the answer has no valid head: ${toFrameError(cause).message}`));
    }
  }

  async #send(credit: number, body: () => BodySource | Promise<BodySource>): Promise<void> {
    this.#sender = new BodySender(this.channel, this.id, credit);
    try {
      await this.#sender.send(await body(), UNREADABLE);
    } catch (cause) {
      this.channel.send({ type: 'error', id: this.id, message: UNREADABLE + toFrameError(cause).message });
    }
  }

  #fail(cause: unknown, now: boolean): void {
    if (this.#over) return;
    this.#accept.reject(cause);
    this.#answer.reject(cause);
    this.#receiver?.fail(toFrameError(cause), now);
    this.#socket?.end(1006, toFrameError(cause).message);
    this.#end();
  }

  #end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#sender?.stop(new FrameError('the answer is complete'));
    this.#accept.resolve();
    this.options.over();
  }
}

function respond(head: HeadFrame, body: ReadableStream<Uint8Array> | Blob | null): Response {
  const { status, statusText } = head;
  return new Response(body, { status, statusText, headers: head.headers });
}
