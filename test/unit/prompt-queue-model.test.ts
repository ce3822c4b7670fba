/** Compares the queue of image prompts with a small model, on random sequences of commands. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { recordsSchema } from '#core/host';
import { SqliteRecords } from '#shim/storage/sqlite-records.ts';
import { hold, QueueFixture } from '#test/support/image-workflows/queue-fixture.ts';

/** Another seed tries other sequences. */
const SEED = 1;

/** The first prompt runs, the others wait. */
interface Model {
  prompts: { id: string; kills: number }[];
  history: Map<string, 'success' | 'error'>;
  submitted: number;
}

type QueueCommand = fc.AsyncCommand<Model, QueueFixture>;

const command = (
  name: string,
  apply: (model: Model, queue: QueueFixture) => Promise<unknown>,
  isPossible: (model: Readonly<Model>) => boolean = () => true,
): QueueCommand => ({
  check: isPossible,
  toString: () => name,
  async run(model, queue) {
    await apply(model, queue);
    await queue.letRun();
    await expectEqual(model, queue);
  },
});

const isRunning = ({ prompts }: Readonly<Model>) => prompts.length > 0;

const submit = command('submit', async (model, fixture) => {
  // Ids sort like numbers, because prompts of equal number run in the order of their ids.
  const id = `p${String(model.submitted++).padStart(4, '0')}`;
  model.prompts.push({ id, kills: 0 });
  await fixture.add(id, hold);
});

const finish = command(
  'finish',
  async (model, fixture) => {
    const { id } = model.prompts.shift()!;
    model.history.set(id, 'success');
    await fixture.release(id);
  },
  isRunning,
);

const interrupt = command('interrupt', async (model, fixture) => {
  const running = model.prompts.shift();
  if (running) model.history.set(running.id, 'error');
  expect(fixture.queue.interrupt()).toBe(running !== undefined);
});

/** Deletes a waiting prompt; the running one stays. */
const remove = (place: number) =>
  command(`delete ${place}`, async (model, fixture) => {
    const chosen = model.prompts[place];
    if (chosen && place > 0) model.prompts.splice(place, 1);
    expect(await fixture.queue.remove(({ id }) => id === chosen?.id)).toBe(chosen && place > 0 ? 1 : 0);
  });

const clear = command('clear', async (model, fixture) => {
  const removed = model.prompts.splice(1);
  expect(await fixture.queue.remove(() => true)).toBe(removed.length);
});

const restart = command('restart', async (_model, fixture) => {
  await fixture.queue.close();
  await fixture.open();
});

/** The server ends without closing. A prompt during which two servers ended is not tried again. */
const kill = command('kill', async (model, fixture) => {
  const running = model.prompts[0];
  if (running && ++running.kills === 2) {
    model.prompts.shift();
    model.history.set(running.id, 'error');
  }
  await fixture.open();
});

async function expectEqual(model: Model, fixture: QueueFixture): Promise<void> {
  const { queue } = fixture;
  const ids = model.prompts.map(({ id }) => id);
  expect([...queue.running, ...queue.pending].map(({ id }) => id)).toEqual(ids);
  expect(queue.running.length).toBe(Math.min(1, ids.length));
  expect((await fixture.stored()).map(([id]) => id)).toEqual(ids);
  for (const [id, status] of model.history) expect(fixture.statusOf(id).status_str).toBe(status);
}

it.each(['memory', 'SQLite'])('the queue behaves as its model, over records in %s', async (kind) => {
  const commands = fc.commands(
    [submit, submit, submit, finish, interrupt, clear, restart, kill]
      .map((each) => fc.constant(each))
      .concat(fc.nat(4).map(remove)),
    { maxCommands: 25 },
  );
  await fc.assert(
    fc.asyncProperty(commands, async (sequence) => {
      const folder = mkdtempSync(join(tmpdir(), 'tabd-model-'));
      const sqlite =
        kind === 'SQLite' ? new SqliteRecords(join(folder, 'r.sqlite'), recordsSchema) : undefined;
      const fixture = new QueueFixture(sqlite);
      try {
        await fixture.open();
        const model: Model = { prompts: [], history: new Map(), submitted: 0 };
        await fc.asyncModelRun(() => ({ model, real: fixture }), sequence);
      } finally {
        await fixture.queue.close();
        sqlite?.close();
        rmSync(folder, { recursive: true, force: true });
      }
    }),
    { numRuns: kind === 'memory' ? 20 : 6, seed: SEED },
  );
});
