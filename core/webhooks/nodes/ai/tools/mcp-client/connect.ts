/** The connection that the parameters of an MCP client describe. */
import type { NodeDescription, NodeSettings } from '#core/workflow-format';
import type { NodeContext } from '../../../../node-api/node-context.ts';
import { NodeError } from '../../../../node-api/node-error.ts';
import { McpConnection } from './connection.ts';

export const mcpCredentials: NonNullable<NodeDescription['credentials']> = [
  { type: 'httpBearerAuth', required: true, show: { authentication: ['bearerAuth'] } },
  { type: 'httpHeaderAuth', required: true, show: { authentication: ['headerAuth'] } },
];

export function transportIssues({ get }: NodeSettings): string[] {
  return get('serverTransport') === 'sse' || get('sseEndpoint')
    ? ['The older transport (SSE) is not supported here: choose HTTP Streamable']
    : [];
}

/** @throws NodeError if the address is missing */
export async function connect(context: NodeContext, itemIndex: number): Promise<McpConnection> {
  const url = String((await context.parameter('endpointUrl', itemIndex)) ?? '').trim();
  if (url === '') throw new NodeError('The MCP server has no address', { itemIndex });
  const timeout = Number(await context.parameter('options.timeout', itemIndex, 60_000)) || 60_000;
  return new McpConnection(
    { url, headers: await authentication(context), timeout, signal: context.signal },
    (address, init) => context.network.fetch(address, init),
  );
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
