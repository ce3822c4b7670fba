/** The scripted server of models on a port. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ScriptedModels, type ScriptedModelsOptions } from '../support/webhooks/scripted-models.ts';

export class AiServer {
  #models = new ScriptedModels({ answers: [] });

  private constructor(
    private readonly server: Server,
    /** `127.0.0.1:1234` */
    readonly address: string,
  ) {}

  static async open(): Promise<AiServer> {
    const server = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece) => pieces.push(piece));
      request.on('end', async () => {
        const { method = 'GET', url = '/' } = request;
        const body = Buffer.concat(pieces);
        const question = new Request(`http://x${url}`, {
          method,
          headers: { 'content-type': request.headers['content-type'] ?? '' },
          ...(body.length > 0 && { body }),
        });
        const answer = await ai.#models.answer(question);
        response.writeHead(answer.status, Object.fromEntries(answer.headers));
        try {
          if (answer.body) for await (const piece of answer.body) response.write(piece);
          response.end();
        } catch {
          // The written pieces arrive before the break.
          setTimeout(() => response.destroy(), 30);
        }
      });
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const ai: AiServer = new AiServer(server, `127.0.0.1:${(server.address() as AddressInfo).port}`);
    return ai;
  }

  get requests() {
    return this.#models.requests;
  }

  script(options: ScriptedModelsOptions): void {
    this.#models = new ScriptedModels(options);
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}
