/**
 * Replays recorded calls of webhooks on any server. Creates their workflow and credentials through the control API, and
 * deletes them afterwards.
 */
import { createHmac } from 'node:crypto';
import { readWorkflow } from '#core/workflow-format';
import { compare } from './compare/compare.ts';
import type { Answer, Call, State, Transport } from './exchange.ts';
import type { Recording } from './recording.ts';
import { comparable, credentialOf } from './webhook-calls.ts';

/** The difference, or undefined. */
export async function replayPublished(
  recording: Recording,
  { transport, state, send }: { transport: Transport; state: State; send(call: Call): Promise<Answer> },
): Promise<string | undefined> {
  const fromPage = transport.name === 'worker';
  const createdIds: string[] = [];
  const create = async (path: string, json: unknown) => {
    const { id } = await transport.manage(state, 'POST', path, json);
    createdIds.unshift(`${path}/${id}`);
    return String(id);
  };
  try {
    const { name, nodes, connections, settings } = readWorkflow(recording.workflow);
    for (const node of nodes) {
      for (const [type, reference] of Object.entries(node.credentials ?? {})) {
        const data = credentialOf(type, reference.name);
        if (data) reference.id = await create('/credentials', { name: reference.name, type, data });
      }
    }
    const id = await create('/workflows', { name, nodes, connections, settings });
    await transport.manage(state, 'POST', `/workflows/${id}/activate`);
    const call = signedNow(recording);
    const answer = await send(fromPage ? call : inChunks(call));
    const options = { at: [recording.at, Date.now()], fromPage };
    return compare(comparable(recording.answer, options), comparable(answer, options));
  } finally {
    for (const path of createdIds) await transport.manage(state, 'DELETE', path);
  }
}

const SECRET = 'jwtsecret';
const TIMES = ['exp', 'nbf', 'iat'];

/** Renews a token that was valid in the recording: its times keep their distance from now. */
function signedNow({ call, at }: Recording): Call {
  const { authorization, ...headers } = call.headers ?? {};
  const token = /^Bearer (\S+)\.(\S+)\.(\S+)$/.exec(authorization ?? '');
  if (!token) return call;
  const [, head, payload, signature] = token;
  if (sign(`${head}.${payload}`) !== signature) return call;
  const claims = JSON.parse(Buffer.from(payload!, 'base64url').toString('utf8')) as Record<string, unknown>;
  const later = Math.round((Date.now() - at) / 1000);
  for (const name of TIMES) if (typeof claims[name] === 'number') claims[name] += later;
  const moved = `${head}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
  return { ...call, headers: { ...headers, authorization: `Bearer ${moved}.${sign(moved)}` } };
}

const sign = (text: string) => createHmac('sha256', SECRET).update(text).digest('base64url');

/** Recordings contain the body, without its encoding. */
function inChunks(call: Call): Call {
  if (call.headers?.['transfer-encoding'] !== 'chunked') return call;
  const body = Buffer.from(call.body ?? '');
  const framed = [`${body.length.toString(16)}\r\n`, body, '\r\n0\r\n\r\n'].map((part) => Buffer.from(part));
  return { ...call, body: Buffer.concat(framed) };
}
