/** Compares executions with a small model, on random sequences of commands. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type RecordChange, type RecordCollection, type Records, recordsSchema } from '#core/host';
import { createEngine } from '#core/webhooks/engine/create-engine.ts';
import type { Engine } from '#core/webhooks/engine/engine.ts';
import type { NodeType } from '#core/webhooks/node-api/node-type.ts';
import { nodeType } from '#core/webhooks/nodes/index.ts';
import { MemoryRecords } from '#test/support/host/memory-records.ts';
import { createTestHost } from '#test/support/host/test-host.ts';
import { START_NODE, startCall, waitNode } from '#test/support/webhooks/execution-engine.ts';
import { workflowOf } from '#test/support/webhooks/workflow-builder.ts';

/** Another seed tries other sequences. */
const SEED = 1;

type Status = 'running' | 'waiting' | 'success' | 'error' | 'canceled' | 'crashed';
type Kind = 'hold' | 'wait' | 'fail';

interface Model {
  /** By id, in the order of their start. */
  executions: Map<string, { kind: Kind; status: Status }>;
}

/** Records of a server that may be killed: then its writes have no effect, and never end. */
class MortalRecords implements Records {
  isDead = false;
  constructor(private readonly records: Records) {}

  collection<T extends object>(name: string): RecordCollection<T> {
    const { get, put, delete: remove, list } = this.records.collection<T>(name);
    const target = this.records.collection<T>(name);
    return {
      get: (key) => this.#alive(() => get.call(target, key)),
      put: (key, doc) => this.#alive(() => put.call(target, key, doc)),
      delete: (key) => this.#alive(() => remove.call(target, key)),
      list: (query) => this.#alive(() => list.call(target, query)),
    };
  }

  write(changes: RecordChange[]): Promise<void> {
    return this.#alive(() => this.records.write(changes));
  }

  #alive<T>(work: () => Promise<T>): Promise<T> {
    return this.isDead ? new Promise(() => {}) : work();
  }
}

class Fixture {
  engine!: Engine;
  readonly records = new MemoryRecords(recordsSchema);
  /** How often the node of an execution began. */
  readonly begun = new Map<string, number>();
  readonly #releases = new Map<string, () => void>();
  #mortal!: MortalRecords;

  /** Opens a server over the records, as a start of the program does. */
  async open(): Promise<void> {
    this.#mortal = new MortalRecords(this.records);
    const types = [waitNode, this.#type('test.hold'), this.#type('test.fail')];
    this.engine = await createEngine(
      { ...createTestHost({ clock: 'real' }), records: this.#mortal },
      {
        credentials: { data: async () => undefined },
        localApis: { fetch: async () => new Response() },
        nodeType: (name) => types.find((type) => type.name === name) ?? nodeType(name),
      },
    );
  }

  kill(): void {
    this.#mortal.isDead = true;
  }

  async start(kind: Kind): Promise<string> {
    const workflow = workflowOf({ ...START_NODE, Node: { type: `test.${kind}` } }, ['Start -> Node']);
    return (await this.engine.executions.start(startCall(workflow, { durable: true }))).id;
  }

  release(id: string): void {
    this.#releases.get(id)!();
  }

  #type(name: string): NodeType {
    return {
      ...waitNode,
      name,
      execute: async (context) => {
        const { id } = context.execution;
        this.begun.set(id, (this.begun.get(id) ?? 0) + 1);
        if (name === 'test.fail') throw new Error('failed');
        await new Promise<void>((resolve, reject) => {
          this.#releases.set(id, resolve);
          context.signal.addEventListener('abort', () => reject(context.signal.reason));
        });
        return [context.items()];
      },
    };
  }
}

type Command = fc.AsyncCommand<Model, Fixture>;
const command = (name: string, run: (model: Model, fixture: Fixture) => Promise<unknown>): Command => ({
  check: () => true,
  toString: () => name,
  async run(model, fixture) {
    await run(model, fixture);
    await expectEqual(model, fixture);
  },
});

const start = (kind: Kind) =>
  command(`start ${kind}`, async (model, fixture) => {
    const status = ({ hold: 'running', wait: 'waiting', fail: 'error' } as const)[kind];
    model.executions.set(await fixture.start(kind), { kind, status });
  });

/** A command on one of the executions with a status; it does nothing where there is none. */
const onOne = (
  name: string,
  place: number,
  statuses: Status[],
  run: (model: Model, fixture: Fixture, id: string) => Promise<unknown>,
) =>
  command(`${name} ${place}`, async (model, fixture) => {
    const ids = [...model.executions].filter(([, { status }]) => statuses.includes(status)).map(([id]) => id);
    const id = ids[place % Math.max(1, ids.length)];
    if (id !== undefined) await run(model, fixture, id);
  });

const setStatus = (model: Model, id: string, status: Status) => {
  model.executions.get(id)!.status = status;
};
const finish = (place: number) =>
  onOne('finish', place, ['running'], async (model, fixture, id) => {
    fixture.release(id);
    setStatus(model, id, 'success');
  });
const resume = (place: number) =>
  onOne('resume', place, ['waiting'], async (model, { engine }, id) => {
    const both = await Promise.allSettled([engine.executions.resume(id), engine.executions.resume(id)]);
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    setStatus(model, id, 'success');
  });
const cancel = (place: number) =>
  onOne('cancel', place, ['running', 'waiting', 'success', 'error'], async (model, { engine }, id) => {
    const { status } = model.executions.get(id)!;
    const isOpen = status === 'running' || status === 'waiting';
    expect(await engine.executions.cancel(id)).toBe(isOpen);
    if (isOpen) setStatus(model, id, 'canceled');
  });
const remove = (place: number) =>
  onOne(
    'delete',
    place,
    ['waiting', 'success', 'error', 'canceled', 'crashed'],
    async (model, { engine }, id) => {
      expect(await engine.executions.delete(id)).toBe(true);
      model.executions.delete(id);
    },
  );
const retry = (place: number) =>
  onOne('retry', place, ['error'], async (model, { engine }, id) => {
    const handle = await engine.executions.retry(id);
    expect(Number(handle.id)).toBeGreaterThan(Number(id));
    model.executions.set(handle.id, { kind: 'fail', status: 'error' });
  });

const endRunning = (model: Model, status: Status) => {
  for (const execution of model.executions.values())
    if (execution.status === 'running') execution.status = status;
};
const restart = command('restart', async (model, fixture) => {
  await fixture.engine.close();
  endRunning(model, 'canceled');
  await fixture.open();
});
/** The server ends without closing. What ran is not repeated, and never runs for ever. */
const kill = command('kill', async (model, fixture) => {
  fixture.kill();
  endRunning(model, 'crashed');
  await fixture.open();
});

async function expectEqual(model: Model, { engine, begun }: Fixture): Promise<void> {
  const expected = [...model.executions].map(([id, { status }]) => `${id} ${status}`).reverse();
  // Records are written soon after the node has ended.
  for (let turn = 0; ; turn++) {
    const stored = (await engine.executions.list()).map(({ id, status }) => `${id} ${status}`);
    if (turn === 200 || stored.join() === expected.join()) {
      expect(stored).toEqual(expected);
      break;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  for (const count of begun.values()) expect(count).toBe(1);
  for (const [id, { status }] of model.executions) {
    const detail = (await engine.executions.get(id))?.detail;
    if (status !== 'running' && status !== 'crashed')
      expect(detail?.data.resultData.runData).toHaveProperty('Start');
  }
}

it('executions behave as their model', async () => {
  const place = fc.nat(5);
  const commands = fc.commands(
    [
      ...(['hold', 'wait', 'fail'] as const).map((kind) => fc.constant(start(kind))),
      place.map(finish),
      place.map(resume),
      place.map(cancel),
      place.map(remove),
      place.map(retry),
      fc.constant(restart),
      fc.constant(kill),
    ],
    { maxCommands: 25 },
  );
  await fc.assert(
    fc.asyncProperty(commands, async (sequence) => {
      const fixture = new Fixture();
      await fixture.open();
      try {
        await fc.asyncModelRun(
          () => ({ model: { executions: new Map() } as Model, real: fixture }),
          sequence,
        );
      } finally {
        await fixture.engine.close();
      }
    }),
    { numRuns: 40, seed: SEED },
  );
});
