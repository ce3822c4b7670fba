/** Concurrent calls, each on a connection of its own. */
import { connect, type Socket } from 'node:net';
import { rawRequest } from './raw-http.ts';

export interface CrowdAnswer {
  /** Position in the order of calls, from 0. */
  index: number;
  status: number;
  headers: string;
  body: string;
}

export interface Crowd {
  /** Resolves when this many of all calls were answered. */
  answered(count: number): Promise<CrowdAnswer[]>;
  close(): void;
}

/** How many connections are opened at a time. Systems drop connections beyond the length of their queue. */
const TOGETHER = 250;

/** Sends a POST with each JSON body on a connection of its own. Resolves when the server has all of them. */
export async function sendCrowd(port: number, path: string, bodies: object[]): Promise<Crowd> {
  const sockets: Socket[] = [];
  const answers: CrowdAnswer[] = [];
  const waiting = new Set<() => void>();
  let failure: Error | undefined;
  const notify = () => {
    for (const look of waiting) look();
  };
  const send = (body: object, index: number) =>
    new Promise<void>((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      sockets.push(socket);
      const json = JSON.stringify(body);
      const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json`;
      let received = '';
      socket.setEncoding('utf8');
      socket.once('connect', () => {
        socket.write(`${head}\r\nContent-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`, () => resolve());
      });
      socket.on('data', (data: string) => {
        received += data;
        const answer = readAnswer(received, index);
        if (!answer) return;
        socket.destroy();
        answers.push(answer);
        notify();
      });
      const fail = (error: Error) => {
        failure ??= error;
        reject(failure);
        notify();
      };
      socket.on('error', ({ message }) =>
        fail(new Error(`connection ${index}: ${message}, after ${JSON.stringify(received)}`)),
      );
      socket.on('end', () => fail(new Error(`connection ${index} was closed without an answer`)));
    });
  for (let from = 0; from < bodies.length; from += TOGETHER) {
    const some = bodies.slice(from, from + TOGETHER);
    await Promise.all(some.map((body, offset) => send(body, from + offset)));
    // Servers accept connections in order: after this answer the server has all of the others.
    await rawRequest(port, { method: 'GET', path: '/healthz' });
  }
  return {
    answered: (count) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (!failure && answers.length < count) return;
          waiting.delete(look);
          if (failure) reject(failure);
          else resolve([...answers]);
        };
        waiting.add(look);
        look();
      }),
    close() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** The body of an answer with a length. Undefined while it is incomplete. */
function readAnswer(text: string, index: number): CrowdAnswer | undefined {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const headers = text.slice(0, end);
  const length = Number(/^content-length: (\d+)$/im.exec(headers)?.[1]);
  const body = text.slice(end + 4);
  if (Number.isNaN(length)) throw new Error(`an answer without a length: ${headers}`);
  if (Buffer.byteLength(body) < length) return undefined;
  return { index, status: Number(headers.slice(9, 12)), headers, body };
}
