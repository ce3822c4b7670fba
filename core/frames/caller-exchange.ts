import { Deferred } from '#core/base';
import { BodyReceiver } from './bodies/body-receiver.ts';
import { BodySender, type BodySource } from './bodies/body-sender.ts';
import { isNullBodyStatus } from './bodies/null-body.ts';
import type { FrameChannel } from './channels/frame-channel.ts';
import { FrameError, NotAccepted, PeerLost, toFrameError } from './errors.ts';
import { FramedWebSocket } from './frame-socket.ts';
import type { BodyFrame, Frame, HeadFrame, RequestFrame, WebSocketFrame } from './grammar.ts';

type FrameToCaller =
  | Exclude<BodyFrame | WebSocketFrame, { type: 'connect' }>
  | Exclude<RequestFrame, { type: 'open' }>;

/** Browsers say "network error" or less about a Blob or file that they cannot read any more. */
const UNREADABLE_BODY = 'the body of the request could not be read: ';

export interface CallerExchangeOptions {
  /** The request's body. Called once, when the server has accepted the request. */
  body?: () => BodySource | Promise<BodySource>;
  /** The server waits for the confirmation of its acceptance, so what it has not seen accepted has not run. */
  confirms: boolean;
  /** Called when the server has accepted the request. */
  onAccepted?(): void;
  /** Called once, when the exchange has ended, with or without success. */
  onEnd(): void;
}

/** One request or WebSocket as the caller sees it, from its `open` or `connect` to its end. */
export class CallerExchange {
  /** Resolves when the server has taken the request. Rejects when the exchange fails before. */
  readonly accepted: Promise<void>;
  /** The response, or the open WebSocket. Rejects when the exchange fails before the response's head. */
  readonly outcome: Promise<Response | FramedWebSocket>;
  readonly #accepted = new Deferred<void>();
  readonly #outcome = new Deferred<Response | FramedWebSocket>();
  #isOpen = false;
  #isAccepted = false;
  #hasEnded = false;
  #sender: BodySender | undefined;
  #receiver: BodyReceiver | undefined;
  #socket: FramedWebSocket | undefined;

  constructor(
    private readonly channel: FrameChannel,
    private readonly id: number,
    private readonly options: CallerExchangeOptions,
  ) {
    this.accepted = this.#accepted.promise;
    this.outcome = this.#outcome.promise;
    // Nobody may be waiting: without these handlers a rejection would count as unhandled.
    this.accepted.catch(() => {});
    this.outcome.catch(() => {});
  }

  /** Sends the first frame, unless the exchange has ended already. */
  open(first: Frame): void {
    if (this.#hasEnded) return;
    this.#isOpen = true;
    this.channel.send(first);
  }

  /** Ends the exchange from this side: the server is informed, and the outcome or its body fails with `reason` at once. */
  abort(reason: unknown): void {
    if (this.#hasEnded) return;
    if (this.#isOpen)
      this.channel.send({ type: 'cancel', id: this.id, reason: toFrameError(reason).message });
    this.#fail(reason, true);
  }

  /** The channel is lost: the exchange fails after the chunks that have arrived. */
  failAfterUnread(cause: Error): void {
    this.#fail(cause, false);
  }

  receive(frame: FrameToCaller): void {
    switch (frame.type) {
      case 'accept':
        this.#accept();
        this.options.onAccepted?.();
        if (this.options.body) this.#sendBody(frame.credit, this.options.body);
        else if (this.options.confirms) this.channel.send({ type: 'end', id: this.id });
        return;
      case 'head':
        this.#accept();
        this.#receiveHead(frame);
        return;
      case 'connected':
        this.#accept();
        this.#socket = new FramedWebSocket(this.channel, this.id, frame.protocol ?? '', () => this.#end());
        this.#outcome.resolve(this.#socket);
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
      case 'blob': // Servers send a response's Blob within its `head` frame.
    }
  }

  #accept(): void {
    this.#isAccepted = true;
    this.#accepted.resolve();
  }

  #receiveHead(head: HeadFrame): void {
    const isNullBody = isNullBodyStatus(head.status);
    if (!head.body || isNullBody) {
      this.#resolveOutcome(head, isNullBody ? null : (head.blob ?? null));
      this.#end();
      return;
    }
    this.#receiver = new BodyReceiver({
      grant: (bytes) => this.channel.send({ type: 'credit', id: this.id, bytes }),
      cancelled: (reason) => {
        const message = toFrameError(reason ?? 'cancelled').message;
        this.channel.send({ type: 'cancel', id: this.id, reason: message });
        this.#end();
      },
    });
    this.#resolveOutcome(head, this.#receiver.stream);
  }

  #resolveOutcome(
    { status, statusText, headers }: HeadFrame,
    body: ReadableStream<Uint8Array> | Blob | null,
  ): void {
    try {
      this.#outcome.resolve(new Response(body, { status, statusText, headers }));
    } catch (cause) {
      this.abort(new FrameError(`the answer has no valid head: ${toFrameError(cause).message}`));
    }
  }

  async #sendBody(credit: number, body: () => BodySource | Promise<BodySource>): Promise<void> {
    this.#sender = new BodySender(this.channel, this.id, credit);
    try {
      await this.#sender.send(await body(), UNREADABLE_BODY);
    } catch (cause) {
      const message = UNREADABLE_BODY + toFrameError(cause).message;
      this.channel.send({ type: 'error', id: this.id, message });
    }
  }

  /** @param dropsUnread drops the chunks that were not read yet */
  #fail(reason: unknown, dropsUnread: boolean): void {
    if (this.#hasEnded) return;
    const cause = this.#failureOf(reason);
    this.#accepted.reject(cause);
    this.#outcome.reject(cause);
    this.#receiver?.fail(toFrameError(cause), dropsUnread);
    this.#socket?.end(1006, toFrameError(cause).message);
    this.#end();
  }

  /** `NotAccepted` exactly if the request can go elsewhere. */
  #failureOf(cause: unknown): unknown {
    if (this.#isAccepted) return cause instanceof NotAccepted ? new PeerLost(cause.message) : cause;
    return this.options.confirms && cause instanceof PeerLost ? new NotAccepted(cause.message) : cause;
  }

  #end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#sender?.stop(new FrameError('the answer is complete'));
    this.#accepted.resolve();
    this.options.onEnd();
  }
}
