import { Mutex } from '#core/base';
import type { Clock, Cluster, RecordChange, RecordCollection, Records } from '#core/host';
import type { Workflow } from '#core/workflow-format';
import type { EngineEvents } from './events.ts';

/** Stores workflows. The newest version of each is also in memory. */
export class WorkflowStore {
  readonly #records: RecordCollection<Workflow>;
  readonly #cache = new Map<string, Workflow>();
  /** Held while a workflow is written: static data changes in place, and no write may store an older part of it. */
  readonly #writes = new Mutex();

  constructor(
    private readonly records: Records,
    private readonly clock: Clock,
    private readonly events: EngineEvents,
    cluster?: Cluster,
  ) {
    this.#records = records.collection('workflows');
    cluster?.onChange('workflows', (id) => {
      if (id === undefined) this.#cache.clear();
      else this.#cache.delete(id);
    });
  }

  /** All callers receive the same object. It must not be changed: `put` takes a new one. */
  async get(id: string): Promise<Workflow | undefined> {
    const cached = this.#cache.get(id);
    if (cached) return cached;
    const workflow = await this.#records.get(id);
    if (workflow) this.#cache.set(id, workflow);
    return workflow;
  }

  /** Stores a workflow, and sets its `createdAt` and `updatedAt`. */
  async put(workflow: Workflow): Promise<Workflow> {
    const now = new Date(this.clock.now()).toISOString();
    const stored: Workflow = { ...workflow, createdAt: workflow.createdAt ?? now, updatedAt: now };
    await this.#writes.run(async () => {
      await this.#records.put(stored.id, stored);
      this.#cache.set(stored.id, stored);
    });
    this.events.send({ type: 'workflowChanged', workflowId: stored.id });
    return stored;
  }

  /** @returns whether there was such a workflow */
  async delete(id: string): Promise<boolean> {
    this.#cache.delete(id);
    const wasThere = await this.#records.delete(id);
    if (wasThere) this.events.send({ type: 'workflowChanged', workflowId: id });
    return wasThere;
  }

  async list(): Promise<Workflow[]> {
    return (await this.#records.list()).map(({ key, doc }) => this.#cache.get(key) ?? doc);
  }

  /** Stores the static data of a production execution. It is no change of the workflow: no event is sent. */
  saveStaticData(workflow: Workflow): Promise<void> {
    return this.#writes.run(async () => {
      const current = await this.get(workflow.id);
      if (!current) return;
      if (current !== workflow) current.staticData = workflow.staticData;
      await this.#records.put(current.id, current);
    });
  }

  /**
   * Replaces one entry of the static data.
   * @param write stores the change, perhaps together with others. If it fails, the entry stays as it was
   */
  changeStaticData(
    id: string,
    key: string,
    value: Record<string, unknown>,
    write: (change: RecordChange) => Promise<void> = (change) => this.records.write([change]),
  ): Promise<void> {
    return this.#writes.run(async () => {
      const current = await this.get(id);
      if (!current) return;
      const doc = { ...current, staticData: { ...current.staticData, [key]: value } };
      await write({ collection: 'workflows', key: id, doc });
      current.staticData[key] = value;
    });
  }
}
