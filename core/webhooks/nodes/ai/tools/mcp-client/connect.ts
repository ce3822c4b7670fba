/** The connection that the parameters of an MCP client describe. */
import type { NodeDescription } from '#core/workflow-format';
import type { NodeContext } from '../../../../node-api/node-context.ts';
import { NodeError } from '../../../../node-api/node-error.ts';
import { McpConnection } from './connection.ts';
import { ServerSentEvents } from './server-sent-events.ts';
import { StreamableHttp } from './streamable-http.ts';
import type { McpServer } from './transport.ts';

export const mcpCredentials: NonNullable<NodeDescription['credentials']> = [
  { type: 'httpBearerAuth', required: true, show: { authentication: ['bearerAuth'] } },
  { type: 'httpHeaderAuth', required: true, show: { authentication: ['headerAuth'] } },
];

/** @throws NodeError if the address is missing */
export async function connect(context: NodeContext, itemIndex: number): Promise<McpConnection> {
  // Version 1 knew only the older transport.
  const isOld = context.version < 1.1 || context.literal('serverTransport') === 'sse';
  const name = context.version < 1.1 ? 'sseEndpoint' : 'endpointUrl';
  const url = String((await context.parameter(name, itemIndex)) ?? '').trim();
  if (url === '') throw new NodeError('The MCP server has no address', { itemIndex });
  const server: McpServer = {
    url,
    headers: await authentication(context),
    timeout: Number(await context.parameter('options.timeout', itemIndex, 60_000)) || 60_000,
    signal: context.signal,
    fetch: (address, init) => context.network.fetch(address, init),
  };
  return new McpConnection(isOld ? new ServerSentEvents(server) : new StreamableHttp(server));
}

async function authentication(context: NodeContext): Promise<Record<string, string>> {
  switch (context.literal<unknown>('authentication', 'none')) {
    case 'bearerAuth':
      return { authorization: `Bearer ${(await context.credential('httpBearerAuth')).token ?? ''}` };
    case 'headerAuth': {
      const { name, value } = await context.credential('httpHeaderAuth');
      return { [String(name)]: String(value ?? '') };
    }
    default:
      return {};
  }
}
