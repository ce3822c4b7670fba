/** Requests of the nodes of services, and the items that they make of the answers. The cases are in `cases/`. */
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Item, JsonObject } from '#core/workflow-format';
import { runWebhookNode } from '#test/support/webhooks/run-node.ts';
import { openEngine } from '#test/support/webhooks/workflow-case.ts';
import type { Engine } from '../../engine/engine.ts';

/** A request as it arrives. `json`, `form` or `text` is its body. */
interface SeenRequest {
  method?: string;
  url: string;
  headers?: JsonObject;
  json?: unknown;
  form?: JsonObject;
  text?: string;
}

interface Case {
  title: string;
  version?: number;
  parameters: JsonObject;
  input?: JsonObject[];
  /** In place of those of the file. */
  credentials?: Record<string, JsonObject>;
  /** Text of a file `data`. */
  file?: string;
  /** In order. Those of an answer: `status`, `json`, `text`, `headers`. */
  exchanges: {
    request: SeenRequest;
    answer?: { status?: number; json?: unknown; text?: string; headers?: Record<string, string> };
  }[];
  items?: JsonObject[];
  error?: JsonObject;
}

interface CaseFile {
  node: string;
  version: number;
  credentials: Record<string, JsonObject>;
  cases: Case[];
}

const folder = new URL('./cases/', import.meta.url);
const files = (readdirSync(folder, { recursive: true }) as string[])
  .filter((name) => name.endsWith('.json'))
  .map((name) => ({
    name,
    ...(JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as CaseFile),
  }));

let engine: Engine;
let current: Case;
let secrets: Record<string, JsonObject>;
let seen: SeenRequest[];

beforeAll(async () => {
  const fetch = async (request: Request) => {
    const { answer = {} } = current.exchanges[seen.length] ?? {};
    const expected = current.exchanges[seen.length]?.request;
    seen.push(await describeRequest(request, expected));
    const { status = 200, json, text, headers = {} } = answer;
    if (text !== undefined) return new Response(text || null, { status, headers });
    return Response.json(json ?? {}, { status, headers });
  };
  ({ engine } = await openEngine({ fetch }, { credentials: { data: async (type) => secrets[type] } }));
});
afterAll(() => engine.close());

/** The parts that the case names, and always the method, the address and the body. */
async function describeRequest(request: Request, expected: SeenRequest | undefined): Promise<SeenRequest> {
  const headers = Object.keys(expected?.headers ?? {}).map((name) => [name, request.headers.get(name)]);
  const method = request.method === 'GET' ? {} : { method: request.method };
  const described = {
    ...method,
    url: request.url,
    ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
  };
  const type = request.headers.get('content-type') ?? '';
  if (type.includes('multipart') || type.includes('urlencoded')) {
    const form: JsonObject = {};
    for (const [name, value] of await request.formData()) {
      form[name] = typeof value === 'string' ? value : `${value.name} ${value.type}: ${await value.text()}`;
    }
    return { ...described, form };
  }
  const text = await request.text();
  if (text === '') return described;
  return type.includes('json')
    ? {
        ...described,
        json: JSON.parse(text, (key, value) =>
          key === 'raw' ? mailLines(value) : key === 'uuid' || key === 'requestId' ? 'uuid' : value,
        ),
      }
    : { ...described, text };
}

/** A mail in base64, as lines. */
function mailLines(raw: string): string[] {
  return Buffer.from(raw, 'base64url').toString().split('\r\n');
}

describe.each(files)('$name', ({ node, version, credentials, cases }) => {
  it.each(cases)('$title', async (test) => {
    current = test;
    secrets = { ...credentials, ...test.credentials };
    seen = [];
    const references = Object.fromEntries(
      Object.keys(credentials).map((type) => [type, { id: '1', name: type }]),
    );
    const binary = test.file !== undefined && {
      data: { data: btoa(test.file), mimeType: 'text/plain', fileName: 'a.txt' },
    };
    const input = (test.input ?? [{}]).map((json) => ({ json, ...(binary && { binary }) })) as Item[];
    const { outputs, error } = await runWebhookNode(
      engine,
      {
        type: node,
        typeVersion: test.version ?? version,
        parameters: test.parameters,
        credentials: references,
      },
      input,
    );
    expect(seen).toEqual(test.exchanges.map(({ request }) => request));
    if (test.error) expect(error).toMatchObject(test.error);
    else expect(error).toBeUndefined();
    if (test.items) expect(outputs[0]).toEqual(test.items);
  });
});
