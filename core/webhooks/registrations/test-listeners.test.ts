import { beforeEach, describe, expect, it } from 'vitest';
import type { Workflow } from '#core/workflow-format';
import { TestClock } from '#test/support/host/test-clock.ts';
import { webhookNode } from '#test/support/webhooks/webhook-server.ts';
import { workflowOf } from '#test/support/webhooks/workflow-builder.ts';
import { webhookRegistrations } from './registration.ts';
import { type TestEvent, TestListeners } from './test-listeners.ts';

const addressesOf = (workflow: Workflow) =>
  webhookRegistrations(workflow).map(({ node, methods, path }) => ({
    node: node.name,
    methods,
    url: `http://here/${path}`,
    path,
  }));
const workflow = (id: string, ...paths: string[]) =>
  workflowOf(Object.fromEntries(paths.map((path) => [path, webhookNode(path)])), [], { id });

let clock: TestClock;
let listeners: TestListeners;
let events: TestEvent[];
beforeEach(() => {
  clock = new TestClock();
  listeners = new TestListeners(clock, addressesOf);
  events = [];
  listeners.subscribe((event) => events.push(event));
});
const match = (path: string) => listeners.table.match('POST', path)?.registration;

describe('listen', () => {
  it('returns the addresses of all Webhook nodes', async () => {
    const addresses = await listeners.listen(workflow('w1', 'a', 'b'));
    expect(addresses.map(({ url }) => url)).toEqual(['http://here/a', 'http://here/b']);
    expect([match('a'), match('b')].map((found) => found?.node.name)).toEqual(['a', 'b']);
  });

  it('listens at one node on request', async () => {
    const addresses = await listeners.listen(workflow('w1', 'a', 'b'), { node: 'b' });
    expect(addresses.map(({ node }) => node)).toEqual(['b']);
    expect([match('a'), match('b')?.node.name]).toEqual([undefined, 'b']);
  });

  it('replaces the listener of the same workflow without an event', async () => {
    await listeners.listen(workflow('w1', 'a'));
    await listeners.listen(workflow('w1', 'b'));
    expect([match('a'), match('b')?.node.name, events]).toEqual([undefined, 'b', []]);
  });

  it('ends the listener of another workflow with the same path', async () => {
    await listeners.listen(workflow('w1', 'a'));
    await listeners.listen(workflow('w2', 'a'));
    expect(events).toEqual([{ type: 'ended', workflowId: 'w1' }]);
    expect(match('a')?.workflow.id).toBe('w2');
  });

  it('starts the time again', async () => {
    await listeners.listen(workflow('w1', 'a'));
    await clock.advance(100_000);
    await listeners.listen(workflow('w1', 'a'));
    await clock.advance(119_999);
    expect(match('a')).toBeDefined();
    await clock.advance(1);
    expect([match('a'), events]).toEqual([undefined, [{ type: 'ended', workflowId: 'w1' }]]);
  });
});

describe('claim', () => {
  it('uses the listener up, and reports the execution that the call started', async () => {
    await listeners.listen(workflow('w1', 'a', 'b'), { destination: 'End' });
    const registration = match('a')!;
    const claim = listeners.claim(registration);
    expect(claim?.destination).toBe('End');
    expect(listeners.claim(registration)).toBeUndefined();
    expect([match('a'), match('b'), events]).toEqual([undefined, undefined, []]);
    claim!.started('7');
    expect(events).toEqual([{ type: 'received', workflowId: 'w1', executionId: '7' }]);
    await clock.advance(200_000);
    expect(events).toHaveLength(1);
  });

  it('is refused for the registration of a replaced listener', async () => {
    await listeners.listen(workflow('w1', 'a'));
    const former = match('a')!;
    await listeners.listen(workflow('w1', 'a'));
    expect(listeners.claim(former)).toBeUndefined();
    expect(listeners.claim(match('a')!)).toBeDefined();
  });
});

it('stop ends a listener once', async () => {
  await listeners.listen(workflow('w1', 'a'));
  expect([listeners.stop('w1'), listeners.stop('w1'), listeners.stop('other')]).toEqual([true, false, false]);
  expect([match('a'), events]).toEqual([undefined, [{ type: 'ended', workflowId: 'w1' }]]);
});

it('a subscription ends', async () => {
  const seen: TestEvent[] = [];
  const unsubscribe = listeners.subscribe((event) => seen.push(event));
  unsubscribe();
  await listeners.listen(workflow('w1', 'a'));
  listeners.stop('w1');
  expect([seen.length, events.length]).toEqual([0, 1]);
});

it('close stops the timers', async () => {
  await listeners.listen(workflow('w1', 'a'));
  listeners.close();
  await clock.advance(200_000);
  expect(events).toEqual([]);
});
