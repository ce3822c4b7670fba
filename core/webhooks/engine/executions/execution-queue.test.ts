import { describe, expect, it } from 'vitest';
import { ExecutionQueue } from './execution-queue.ts';

const never = () => new AbortController().signal;

describe('the gate', () => {
  it('lets as many in as it has room for, the others in the order they came', async () => {
    const gate = new ExecutionQueue(2, 10);
    const tickets = Array.from({ length: 5 }, () => gate.ticket());
    const entered: number[] = [];
    for (const [index, ticket] of tickets.entries()) {
      void ticket.enter(never()).then(() => entered.push(index));
    }
    await Promise.resolve();
    const soon = () => new Promise((resolve) => setTimeout(resolve, 0));
    await soon();
    expect(entered).toEqual([0, 1]);
    tickets[1]!.leave();
    tickets[1]!.leave();
    await soon();
    expect(entered).toEqual([0, 1, 2]);
    for (const ticket of tickets) ticket.leave();
    await soon();
    expect(entered).toEqual([0, 1, 2, 3, 4]);
  });

  it('counts a place from the ticket on, so that no crowd slips through before anyone has entered', () => {
    const gate = new ExecutionQueue(2, 3);
    const tickets = Array.from({ length: 5 }, () => gate.ticket());
    expect(() => gate.ticket()).toThrow('There are too many calls waiting for their turn');
    expect(() => gate.requireCapacity()).toThrow(expect.objectContaining({ status: 503 }));
    tickets[0]!.leave();
    gate.requireCapacity();
    gate.ticket();
    expect(() => gate.requireCapacity()).toThrow();
  });

  it('gives back the place of who leaves the line', async () => {
    const gate = new ExecutionQueue(1, 1);
    const first = gate.ticket();
    await first.enter(never());
    const second = gate.ticket();
    const leaving = new AbortController();
    const waiting = second.enter(leaving.signal);
    leaving.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    second.leave();
    const third = gate.ticket();
    first.leave();
    await third.enter(never());
    third.leave();
    await gate.ticket().enter(never());
  });

  it('holds ten thousand in line', async () => {
    const gate = new ExecutionQueue(10, 10_000);
    let most = 0;
    let inside = 0;
    const runs = Array.from({ length: 10_010 }, async () => {
      const ticket = gate.ticket();
      await ticket.enter(never());
      most = Math.max(most, ++inside);
      await Promise.resolve();
      inside--;
      ticket.leave();
    });
    expect(() => gate.ticket()).toThrow();
    await Promise.all(runs);
    expect(most).toBe(10);
    gate.requireCapacity();
  });
});
