import { describe, expect, it } from 'vitest';
import { ExecutionQueue } from './execution-queue.ts';

const never = () => new AbortController().signal;

describe('the execution queue', () => {
  it('admits executions up to its limit, the others in their order', async () => {
    const queue = new ExecutionQueue(2, 10);
    const tickets = Array.from({ length: 5 }, () => queue.ticket());
    const entered: number[] = [];
    for (const [index, ticket] of tickets.entries()) {
      void ticket.enter(never()).then(() => entered.push(index));
    }
    await Promise.resolve();
    const nextTask = () => new Promise((resolve) => setTimeout(resolve, 0));
    await nextTask();
    expect(entered).toEqual([0, 1]);
    tickets[1]!.leave();
    tickets[1]!.leave();
    await nextTask();
    expect(entered).toEqual([0, 1, 2]);
    for (const ticket of tickets) ticket.leave();
    await nextTask();
    expect(entered).toEqual([0, 1, 2, 3, 4]);
  });

  it('counts a place from its ticket on, so that a burst of calls cannot exceed the limit', () => {
    const queue = new ExecutionQueue(2, 3);
    const tickets = Array.from({ length: 5 }, () => queue.ticket());
    expect(() => queue.ticket()).toThrow('There are too many calls waiting for their turn');
    expect(() => queue.requireCapacity()).toThrow(expect.objectContaining({ status: 503 }));
    tickets[0]!.leave();
    queue.requireCapacity();
    queue.ticket();
    expect(() => queue.requireCapacity()).toThrow();
  });

  it('frees the place of a cancelled execution', async () => {
    const queue = new ExecutionQueue(1, 1);
    const first = queue.ticket();
    await first.enter(never());
    const second = queue.ticket();
    const leaving = new AbortController();
    const waiting = second.enter(leaving.signal);
    leaving.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    second.leave();
    const third = queue.ticket();
    first.leave();
    await third.enter(never());
    third.leave();
    await queue.ticket().enter(never());
  });

  it('holds ten thousand waiting executions', async () => {
    const queue = new ExecutionQueue(10, 10_000);
    let most = 0;
    let inside = 0;
    const runs = Array.from({ length: 10_010 }, async () => {
      const ticket = queue.ticket();
      await ticket.enter(never());
      most = Math.max(most, ++inside);
      await Promise.resolve();
      inside--;
      ticket.leave();
    });
    expect(() => queue.ticket()).toThrow();
    await Promise.all(runs);
    expect(most).toBe(10);
    queue.requireCapacity();
  });
});
