import { expect, it } from 'vitest';
import { PassedGates } from './pass-gates.ts';
import type { PortGate } from './port-gate.ts';

const request = () => new Request('http://localhost/');
const context = {} as never;

it('passes at once unless a gate waits, and stops at the first refusal', async () => {
  const log: string[] = [];
  const gate = (name: string): PortGate => {
    return () => {
      log.push(name);
      return (status) => log.push(`${name} ${status}`);
    };
  };
  const late: PortGate = async (...call) => gate('late')(...call);
  const refusal = new Response('', { status: 429 });
  const first = request();
  const quick = new PassedGates([gate('a')]);
  expect(quick.enter(first, context)).toBeUndefined();
  quick.leave(first, 200);
  const slow = new PassedGates([gate('b'), late, () => refusal, gate('never')]);
  expect(await slow.enter(first, context)).toBe(refusal);
  slow.leave(first, 429);
  slow.leave(first, 429);
  expect(log).toEqual(['a', 'a 200', 'b', 'late', 'b 429', 'late 429']);
});

it('lets a request leave whose client disconnected while a gate waited', async () => {
  let open = (_leave: (status: number) => void) => {};
  const statuses: number[] = [];
  const waiting = new Promise<(status: number) => void>((resolve) => {
    open = resolve;
  });
  const gates = new PassedGates([() => waiting]);
  const left = request();
  const entered = gates.enter(left, context);
  gates.leave(left, 499);
  open((status) => statuses.push(status));
  expect(await entered).toBeUndefined();
  expect(statuses).toEqual([499]);
});
