/** Garbage collection and heap size of another Node process, through its inspector. */
import { once } from 'node:events';
import { WebSocket } from 'ws';

/** The option with which Node starts its inspector, which takes a free port and prints its address. */
export const INSPECTABLE = '--inspect=127.0.0.1:0';

export class Collector {
  #id = 0;

  private constructor(private readonly socket: WebSocket) {}

  /** `printed`: the process's output so far. */
  static async connect(printed: string): Promise<Collector> {
    const address = /ws:\/\/\S+/.exec(printed)?.[0];
    if (!address) throw new Error('the process is not inspectable');
    const socket = new WebSocket(address);
    await once(socket, 'open');
    return new Collector(socket);
  }

  /** Bytes of JavaScript objects that are still reachable. */
  async collect(): Promise<number> {
    // The first collection runs finalizers, which release more objects for the second one.
    await this.#ask('HeapProfiler.collectGarbage');
    await this.#ask('HeapProfiler.collectGarbage');
    const { usedSize } = (await this.#ask('Runtime.getHeapUsage')) as { usedSize: number };
    return usedSize;
  }

  close(): void {
    this.socket.close();
  }

  #ask(method: string): Promise<unknown> {
    const id = ++this.#id;
    return new Promise((resolve, reject) => {
      const hear = (data: { toString(): string }) => {
        const answer = JSON.parse(data.toString()) as { id?: number; result?: unknown; error?: unknown };
        if (answer.id !== id) return;
        this.socket.off('message', hear);
        if (answer.error) reject(new Error(JSON.stringify(answer.error)));
        else resolve(answer.result);
      };
      this.socket.on('message', hear);
      this.socket.send(JSON.stringify({ id, method }));
    });
  }
}
