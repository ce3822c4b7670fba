import { afterEach, beforeEach, expect, it } from 'vitest';
import { TestClock } from '#test/support/host/test-clock.ts';
import {
  manualWorkflow,
  openControl,
  smallWorkflow,
  type TestControl,
} from '#test/support/webhooks/control.ts';
import type { PushMessage } from './event-stream.ts';

let control: TestControl;
beforeEach(async () => {
  control = await openControl();
});
afterEach(() => control.close());

/** Reads the events of a response. `until` returns the events up to the first one of a type. */
async function follow(response: Response) {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  return {
    reader,
    async until(type: string): Promise<PushMessage[]> {
      const seen: PushMessage[] = [];
      for (;;) {
        const { done, value } = await reader.read();
        if (done) throw new Error(`the stream ended before ${type}`);
        const events = (rest + value).split('\n\n');
        rest = events.pop()!;
        for (const event of events) if (event.startsWith('data: ')) seen.push(JSON.parse(event.slice(6)));
        if (seen.at(-1)?.type === type) return seen;
      }
    },
  };
}

it('reports the progress of an execution', async () => {
  const { id } = await control.json('POST', '/workflows', manualWorkflow());
  const events = await follow(await control.ask('GET', `/events?workflowId=${id}`));
  await events.until('hello');
  const { executionId } = await control.json('POST', `/workflows/${id}/run`, {});
  const seen = await events.until('executionFinished');
  expect(seen.map(({ type, data }) => [type, data.nodeName])).toEqual([
    ['executionStarted', undefined],
    ['nodeExecuteBefore', 'Start'],
    ['nodeExecuteAfter', 'Start'],
    ['nodeExecuteBefore', 'Edit'],
    ['nodeExecuteAfter', 'Edit'],
    ['executionFinished', undefined],
  ]);
  expect(seen.every(({ data }) => data.executionId === executionId && data.workflowId === id)).toBe(true);
  expect(seen[4]!.data.data).toMatchObject({ data: { main: [[{ json: { x: 1 } }]] } });
  expect(seen[5]!.data).toMatchObject({ status: 'success', execution: { id: executionId } });
  await events.reader.cancel();
});

it('reports changes and test calls of the requested workflow only', async () => {
  const mine = await control.json('POST', '/workflows', smallWorkflow('a'));
  const other = await control.json('POST', '/workflows', smallWorkflow('b'));
  await control.json('POST', `/workflows/${mine.id}/activate`);
  const events = await follow(await control.ask('GET', `/events?workflowId=${mine.id}`));
  expect(await events.until('hello')).toHaveLength(1);
  await control.json('POST', `/workflows/${other.id}/activate`);
  await control.json('POST', `/workflows/${mine.id}/deactivate`);
  expect((await events.until('workflowDeactivated')).map(({ type }) => type)).toEqual([
    'workflowChanged',
    'workflowDeactivated',
  ]);
  await control.json('POST', `/workflows/${mine.id}/listen`);
  const { registration } = control.listening.table.match('POST', 'a')!;
  control.listening.claim(registration)!.started('7');
  const [received] = await events.until('testWebhookReceived');
  expect(received!.data).toEqual({ workflowId: mine.id, executionId: '7' });
  await events.reader.cancel();
});

it('unsubscribes when the reader disconnects, cancels or is too slow', async () => {
  const controller = new AbortController();
  await control.ask('GET', '/events', { signal: controller.signal });
  expect(control.engine.events.hasSubscribers).toBe(true);
  controller.abort();
  expect(control.engine.events.hasSubscribers).toBe(false);
  const cancelled = await control.ask('GET', '/events');
  await cancelled.body!.cancel();
  expect(control.engine.events.hasSubscribers).toBe(false);
  const watched = await follow(await control.ask('GET', '/events'));
  await watched.until('hello');
  const task = { data: 'x'.repeat(1024 * 1024) } as never;
  const event = { type: 'nodeFinished', node: 'A', runIndex: 0, task } as const;
  for (let n = 0; n < 10; n++) {
    control.engine.events.send({
      type: 'executionProgress',
      executionId: '1',
      workflowId: 'w',
      test: false,
      event,
    });
  }
  expect(control.engine.events.hasSubscribers).toBe(false);
});

it('sends a comment every 15 seconds without events', async () => {
  const clock = new TestClock();
  const quiet = await openControl({ clock });
  const response = await quiet.ask('GET', '/events');
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  expect((await reader.read()).value).toContain('"hello"');
  for (let n = 0; n < 2; n++) {
    await clock.advance(15_000);
    expect((await reader.read()).value).toBe(': alive\n\n');
  }
  await reader.cancel();
  await quiet.close();
});

it('ends when the server is about to close', async () => {
  const events = await follow(await control.ask('GET', '/events'));
  await events.until('hello');
  control.engine.events.end();
  await expect(events.until('none')).rejects.toThrow('the stream ended');
  const late = await follow(await control.ask('GET', '/events'));
  await expect(late.until('none')).rejects.toThrow('the stream ended');
});
