import { expect, it } from 'vitest';
import { Deferred } from '#core/base';
import { openWebhookServer } from '#test/support/webhooks/webhook-server.ts';
import { workflowOf } from '#test/support/webhooks/workflow-builder.ts';
import type { StartByMessage } from '../../node-api/listen.ts';
import { Listeners } from './listeners.ts';

it('listens while a workflow is published, connects again, and closes its connections', async () => {
  const { engine, close, host } = await openWebhookServer();
  const connections: { start: StartByMessage; end: Deferred<void>; isClosed: boolean }[] = [];
  let refusals = 1;
  const listeners = new Listeners({
    executions: engine.executions,
    clock: { ...host.clock, after: (_time, callback) => host.clock.after(1, callback) },
    log: host.log,
    files: engine.files,
    listenOf: ({ type }) =>
      type === 'n8n-nodes-base.redisTrigger'
        ? async (context, start) => {
            if (refusals-- > 0) throw new Error('refused');
            const connection = { start, end: new Deferred<void>(), isClosed: false };
            connections.push(connection);
            context.signal.addEventListener('abort', () => connection.end.resolve());
            return {
              ended: connection.end.promise,
              close: async () => {
                connection.isClosed = true;
              },
            };
          }
        : undefined,
    contextOf: (_workflow, _node, signal) => ({ signal }) as never,
  });
  const trigger = { type: 'redisTrigger', parameters: { channels: 'a' } };
  const workflow = workflowOf({ Redis: trigger, End: { type: 'noOp' } }, ['Redis -> End']);
  listeners.start(workflow);
  await expect.poll(() => connections.length).toBe(1);
  expect(host.logged.at(-2)).toMatchObject({ message: 'webhooks: a trigger cannot connect' });
  const outcome = connections[0]!.start(async (files) => [
    { json: { a: 1 }, binary: { data: await files.prepare(new Uint8Array([1])) } },
  ]);
  const { isAccepted, done } = await outcome;
  expect([isAccepted, await done]).toEqual([true, true]);
  const failed = await connections[0]!.start(() => Promise.reject(new Error('no item')));
  expect([failed.isAccepted, await failed.done]).toEqual([false, false]);
  connections[0]!.end.resolve();
  await expect.poll(() => connections.length).toBe(2);
  expect(connections[0]!.isClosed).toBe(true);
  listeners.stop(workflow.id);
  await expect.poll(() => connections[1]!.isClosed).toBe(true);
  listeners.start(workflow);
  await expect.poll(() => connections.length).toBe(3);
  await listeners.close();
  expect(connections[2]!.isClosed).toBe(true);
  await close();
});
