/** Workflows on record, with the newest of each in memory. */
import type { Clock, RecordCollection, Records } from '#core/host';
import type { Workflow } from '#core/workflow-format';
import type { EngineEvents } from './events.ts';

export class WorkflowStore {
  readonly #docs: RecordCollection<Workflow>;
  readonly #known = new Map<string, Workflow>();

  constructor(
    records: Records,
    private readonly clock: Clock,
    private readonly events: EngineEvents,
  ) {
    this.#docs = records.collection('workflows');
  }

  /** The same object for every caller: a change is a new object, given to `put`. */
  async get(id: string): Promise<Workflow | undefined> {
    const known = this.#known.get(id);
    if (known) return known;
    const found = await this.#docs.get(id);
    if (found) this.#known.set(id, found);
    return found;
  }

  /** Sets the times. */
  async put(workflow: Workflow): Promise<Workflow> {
    const now = new Date(this.clock.now()).toISOString();
    const kept: Workflow = { ...workflow, createdAt: workflow.createdAt ?? now, updatedAt: now };
    await this.#docs.put(kept.id, kept);
    this.#known.set(kept.id, kept);
    this.events.send({ type: 'workflowChanged', workflowId: kept.id });
    return kept;
  }

  async delete(id: string): Promise<boolean> {
    this.#known.delete(id);
    const was = await this.#docs.delete(id);
    if (was) this.events.send({ type: 'workflowChanged', workflowId: id });
    return was;
  }

  async list(): Promise<Workflow[]> {
    return (await this.#docs.list()).map(({ key, doc }) => this.#known.get(key) ?? doc);
  }

  /** Only the data that production runs keep; nothing else changes, and nobody is told. */
  async saveStaticData(workflow: Workflow): Promise<void> {
    const current = await this.get(workflow.id);
    if (!current) return;
    if (current !== workflow) current.staticData = workflow.staticData;
    await this.#docs.put(current.id, current);
  }
}
