/** The server of Node over a home, without engines and ports. */
import type { CallContext } from '#core/http';
import { createCore } from '#core/server';
import { createNodeHost } from '#shim/host/node-host.ts';
import type { Operation } from './operations.ts';

export async function openCore(home: string) {
  const log = { debug() {}, info() {}, warn() {}, error: console.error };
  const host = await createNodeHost({ home, env: {}, log: log as never });
  const { server, webhooks } = createCore(host);
  // As `tabd serve` does: executions of a former server are recovered.
  await webhooks.start('http://127.0.0.1:5678');
  const request = async (api: Operation['api'], method: string, path: string, body?: Operation['body']) => {
    const headers: Record<string, string> = { 'content-type': 'application/json', 'x-n8n-api-key': 'crash' };
    const init = { method, headers, ...(body !== undefined && { body }) };
    const context: CallContext = {
      listener: api,
      loopback: true,
      clientAddress: '127.0.0.1',
      appOrigins: [],
      caller: 'operator',
    };
    return server.fetch(new Request(`http://127.0.0.1${path}`, init), context);
  };
  return {
    request,
    close: async () => {
      await server.close();
      await host.close();
    },
  };
}
