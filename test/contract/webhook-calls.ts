/**
 * Replays recorded calls of webhooks: their workflow is published on a server in memory first, at the time and with the
 * credentials of the recording.
 */

import { composeServer } from '../../core/http/compose.ts';
import { recordsSchema } from '../../core/records-schema.ts';
import { webhooksApi } from '../../core/webhooks/api.ts';
import { WebhookServer } from '../../core/webhooks/webhooks.ts';
import { readWorkflow } from '../../core/webhooks/workflow/read.ts';
import type { JsonObject } from '../../core/webhooks/workflow/types.ts';
import { createTestHost } from '../support/test-host.ts';
import { compare } from './compare.ts';
import type { Answer } from './exchange.ts';
import type { Recording } from './recording.ts';
import { contextFor, readAnswer, toRequest } from './transports/process.ts';

/** By the beginning of their names. */
const CREDENTIALS: Record<string, [type: string, data: JsonObject]> = {
  basic: ['httpBasicAuth', { user: 'alice', password: 's3cret' }],
  header: ['httpHeaderAuth', { name: 'X-Api-Key', value: 'k3y' }],
  jwt: ['jwtAuth', { keyType: 'passphrase', secret: 'jwtsecret', algorithm: 'HS256' }],
};
const PUBLIC = 'http://127.0.0.1:15678';

/** What differs, or undefined. */
export async function replayWebhookCall(recording: Recording): Promise<string | undefined> {
  const host = createTestHost({ schema: recordsSchema, clock: 'real', settings: { WEBHOOK_URL: PUBLIC } });
  const { clock } = host;
  const shift = recording.at - clock.now();
  const then = {
    ...host,
    clock: { ...clock, now: () => clock.now() + shift, after: clock.after, nanoseconds: clock.nanoseconds },
  };
  const webhooks = new WebhookServer(then, { fetch: async () => new Response(null, { status: 503 }) });
  const server = composeServer(then, [webhooksApi(then, webhooks)]);
  try {
    await publish(webhooks, recording);
    const { body, ...call } = recording.call;
    // Bytes: a text would get a content type.
    const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
    const request = toRequest('n8n', { ...call, ...(bytes?.length && { body: bytes }) });
    const answer = await readAnswer(await server.fetch(request, contextFor('n8n')));
    return compare(comparable(recording.answer), comparable(answer));
  } finally {
    await server.close();
  }
}

async function publish(server: WebhookServer, { workflow }: Recording): Promise<void> {
  const { engine, publishing, credentials } = await server.open();
  const read = readWorkflow(workflow);
  for (const node of read.nodes) {
    for (const [type, reference] of Object.entries(node.credentials ?? {})) {
      const known = Object.entries(CREDENTIALS).find(
        ([start, [of]]) => reference.name.startsWith(start) && of === type,
      );
      if (known) reference.id = (await credentials.create(reference.name, ...known[1])).id;
    }
  }
  const stored = await engine.workflows.put(read);
  await publishing.publish(stored.id);
}

/** Without what a request in memory has not, and what lies elsewhere here. */
function comparable({ headers, body, ...rest }: Answer): Answer {
  const { vary: _vary, ...others } = headers;
  return { ...rest, headers: others, body: steadyBody(body) };
}

function steadyBody(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body, steady));
  } catch {
    return body.replace(/"timestamp":\d+/g, '"timestamp":0');
  }
}

function steady(key: string, value: unknown): unknown {
  if (typeof value === 'string') {
    return (
      value
        .replace(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/, '<uuid>')
        .replace(/^2026-11-21T00:3.*$/, '<now>')
        // What the recording machine put behind every name.
        .replace(/ gmwpyx3ot$/, '')
        .replace(/^eyJ[\w-]+\.[\w-]+\.[\w-]+$/, '<token>')
    );
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  if ('exId' in value) return { ...value, exId: '<id>', wfId: '<id>', resume: '<address>' };
  if (key === 'headers') {
    const {
      connection: _connection,
      'content-length': _length,
      accept: _accept,
      ...kept
    } = value as JsonObject;
    return Object.fromEntries(Object.entries(kept).sort(([a], [b]) => (a < b ? -1 : 1)));
  }
  if ('mimeType' in value) {
    const isStored = 'bytes' in value;
    const kept = Object.entries(value).filter(([name]) => !isStored || (name !== 'id' && name !== 'data'));
    return Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1)));
  }
  return value;
}
