/** What is sent, by the choice "Respond With". Only the first item counts for expressions. */

import { isObject } from '#core/base';
import { type JwtCredential, signJwt } from '#core/webhooks/credentials/jwt.ts';
import type { NodeContext } from '#core/webhooks/node-api/node-context.ts';
import { NodeError } from '#core/webhooks/node-api/node-error.ts';
import type { NodeResponse } from '#core/webhooks/node-api/node-response.ts';
import { setPath } from '#core/workflow-format';

type Sent = Pick<NodeResponse, 'headers' | 'body'>;

export async function answerBody(context: NodeContext): Promise<Sent> {
  const choice = context.literal<string>('respondWith');
  switch (choice) {
    case 'noData':
      return plain({ kind: 'none' });
    case 'text': {
      const text = await context.parameter('responseBody', 0);
      if (typeof text === 'object' && text !== null) return plain({ kind: 'json', value: text });
      return plain({ kind: 'text', text: String(text ?? '') });
    }
    case 'json':
      return plain(jsonBody(await context.parameter('responseBody', 0)));
    case 'jwt':
      return plain({ kind: 'json', value: { token: await token(context) } });
    case 'redirect': {
      const target = String(await context.parameter('redirectURL', 0)).trim();
      return { headers: [['location', target]], body: { kind: 'none' } };
    }
    case 'binary':
      return file(context);
    case 'allIncomingItems': {
      const all = context.items().map(({ json }) => json);
      return plain({ kind: 'json', value: await underKey(context, all) });
    }
    case 'firstIncomingItem':
      return plain({ kind: 'json', value: await underKey(context, context.items()[0]?.json ?? {}) });
    default:
      throw new NodeError(`The Response Data option "${choice}" is not supported!`);
  }
}

const plain = (body: NodeResponse['body']): Sent => ({ headers: [], body });

function jsonBody(value: unknown): NodeResponse['body'] {
  if (value === '' || value === undefined || value === null) return { kind: 'none' };
  return { kind: 'json', value: typeof value === 'string' ? parsed(value, 'Response Body') : value };
}

function parsed(text: string, field: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new NodeError(`Invalid JSON in '${field}' field`, {
      description: `Check that the syntax of the JSON in the '${field}' parameter is valid`,
      cause,
    });
  }
}

async function underKey(context: NodeContext, value: unknown): Promise<unknown> {
  const key = String((await context.parameter('options.responseKey', 0, '')) ?? '');
  if (key === '') return value;
  const wrapped: Record<string, unknown> = {};
  setPath(wrapped, key, value);
  return wrapped;
}

async function token(context: NodeContext): Promise<string> {
  const given = await context.parameter('payload', 0);
  const payload = typeof given === 'string' ? parsed(given, 'Payload') : given;
  if (!isObject(payload)) throw new NodeError("The 'Payload' must be a JSON object");
  const credential = await context.credential<JwtCredential>('jwtAuth');
  try {
    return await signJwt(payload, credential, context.now());
  } catch (cause) {
    throw new NodeError(`The token could not be signed: ${(cause as Error).message}`, { cause });
  }
}

async function file(context: NodeContext): Promise<Sent> {
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
  const sent = binary[name]!;
  return { headers: [['content-type', sent.mimeType]], body: { kind: 'binary', binary: sent } };
}
