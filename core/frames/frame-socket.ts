import type { ServerSocket } from '#core/http';
import { withOwnBuffer } from './bodies/body-sender.ts';
import type { FrameChannel } from './channels/frame-channel.ts';
import type { CloseFrame, CreditFrame, MessageFrame } from './grammar.ts';

type MessageData = string | Uint8Array<ArrayBuffer>;

/** One end of a WebSocket that travels as frames. Both ends are alike. */
export class FramedWebSocket implements ServerSocket {
  /** Messages that arrived before there was a listener. */
  #earlyMessages: MessageData[] = [];
  #onMessage: ((data: string | Uint8Array) => void) | undefined;
  #onClose: ((code: number, reason: string) => void) | undefined;
  #closed: { code: number; reason: string } | undefined;
  #bufferedAmount = 0;

  /** @param onEnd called once, whichever side closes */
  constructor(
    private readonly channel: FrameChannel,
    private readonly id: number,
    readonly protocol: string,
    private readonly onEnd: () => void,
  ) {}

  /** Characters of texts and bytes of binary messages that the other side has not taken yet. */
  get bufferedAmount(): number {
    return this.#bufferedAmount;
  }

  send(data: string | Uint8Array): void {
    if (this.#closed) return;
    const message = typeof data === 'string' ? data : withOwnBuffer(data);
    this.#bufferedAmount += message.length;
    this.channel.send({ type: 'message', id: this.id, data: message });
  }

  close(code = 1000, reason = ''): void {
    if (this.#closed) return;
    this.channel.send({ type: 'close', id: this.id, code, reason });
    this.end(code, reason);
  }

  onMessage(listener: (data: string | Uint8Array) => void): void {
    this.#onMessage = listener;
    for (const data of this.#earlyMessages.splice(0)) this.#deliver(data);
  }

  onClose(listener: (code: number, reason: string) => void): void {
    this.#onClose = listener;
    if (this.#closed) listener(this.#closed.code, this.#closed.reason);
  }

  receive(frame: MessageFrame | CloseFrame | CreditFrame): void {
    if (frame.type === 'credit') this.#bufferedAmount = Math.max(0, this.#bufferedAmount - frame.bytes);
    else if (frame.type === 'close') this.end(frame.code, frame.reason);
    else if (this.#onMessage) this.#deliver(frame.data);
    else this.#earlyMessages.push(frame.data);
  }

  /** Ends the socket on this side without a frame: the other side closed it, or the channel is lost (1006). */
  end(code: number, reason: string): void {
    if (this.#closed) return;
    this.#closed = { code, reason };
    this.onEnd();
    this.#onClose?.(code, reason);
  }

  #deliver(data: MessageData): void {
    this.#onMessage?.(data);
    // The unit is the same as in `send`: characters of texts, bytes of binary messages.
    if (!this.#closed) this.channel.send({ type: 'credit', id: this.id, bytes: data.length });
  }
}
