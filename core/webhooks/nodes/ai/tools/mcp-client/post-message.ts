/** Messages to an MCP server, over HTTP. */
import type { JsonObject } from '#core/workflow-format';
import { NodeError } from '../../../../node-api/node-error.ts';
import type { McpServer } from './transport.ts';

/** Posts a message. @throws NodeError for a status other than success */
export async function postMessage(
  { fetch, headers, timeout, signal }: McpServer,
  url: string,
  message: JsonObject,
  more: Record<string, string> = {},
): Promise<Response> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...more, ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
  });
  if (!response.ok) throw await statusError(response);
  return response;
}

/** The error of an answer without success. It reads the body. */
export async function statusError(response: Response): Promise<NodeError> {
  const description = (await response.text()).slice(0, 300);
  return new NodeError(`The MCP server answered with status ${response.status}`, { description });
}
