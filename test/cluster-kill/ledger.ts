/** A server that workflows call: each call is an effect on the world, which must not happen twice. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One step of a run that has happened. */
export interface Effect {
  call: string;
  step: string;
  execution: string;
}

/** Writes down every effect in memory, and answers after a while, so that kills meet running nodes. */
export class Ledger {
  readonly effects: Effect[] = [];

  private constructor(private readonly server: Server) {}

  /** @param delay milliseconds until the next answer */
  static async open(delay: () => number): Promise<Ledger> {
    const server = createServer((request, response) => {
      const { searchParams } = new URL(request.url!, 'http://ledger');
      const field = (name: string) => searchParams.get(name) ?? '';
      ledger.effects.push({ call: field('call'), step: field('step'), execution: field('execution') });
      request.resume();
      setTimeout(() => response.setHeader('content-type', 'application/json').end('{}'), delay());
    });
    const ledger = new Ledger(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return ledger;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}
