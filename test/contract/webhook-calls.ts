/**
 * Replays recorded calls of webhooks. First publishes their workflow on a server in memory, at the time and with the
 * credentials of the recording.
 */

import { recordsSchema } from '#core/host';
import { composeServer } from '#core/http/routing/compose-server.ts';
import { webhooksApi } from '#core/webhooks/api.ts';
import { WebhookServer } from '#core/webhooks/webhook-server.ts';
import { type JsonObject, readWorkflow } from '#core/workflow-format';
import { createTestHost } from '../support/host/test-host.ts';
import { compare } from './compare/compare.ts';
import type { Answer } from './exchange.ts';
import type { Recording } from './recording.ts';
import { contextFor, readAnswer, toRequest } from './transports/process.ts';

/** The credentials of the recordings, by the first characters of their names. */
const CREDENTIALS: Record<string, [type: string, data: JsonObject]> = {
  basic: ['httpBasicAuth', { user: 'alice', password: 's3cret' }],
  header: ['httpHeaderAuth', { name: 'X-Api-Key', value: 'k3y' }],
  jwt: ['jwtAuth', { keyType: 'passphrase', secret: 'jwtsecret', algorithm: 'HS256' }],
};
const PUBLIC = 'http://127.0.0.1:15678';

/** The data of the credential of this type in a recorded workflow. */
export function credentialOf(type: string, name: string): JsonObject | undefined {
  return Object.entries(CREDENTIALS).find(
    ([start, [credentialType]]) => name.startsWith(start) && credentialType === type,
  )?.[1][1];
}

/** The difference, or undefined. */
export async function replayWebhookCall(recording: Recording): Promise<string | undefined> {
  const host = createTestHost({ schema: recordsSchema, clock: 'real', settings: { WEBHOOK_URL: PUBLIC } });
  const { clock } = host;
  const shift = recording.at - clock.now();
  const recordedNow = {
    ...host,
    clock: { ...clock, now: () => clock.now() + shift, after: clock.after, nanoseconds: clock.nanoseconds },
  };
  const webhooks = new WebhookServer(recordedNow, { fetch: async () => new Response(null, { status: 503 }) });
  const server = composeServer(recordedNow, [webhooksApi(recordedNow, webhooks)]);
  try {
    await publish(webhooks, recording);
    const { body, ...call } = recording.call;
    // The body is sent as bytes, because a text would get a content type.
    const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
    const request = toRequest('n8n', { ...call, ...(bytes?.length && { body: bytes }) });
    const answer = await readAnswer(await server.fetch(request, contextFor('n8n')));
    const options = { at: [recording.at] };
    return compare(comparable(recording.answer, options), comparable(answer, options));
  } finally {
    await server.close();
  }
}

async function publish(server: WebhookServer, { workflow }: Recording): Promise<void> {
  const { engine, publishing, credentials } = await server.open();
  const read = readWorkflow(workflow);
  for (const node of read.nodes) {
    for (const [type, reference] of Object.entries(node.credentials ?? {})) {
      const data = credentialOf(type, reference.name);
      if (data) reference.id = (await credentials.create(reference.name, type, data)).id;
    }
  }
  const stored = await engine.workflows.put(read);
  await publishing.publish(stored.id);
}

export interface Comparing {
  /** When the call was made: times near these mean "now" (milliseconds since 1970). */
  at: number[];
  /** Whether the call came from a page, whose browser adds headers that identify it. */
  fromPage?: boolean;
}

const NEAR = 20 * 60_000;
const DAY = 24 * 60 * 60_000;
/** Names of headers that depend on the browser. */
const OF_BROWSERS =
  /^(accept-.*|cache-control|cookie|host|origin|pragma|priority|referer|sec-.*|upgrade-.*|user-agent)$/;

/** Removes fields that a request in memory lacks, and varying locations. */
export function comparable({ headers, body, ...rest }: Answer, options: Comparing): Answer {
  const { vary: _vary, ...others } = headers;
  return { ...rest, headers: others, body: steadyBody(body, options) };
}

function steadyBody(body: string, options: Comparing): string {
  try {
    return JSON.stringify(JSON.parse(body, (key, value) => steady(key, value, options)));
  } catch {
    return body.replace(/"timestamp":\d+/g, '"timestamp":0');
  }
}

function steady(key: string, value: unknown, options: Comparing): unknown {
  if (typeof value === 'string') {
    return (
      value
        .replace(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/, '<uuid>')
        .replace(/^\d{4}-\d\d-\d\dT\d\d:.*$/, (text) => placeOf(text, options))
        // Text that the recording machine added to every name.
        .replace(/ gmwpyx3ot$/, '')
        .replace(/^(Bearer )?eyJ[\w-]+\.[\w-]+\.[\w-]+$/, '$1<token>')
    );
  }
  if (typeof value === 'number' && /^(exp|iat|nbf)$/.test(key)) return '<time>';
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  if ('exId' in value) return { ...value, exId: '<id>', wfId: '<id>', resume: '<address>' };
  if (key === 'headers') {
    const {
      connection: _connection,
      'content-length': _length,
      accept: _accept,
      ...fields
    } = value as JsonObject;
    const sent = Object.entries(fields).filter(([name]) => !options.fromPage || !OF_BROWSERS.test(name));
    return Object.fromEntries(sent.sort(([a], [b]) => (a < b ? -1 : 1)));
  }
  if ('mimeType' in value) {
    const isStored = 'bytes' in value;
    const fields = Object.entries(value).filter(([name]) => !isStored || (name !== 'id' && name !== 'data'));
    return Object.fromEntries(fields.sort(([a], [b]) => (a < b ? -1 : 1)));
  }
  return value;
}

/** Replaces a time by its distance from the call. */
function placeOf(text: string, { at }: Comparing): string {
  const since = at.map((time) => time - Date.parse(text));
  if (since.some((milliseconds) => Math.abs(milliseconds) < NEAR)) return '<now>';
  const isMidnight = text.includes('T00:00:00.000');
  return isMidnight && since.some((milliseconds) => milliseconds > 0 && milliseconds < DAY)
    ? '<today>'
    : text;
}
