/** Triggers that poll, from publishing to the execution, also over restarts and failures. */
import { expect, it, onTestFinished } from 'vitest';
import { recordsSchema } from '#core/host';
import { MemoryRecords } from '#test/support/host/memory-records.ts';
import { settle, TestClock } from '#test/support/host/test-clock.ts';
import { createTestHost } from '#test/support/host/test-host.ts';
import { workflowOf } from '#test/support/webhooks/workflow-builder.ts';
import { WebhookServer } from '../../webhook-server.ts';
import type { Engine } from '../engine.ts';

const MINUTE = 60_000;
const START = Date.UTC(2026, 0, 2, 12);

/** A server with a feed whose entries are the given minutes after the start. */
function feedServer(records = new MemoryRecords(recordsSchema), clock = new TestClock(START)) {
  const feed = { entries: [-5] as number[], status: 200, requests: 0, gate: Promise.resolve() };
  const fetch = async () => {
    feed.requests++;
    await feed.gate;
    const items = feed.entries.map(
      (minutes) =>
        `<item><title>${minutes}</title><pubDate>${new Date(START + minutes * MINUTE).toUTCString()}</pubDate></item>`,
    );
    const body = `<rss version="2.0"><channel><title>F</title>${items.join('')}</channel></rss>`;
    return new Response(body, { status: feed.status, headers: { 'content-type': 'application/rss+xml' } });
  };
  const open = async () => {
    const host = { ...createTestHost({ clock, fetch }), records };
    const server = new WebhookServer(host, { fetch: async () => new Response() });
    onTestFinished(() => server.close());
    await server.start();
    return { server, ...(await server.open()) };
  };
  return { feed, clock, open };
}

const workflow = () => ({
  ...workflowOf(
    {
      Feed: { type: 'rssFeedReadTrigger', parameters: { feedUrl: 'https://feeds.test/a' } },
      End: { type: 'noOp' },
    },
    ['Feed -> End'],
  ),
  active: false,
});

/** The titles that started each execution, or its error; oldest first. */
async function starts({ executions }: Engine): Promise<unknown[]> {
  const listed = (await executions.list()).reverse();
  return Promise.all(
    listed.map(async ({ id, error }) => {
      const { runData } = (await executions.get(id))!.detail!.data.resultData;
      return error?.message ?? runData.Feed![0]!.data!.main![0]!.map(({ json }) => json.title);
    }),
  );
}

it('start the workflow with what is new since it was published, also after a restart', async () => {
  const { feed, clock, open } = feedServer();
  const first = await open();
  await first.engine.workflows.put(workflow());
  await first.publishing.publish('w1');
  expect(feed.requests).toBe(1);
  feed.entries.push(1);
  await clock.advance(2 * MINUTE);
  expect(await starts(first.engine)).toEqual([['1']]);
  await first.server.close();

  feed.entries.push(3, 4);
  await clock.advance(10 * MINUTE);
  const second = await open();
  await clock.advance(2 * MINUTE);
  expect(await starts(second.engine)).toEqual([['1'], ['3', '4']]);
  await second.publishing.unpublish('w1');
  const { requests } = feed;
  await clock.advance(5 * MINUTE);
  expect(feed.requests).toBe(requests);
});

it('record a failure, and then continue where they were', async () => {
  const { feed, clock, open } = feedServer();
  const { engine, publishing } = await open();
  await engine.workflows.put(workflow());
  await publishing.publish('w1');
  feed.entries.push(1);
  feed.status = 500;
  await clock.advance(MINUTE);
  feed.status = 200;
  await clock.advance(2 * MINUTE);
  expect(await starts(engine)).toEqual([expect.stringContaining('500'), ['1']]);
});

it('look once at a time, and drop what they find after the end of the publication', async () => {
  const { feed, clock, open } = feedServer();
  const { engine, publishing } = await open();
  await engine.workflows.put(workflow());
  await publishing.publish('w1');
  let release = () => {};
  feed.gate = new Promise((resolve) => {
    release = resolve;
  });
  feed.entries.push(1);
  await clock.advance(3 * MINUTE);
  expect(feed.requests).toBe(2);
  await publishing.unpublish('w1');
  release();
  await settle();
  expect(await starts(engine)).toEqual([]);
});

it('give items again whose execution could not be stored', async () => {
  const records = new MemoryRecords(recordsSchema);
  const { feed, clock, open } = feedServer(records);
  const { engine, publishing } = await open();
  await engine.workflows.put(workflow());
  await publishing.publish('w1');
  feed.entries.push(1);
  const write = records.write.bind(records);
  let fails = true;
  records.write = (changes) =>
    fails && changes.some(({ collection }) => collection === 'workflows')
      ? Promise.reject(new Error('the disk is gone'))
      : write(changes);
  await clock.advance(MINUTE);
  fails = false;
  await clock.advance(MINUTE);
  const started = (await starts(engine)).filter((start) => Array.isArray(start));
  expect(started).toEqual([['1']]);
});

it('leave a workflow unpublished whose first look fails', async () => {
  const { feed, open } = feedServer();
  const { engine, publishing } = await open();
  await engine.workflows.put(workflow());
  feed.status = 500;
  await expect(publishing.publish('w1')).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('Problem activating workflow: node "Feed": '),
  });
  expect(publishing.live('w1')).toBeUndefined();
});
