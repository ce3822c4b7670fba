/** Traces over the processes of a cluster. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningDoor, startTestCluster, type TestCluster } from '#test/support/servers/cluster.ts';
import { type CollectedSpan, TraceCollector } from '#test/support/servers/trace-collector.ts';
import { webhookNode } from '#test/support/webhooks/webhook-server.ts';
import { codeNode, sentWorkflow, workflowOf } from '#test/support/webhooks/workflow-builder.ts';

let collector: TraceCollector;
let cluster: TestCluster;
let door: RunningDoor;
let settings: Record<string, string> = {};
beforeAll(async () => {
  collector = await TraceCollector.open();
  settings = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '200' };
  // The packages read the settings of this process, which has the door.
  Object.assign(process.env, settings);
  cluster = await startTestCluster({ settings });
  door = await cluster.startDoor();
  await cluster.spawnWorker('--apis', 'webhooks,image-workflows');
  await cluster.ready(door);
  for (const [path, responseMode, code] of [
    ['now', 'lastNode', 'return [{ json: {} }];'],
    ['later', 'onReceived', 'return [{ json: {} }];'],
    ['broken', 'lastNode', 'throw new Error("out of paper");'],
  ] as const)
    await cluster.publish(
      door,
      sentWorkflow(
        workflowOf(
          { Webhook: webhookNode(path, { responseMode }), Code: codeNode(code) },
          ['Webhook -> Code'],
          {
            name: path,
          },
        ),
      ),
    );
}, 120_000);
afterAll(async () => {
  await cluster?.close();
  collector?.close();
  for (const name of Object.keys(settings)) delete process.env[name];
});

/** Sends a request as a part of a new trace. */
async function send(api: 'webhooks' | 'image-workflows', path: string, body: object) {
  const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
  const response = await fetch(door.ports[api] + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', traceparent: `00-${traceId}-${spanId}-01` },
    body: JSON.stringify(body),
  });
  await response.text();
  return { status: response.status, traceId, spanId };
}

/** The names of a span and of all above it, up to the span of the client. */
function chainTo(span: CollectedSpan, clientSpan: string): string[] {
  const names: string[] = [];
  for (let at: CollectedSpan | undefined = span; at; ) {
    names.unshift(at.name);
    const { parentSpanId }: CollectedSpan = at;
    if (parentSpanId === clientSpan) return names;
    at = collector.spans.find(({ spanId }) => spanId === parentSpanId);
  }
  throw new Error(`${names.join(', ')} do not belong to the client`);
}

async function spanOf(traceId: string, name: string): Promise<CollectedSpan> {
  await expect.poll(() => collector.named(traceId, name).length, { timeout: 20_000 }).toBeGreaterThan(0);
  return collector.named(traceId, name)[0]!;
}

test('a call is one trace over door, queue, worker and run', async () => {
  await expect
    .poll(async () => (await send('webhooks', '/webhook/now', {})).status, { timeout: 20_000 })
    .toBe(200);
  const { traceId, spanId } = await send('webhooks', '/webhook/now', {});
  const run = await spanOf(traceId, 'run workflow');
  const request = 'POST /webhook/*';
  await expect.poll(() => collector.named(traceId, request).length, { timeout: 20_000 }).toBe(2);
  expect(chainTo(run, spanId)).toEqual([request, 'send to a worker', request, 'run workflow']);
  expect(chainTo(await spanOf(traceId, 'wait in the queue'), spanId)).toEqual([request, 'wait in the queue']);
  expect(run.attributes).toMatchObject({ 'tabd.workflow.name': 'now', 'tabd.outcome': 'success' });
  expect(Number(run.attributes['tabd.waited_ms'])).toBeLessThan(10_000);
  const [first] = collector.named(traceId, request);
  expect(first!.attributes).toMatchObject({ 'http.response.status_code': 200, 'tabd.api': 'webhooks' });
  expect(run.resource).toMatchObject({
    'service.name': 'tabd',
    'service.instance.id': expect.stringMatching(/^worker-/),
  });
});

test('a run of the queue belongs to the trace of its call', async () => {
  await expect
    .poll(async () => (await send('webhooks', '/webhook/later', {})).status, { timeout: 20_000 })
    .toBe(200);
  const { traceId } = await send('webhooks', '/webhook/later', {});
  expect((await spanOf(traceId, 'run workflow')).attributes['tabd.workflow.name']).toBe('later');
});

test('a failed run is an error, with its cause', async () => {
  await expect
    .poll(async () => (await send('webhooks', '/webhook/broken', {})).status, { timeout: 20_000 })
    .toBe(500);
  const { traceId } = await send('webhooks', '/webhook/broken', {});
  const { status } = await spanOf(traceId, 'run workflow');
  expect(status).toMatchObject({ code: 2, message: expect.stringContaining('out of paper') });
});

test('an image prompt belongs to the trace of its request', async () => {
  const prompt = {
    '1': { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1, color: 0 } },
    '2': { class_type: 'PreviewImage', inputs: { images: ['1', 0] } },
  };
  const { status, traceId } = await send('image-workflows', '/prompt', { prompt });
  expect(status).toBe(200);
  expect((await spanOf(traceId, 'run prompt')).attributes).toMatchObject({ 'tabd.outcome': 'success' });
});
