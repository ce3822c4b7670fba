import { type RawData, WebSocket } from 'ws';

/** The client's end of a WebSocket, on every transport that has WebSockets. */
export interface MessageSocket {
  /** All messages so far, in order. */
  readonly received: (string | Uint8Array)[];
  send(text: string): void;
  close(): void;
  /** Resolves when `enough` is true. Throws when it is not within the limit in milliseconds. */
  until(enough: (received: MessageSocket['received']) => boolean, milliseconds: number): Promise<void>;
}

/** The messages that a transport receives from its socket. */
export class ReceivedMessages {
  readonly received: (string | Uint8Array)[] = [];
  #notify = () => {};

  take(message: string | Uint8Array): void {
    this.received.push(message);
    this.#notify();
  }

  until(enough: (received: MessageSocket['received']) => boolean, milliseconds: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`${this.received.length} messages came within ${milliseconds} ms`)),
        milliseconds,
      );
      this.#notify = () => {
        if (!enough(this.received)) return;
        clearTimeout(timer);
        resolve();
      };
      this.#notify();
    });
  }
}

export function connectTo(port: number, path: string): Promise<MessageSocket> {
  const messages = new ReceivedMessages();
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`);
  socket.on('message', (data: RawData, isBinary) =>
    messages.take(isBinary ? new Uint8Array(data as Buffer) : String(data)),
  );
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('open', () =>
      resolve({
        received: messages.received,
        send: (text) => socket.send(text),
        close: () => socket.close(),
        until: (enough, milliseconds) => messages.until(enough, milliseconds),
      }),
    );
  });
}

/** The first text messages of a new socket. */
export async function firstTexts(
  socket: MessageSocket,
  count: number,
  milliseconds: number,
): Promise<string[]> {
  const texts = () => socket.received.filter((message): message is string => typeof message === 'string');
  try {
    await socket.until(() => texts().length >= count, milliseconds);
    return texts();
  } finally {
    socket.close();
  }
}
