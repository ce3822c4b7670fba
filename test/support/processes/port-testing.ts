import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import type { CallContext, Server, WebSocketSession } from '#core/http/routing/server.ts';
import type { PortListener } from '#shim/ports/listener.ts';
import { openPort, type PortOptions } from '#shim/ports/open-ports.ts';

/** A port over a scripted server for tests, and clients that control every byte. */
type Answer = (request: Request, context: CallContext) => Response | Promise<Response>;
type Connect = (request: Request, context: CallContext) => WebSocketSession | Response;

const open: PortListener[] = [];
const children: ChildProcess[] = [];

/** Closes everything that a test started here: for `afterEach`. */
export async function cleanUp(): Promise<void> {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await Promise.all(open.splice(0).map((listener) => listener.close(AbortSignal.abort())));
}

export async function startPort(
  answer: Answer,
  options: Partial<PortOptions> = {},
  connect?: Connect,
): Promise<PortListener> {
  const server: Server = {
    fetch: async (request, context) => answer(request, context),
    connect: async (request, context) => connect?.(request, context) ?? new Response('no', { status: 403 }),
    close: async () => {},
  };
  const listener = await openPort(server, 'local-models', { port: 0, ...options });
  open.push(listener);
  return listener;
}

/** Sends a request with exactly these headers and this target. */
export function raw(
  port: number,
  options: RequestOptions,
  body?: string | Buffer,
): Promise<[IncomingMessage, string]> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({ host: '127.0.0.1', port, agent: false, ...options }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk) => chunks.push(chunk));
      incoming.on('end', () => resolve([incoming, Buffer.concat(chunks).toString()]));
      incoming.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** The output of curl: body and head. */
export async function curl(...parameters: string[]): Promise<{ output: string; code: number | null }> {
  const child = spawn('curl', ['-sS', ...parameters]);
  children.push(child);
  let output = '';
  child.stdout.on('data', (text) => (output += text));
  child.stderr.on('data', (text) => (output += text));
  const [code] = await once(child, 'close');
  return { output, code };
}
