/** Every template runs on the models of this server, without a credential. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Engine } from '#core/webhooks/engine/engine.ts';
import { type Item, readWorkflow } from '#core/workflow-format';
import { openEngine } from '#test/support/webhooks/workflow-case.ts';
import { fromTemplate, templates } from './templates.ts';

const FEED = '<rss version="2.0"><channel><item><title>News</title></item></channel></rss>';
const installed = {
  models: [{ name: 'small:1', model: 'small:1', capabilities: ['completion', 'embedding'] }],
};

/** The data that a person or a program sends to the triggers. */
const sent = {
  text: 'Where is my parcel?',
  email: 'ann@example.com',
  chatInput: 'Hello',
  sessionId: 's1',
  body: {
    text: 'Where is my parcel?',
    name: 'Ann',
    language: 'French',
    url: 'https://site.example/',
    questions: ['a?', 'b?'],
    texts: ['a', 'b'],
    rows: ['a', 'b'],
  },
};

/** A value of a JSON schema. */
function sampleOf(schema: { type?: string; enum?: unknown[]; properties?: object; items?: object }): unknown {
  if (schema.enum) return schema.enum.at(-1);
  if (schema.type === 'array') return [sampleOf(schema.items ?? {})];
  if (schema.type !== 'object') return 'word';
  return Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([name, inner]) => [name, sampleOf(inner)]),
  );
}

/** The API of local models: it answers as the format of a request asks. */
async function localModels(path: string, init?: RequestInit): Promise<Response> {
  if (/tags|ps/.test(path)) return Response.json(installed);
  const body = JSON.parse(String(init?.body)) as {
    input?: string | string[];
    format?: object;
    stream?: boolean;
  };
  if (path.includes('embed')) {
    return Response.json({ model: 'small:1', embeddings: [body.input].flat().map(() => [1, 0]) });
  }
  const content = body.format ? JSON.stringify(sampleOf(body.format)) : 'An answer';
  return Response.json({
    model: 'small:1',
    message: { role: 'assistant', content },
    done: true,
    done_reason: 'stop',
  });
}

let engine: Engine;
beforeAll(async () => {
  const answers = (url: string) => (url.includes('hnrss') ? FEED : '<html><body>A page</body></html>');
  ({ engine } = await openEngine(
    { fetch: async ({ url }) => new Response(answers(url), { headers: { 'content-type': 'text/html' } }) },
    { localApis: { fetch: localModels } },
  ));
});
afterAll(() => engine.close());

/** Graphs of images have tests of their own, and an MCP server works when a client calls it. */
const others = ['image', 'mcp'];

it.each(templates.map(({ key }) => key).filter((key) => !others.includes(key)))('%s', async (key) => {
  const workflow = readWorkflow({ ...fromTemplate(key, []), id: key });
  const triggers = workflow.nodes.filter(({ type }) => engine.services.nodeType(type)?.group === 'trigger');
  expect(triggers.length).toBeGreaterThan(0);
  for (const { name } of triggers) {
    const output: Item[][] = [[{ json: sent }]];
    const { done } = await engine.executions.start({ workflow, mode: 'webhook', node: name, output });
    const { status, state } = await done;
    const errors = Object.values(state.runData).flatMap((runs) =>
      runs.flatMap(({ error }) => error?.message ?? []),
    );
    expect([name, errors, status]).toEqual([name, [], expect.stringMatching(/^(success|waiting)$/)]);
    expect(state.runData[state.lastNode ?? '']?.[0]?.data?.main?.flat().length).toBeGreaterThan(0);
  }
});

it('twenty workflows are offered besides the empty one', () => {
  expect(templates.length - 1).toBeGreaterThanOrEqual(20);
});
