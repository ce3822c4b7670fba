/** Makes the response's body by the choice "Respond With". Expressions are evaluated for the first item. */

import { isObject } from '#core/base';
import { type JwtCredential, signJwt } from '#core/webhooks/credentials/jwt.ts';
import type { NodeContext } from '#core/webhooks/node-api/node-context.ts';
import { NodeError } from '#core/webhooks/node-api/node-error.ts';
import type { NodeResponse } from '#core/webhooks/node-api/node-response.ts';
import { setPath } from '#core/workflow-format';
import { parseJsonParameter } from '../../shared/parse-json.ts';

type ResponseContent = Pick<NodeResponse, 'headers' | 'body'>;

/** @throws NodeError for parameters or items that do not make a response */
export async function responseContent(context: NodeContext): Promise<ResponseContent> {
  const choice = context.literal<string>('respondWith');
  switch (choice) {
    case 'noData':
      return withoutHeaders({ kind: 'none' });
    case 'text': {
      const text = await context.parameter('responseBody', 0);
      if (typeof text === 'object' && text !== null) return withoutHeaders({ kind: 'json', value: text });
      return withoutHeaders({ kind: 'text', text: String(text ?? '') });
    }
    case 'json':
      return withoutHeaders(jsonBody(await context.parameter('responseBody', 0)));
    case 'jwt':
      return withoutHeaders({ kind: 'json', value: { token: await signToken(context) } });
    case 'redirect': {
      const target = String(await context.parameter('redirectURL', 0)).trim();
      return { headers: [['location', target]], body: { kind: 'none' } };
    }
    case 'binary':
      return fileContent(context);
    case 'allIncomingItems': {
      const list = context.items().map(({ json }) => json);
      return withoutHeaders({ kind: 'json', value: await putUnderKey(context, list) });
    }
    case 'firstIncomingItem': {
      const json = context.items()[0]?.json ?? {};
      return withoutHeaders({ kind: 'json', value: await putUnderKey(context, json) });
    }
    default:
      throw new NodeError(`The Response Data option "${choice}" is not supported!`);
  }
}

const withoutHeaders = (body: NodeResponse['body']): ResponseContent => ({ headers: [], body });

function jsonBody(value: unknown): NodeResponse['body'] {
  if (value === '' || value === undefined || value === null) return { kind: 'none' };
  return { kind: 'json', value: parseField(value, 'Response Body') };
}

function parseField(value: unknown, field: string): unknown {
  return parseJsonParameter(value, `Invalid JSON in '${field}' field`, {
    description: `Check that the syntax of the JSON in the '${field}' parameter is valid`,
  });
}

/** The value inside of an object, under the path of the option "Put Response in Field". */
async function putUnderKey(context: NodeContext, value: unknown): Promise<unknown> {
  const key = String((await context.parameter('options.responseKey', 0, '')) ?? '');
  if (key === '') return value;
  const wrapped: Record<string, unknown> = {};
  setPath(wrapped, key, value);
  return wrapped;
}

async function signToken(context: NodeContext): Promise<string> {
  const payload = parseField(await context.parameter('payload', 0), 'Payload');
  if (!isObject(payload)) throw new NodeError("The 'Payload' must be a JSON object");
  const credential = await context.credential<JwtCredential>('jwtAuth');
  try {
    return await signJwt(payload, credential, context.now());
  } catch (cause) {
    throw new NodeError(`The token could not be signed: ${(cause as Error).message}`, { cause });
  }
}

async function fileContent(context: NodeContext): Promise<ResponseContent> {
  const binary = context.items()[0]?.binary ?? {};
  let name: string;
  if (context.literal('responseDataSource') === 'set') {
    name = String(await context.parameter('inputFieldName', 0));
    if (!Object.hasOwn(binary, name)) throw new NodeError(`The item has no binary field '${name}' [item 0]`);
  } else {
    const [first] = Object.keys(binary);
    if (first === undefined) throw new NodeError('No binary data exists on the first item!');
    name = first;
  }
  const file = binary[name]!;
  return { headers: [['content-type', file.mimeType]], body: { kind: 'binary', binary: file } };
}
