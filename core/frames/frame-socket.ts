import type { ServerSocket } from '#core/http';
import { owned } from './bodies/body-sender.ts';
import type { FrameChannel } from './channels/frame-channel.ts';
import type { CloseFrame, CreditFrame, MessageFrame } from './grammar.ts';

type Data = string | Uint8Array<ArrayBuffer>;

/** One end of a WebSocket that travels as frames; both ends are alike. */
export class FramedWebSocket implements ServerSocket {
  #early: Data[] = [];
  #onMessage: ((data: string | Uint8Array) => void) | undefined;
  #onClose: ((code: number, reason: string) => void) | undefined;
  #closed: { code: number; reason: string } | undefined;
  #buffered = 0;

  constructor(
    private readonly channel: FrameChannel,
    private readonly id: number,
    readonly protocol: string,
    /** Called once, whichever side closed. */
    private readonly over: () => void,
  ) {}

  get bufferedAmount(): number {
    return this.#buffered;
  }

  send(data: string | Uint8Array): void {
    if (this.#closed) return;
    const sent = typeof data === 'string' ? data : owned(data);
    this.#buffered += sent.length;
    this.channel.send({ type: 'message', id: this.id, data: sent });
  }

  close(code = 1000, reason = ''): void {
    if (this.#closed) return;
    this.channel.send({ type: 'close', id: this.id, code, reason });
    this.end(code, reason);
  }

  onMessage(listener: (data: string | Uint8Array) => void): void {
    this.#onMessage = listener;
    for (const data of this.#early.splice(0)) this.#deliver(data);
  }

  onClose(listener: (code: number, reason: string) => void): void {
    this.#onClose = listener;
    if (this.#closed) listener(this.#closed.code, this.#closed.reason);
  }

  receive(frame: MessageFrame | CloseFrame | CreditFrame): void {
    if (frame.type === 'credit') this.#buffered = Math.max(0, this.#buffered - frame.bytes);
    else if (frame.type === 'close') this.end(frame.code, frame.reason);
    else if (this.#onMessage) this.#deliver(frame.data);
    else this.#early.push(frame.data);
  }

  /** The socket is over on this side, because it was closed or its carrier is lost (1006). */
  end(code: number, reason: string): void {
    if (this.#closed) return;
    this.#closed = { code, reason };
    this.over();
    this.#onClose?.(code, reason);
  }

  #deliver(data: Data): void {
    this.#onMessage?.(data);
    // Lengths are counted alike on both sides: characters of texts, bytes of binary messages.
    if (!this.#closed) this.channel.send({ type: 'credit', id: this.id, bytes: data.length });
  }
}
