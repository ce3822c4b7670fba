/** Looks of triggers that poll, and the items that they give. The cases are in `poll-cases/`; looks are a minute apart. */
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#core/workflow-format';
import { TestClock } from '#test/support/host/test-clock.ts';
import { runWebhookNode } from '#test/support/webhooks/run-node.ts';
import { workflowOf } from '#test/support/webhooks/workflow-builder.ts';
import { openEngine } from '#test/support/webhooks/workflow-case.ts';
import type { Engine } from '../../engine/engine.ts';
import { contextOutside } from '../../engine/run/supply-outside.ts';
import { nodeType } from '../index.ts';

/** A request without `url` or `body` is not compared. */
interface Exchange {
  method?: string;
  url?: string;
  body?: unknown;
  json?: unknown;
  text?: string;
}

interface PollCase {
  title: string;
  version?: number;
  parameters: JsonObject;
  credentials?: Record<string, JsonObject>;
  looks: { exchanges: Exchange[]; items: JsonObject[] }[];
}

interface PollFile {
  node: string;
  version: number;
  credentials: Record<string, JsonObject>;
  cases: PollCase[];
}

const folder = new URL('./poll-cases/', import.meta.url);
const files = (readdirSync(folder, { recursive: true }) as string[])
  .filter((name) => name.endsWith('.json'))
  .map((name) => ({
    name,
    ...(JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as PollFile),
  }));

const clock = new TestClock(Date.UTC(2026, 0, 2, 12));
let engine: Engine;
let exchanges: Exchange[];
let secrets: Record<string, JsonObject>;

beforeAll(async () => {
  const fetch = async (request: Request) => {
    const expected = exchanges.shift();
    const { method = 'GET', url = request.url, body, json, text } = expected ?? {};
    expect(`${request.method} ${request.url}`).toBe(expected ? `${method} ${url}` : 'no further request');
    if (body !== undefined) expect(await request.json()).toEqual(body);
    return text === undefined ? Response.json(json ?? {}) : new Response(text);
  };
  ({ engine } = await openEngine({ fetch, clock }, { credentials: { data: async (type) => secrets[type] } }));
});
afterAll(() => engine.close());

const nodeOf = (test: PollCase & PollFile) => ({
  type: test.node,
  typeVersion: test.version,
  parameters: test.parameters,
  credentials: Object.fromEntries(
    Object.keys(test.credentials).map((type) => [type, { id: '1', name: type }]),
  ),
});

describe.each(files)('$name', ({ cases, ...file }) => {
  it.each(cases)('$title', async (test) => {
    const described = { cases, ...file, ...test, version: test.version ?? file.version } as PollCase &
      PollFile;
    secrets = { ...file.credentials, ...test.credentials };
    const workflow = workflowOf({ T: nodeOf(described) }, []);
    const context = contextOutside(
      {
        workflow,
        node: workflow.nodes[0]!,
        items: [],
        signal: new AbortController().signal,
        executionId: '1',
        mode: 'trigger',
      },
      engine.services,
    )!;
    let memory: JsonObject = {};
    const start = clock.now();
    for (const { exchanges: expected, items } of test.looks) {
      exchanges = [...expected];
      const found = await nodeType(file.node)!.poll!(context, memory);
      expect(exchanges).toEqual([]);
      expect(found).toMatchObject(items);
      expect(found).toHaveLength(items.length);
      memory = JSON.parse(JSON.stringify(memory));
      await clock.advance(60_000);
    }
    await clock.advance(start - clock.now());
  });
});

it('gives the newest element to a run that starts in the editor', async () => {
  const gmail = files.find(({ name }) => name === 'google/gmail-trigger.json')!;
  secrets = gmail.credentials;
  const listed = 'https://www.googleapis.com/gmail/v1/users/me/messages';
  exchanges = [
    { url: `${listed}?maxResults=1`, json: { messages: [{ id: 'm1' }] } },
    { url: `${listed}/m1?format=full`, json: { id: 'm1' } },
  ];
  const node = nodeOf({ ...gmail, title: '', looks: [], parameters: {} });
  const { outputs } = await runWebhookNode(engine, node);
  expect(outputs[0]).toMatchObject([{ id: 'm1' }]);
  exchanges = [{ json: {} }];
  const { error } = await runWebhookNode(engine, node);
  expect(error?.message).toBe('No data with the current filter could be found');
});
