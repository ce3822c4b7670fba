/** Sends GraphQL queries. */
import { isObject } from '#core/base';
import type { Item, JsonObject } from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { failedItem } from '../../node-api/per-item.ts';
import { choice, fixedCollectionList, flag, group, jsonText, text } from '../shared/parameters.ts';
import { parseJsonParameter } from '../shared/parse-json.ts';
import { readAuthentication } from './http-request/authentication.ts';
import { type RequestDescription, requireUrl, toHeaders } from './http-request/describe-request.ts';
import { LEGACY_AUTHENTICATION } from './http-request/legacy-parameters.ts';
import { legacyResponseError } from './http-request/legacy-response.ts';
import { sendRequest, transferOver } from './http-request/send-request.ts';

export const graphql: NodeType = {
  name: 'n8n-nodes-base.graphql',
  label: 'GraphQL',
  description: 'Sends GraphQL queries and outputs the data.',
  group: 'network',
  versions: [1, 1.1],
  inputs: 1,
  outputs: ['main'],
  credentials: Object.entries(LEGACY_AUTHENTICATION).map(([authentication, type]) => ({
    type,
    required: true,
    show: { authentication: [authentication] },
  })),
  parameters: [
    choice('authentication', 'Authentication', 'none', {
      literal: true,
      options: ['none', ...Object.keys(LEGACY_AUTHENTICATION)],
    }),
    choice('requestMethod', 'HTTP Request Method', 'POST', { options: ['GET', 'POST'] }),
    text('endpoint', 'Endpoint', { required: true, placeholder: 'https://example.com/graphql' }),
    flag('allowUnauthorizedCerts', 'Ignore SSL Issues'),
    choice('requestFormat', 'Request Format', 'graphql', {
      versions: { to: 1 },
      show: { requestMethod: ['POST'] },
      options: { graphql: 'GraphQL (Raw)', json: 'JSON' },
    }),
    choice('requestFormat', 'Request Format', 'json', {
      versions: { from: 1.1 },
      show: { requestMethod: ['POST'] },
      options: { json: 'JSON (Recommended)', graphql: 'GraphQL (Raw)' },
    }),
    text('query', 'Query', { required: true, rows: 6 }),
    jsonText('variables', 'Variables', { rows: 3 }),
    text('operationName', 'Operation Name'),
    choice('responseFormat', 'Response Format', 'json', { options: { json: 'JSON', string: 'String' } }),
    text('dataPropertyName', 'Response Data Property Name', {
      default: 'data',
      show: { responseFormat: ['string'] },
    }),
    fixedCollectionList('headerParametersUi', 'Headers', {
      groups: [group('parameter', 'Header', [text('name', 'Name'), text('value', 'Value')])],
    }),
  ],
  async execute(context) {
    const items: Item[] = [];
    for (const [index] of context.items().entries()) {
      context.signal.throwIfAborted();
      try {
        await request(context, index, items);
      } catch (error) {
        items.push(failedItem(context, error, index));
      }
    }
    return [items];
  },
};

/** Adds the response to the items, also where it has errors: an error of the query follows it. */
async function request(context: NodeContext, index: number, items: Item[]): Promise<void> {
  const description = await describeQuery(context, index);
  const transfer = transferOver(context, {
    proxy: '',
    allowAnyCertificate: (await context.parameter('allowUnauthorizedCerts', index, false)) === true,
    timeout: 0,
    followRedirects: true,
    maxRedirects: 21,
  });
  const authentication = await readAuthentication(context);
  const response = await sendRequest(description, authentication, transfer, 'text', context);
  if (response.statusCode >= 400) throw legacyResponseError(response);
  const body = parseJsonParameter(response.body, 'The response is not JSON', { itemIndex: index });
  const isText = (await context.parameter('responseFormat', index)) === 'string';
  const name = String((await context.parameter('dataPropertyName', index, 'data')) || 'data');
  const json = isText || !isObject(body) ? { [name]: body } : body;
  items.push({ json, pairedItem: { item: index } });
  const errors = isObject(body) && Array.isArray(body.errors) ? (body.errors as JsonObject[]) : [];
  if (errors.length === 0) return;
  const message = errors.map((error) => String(error?.message ?? 'Unexpected error')).join(', ');
  throw new NodeError(message, { name: 'NodeApiError' });
}

async function describeQuery(context: NodeContext, index: number): Promise<RequestDescription> {
  const get = <T>(path: string, fallback?: T) => context.parameter(path, index, fallback);
  const method = String(await get('requestMethod'));
  const query = String((await get('query', '')) ?? '');
  type Pair = { name?: string; value?: unknown };
  const pairs = (await get<Pair[]>('headerParametersUi.parameter', [])) ?? [];
  const isRaw = method === 'POST' && (await get('requestFormat')) === 'graphql';
  const headers = Object.fromEntries(
    pairs.filter(({ name }) => name).map(({ name, value }) => [name, value]),
  );
  return {
    method,
    url: requireUrl(await get('endpoint'), index),
    query: method === 'GET' ? { query } : {},
    headers: { accept: isRaw ? '*/*' : 'application/json', ...toHeaders(headers) },
    body:
      method === 'GET'
        ? { kind: 'none' }
        : isRaw
          ? { kind: 'text', value: query, type: 'application/graphql' }
          : { kind: 'json', value: await jsonBody(context, index, query) },
    arrays: 'repeat',
  };
}

async function jsonBody(context: NodeContext, index: number, query: string): Promise<JsonObject> {
  const variables = (await context.parameter('variables', index, '')) ?? '';
  const operationName = (await context.parameter('operationName', index, '')) || null;
  const parsed =
    variables === ''
      ? {}
      : parseJsonParameter(
          variables,
          (reason) => `Using variables failed:\n${variables}\n\nWith error message:\n${reason}`,
          {
            itemIndex: index,
          },
        );
  return { query, variables: parsed, operationName };
}
