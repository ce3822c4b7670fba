import { type RawData, WebSocket } from 'ws';

/** The client's end of a WebSocket, on every transport that carries one. */
export interface HeardSocket {
  /** Everything that came so far, in order. */
  readonly heard: (string | Uint8Array)[];
  send(text: string): void;
  close(): void;
  /** Resolves when `enough` holds; throws when it does not within so many milliseconds. */
  until(enough: (heard: HeardSocket['heard']) => boolean, milliseconds: number): Promise<void>;
}

/** What a transport is told by its socket. */
export class Heard {
  readonly heard: (string | Uint8Array)[] = [];
  #told = () => {};

  take(message: string | Uint8Array): void {
    this.heard.push(message);
    this.#told();
  }

  until(enough: (heard: HeardSocket['heard']) => boolean, milliseconds: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`${this.heard.length} messages came within ${milliseconds} ms`)),
        milliseconds,
      );
      this.#told = () => {
        if (!enough(this.heard)) return;
        clearTimeout(timer);
        resolve();
      };
      this.#told();
    });
  }
}

export function connectTo(port: number, path: string): Promise<HeardSocket> {
  const messages = new Heard();
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`);
  socket.on('message', (data: RawData, isBinary) =>
    messages.take(isBinary ? new Uint8Array(data as Buffer) : String(data)),
  );
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('open', () =>
      resolve({
        heard: messages.heard,
        send: (text) => socket.send(text),
        close: () => socket.close(),
        until: (enough, milliseconds) => messages.until(enough, milliseconds),
      }),
    );
  });
}

/** The first text messages of a new socket. */
export async function firstTexts(
  socket: HeardSocket,
  count: number,
  milliseconds: number,
): Promise<string[]> {
  const texts = () => socket.heard.filter((message): message is string => typeof message === 'string');
  try {
    await socket.until(() => texts().length >= count, milliseconds);
    return texts();
  } finally {
    socket.close();
  }
}
