/** Addresses under `/webhook-test/`: each listens for exactly one call. */
import type { Clock } from '#core/host';
import { ApiError } from '#core/http';
import type { Workflow } from '#core/workflow-format';
import type { ListenOptions, TestEvent, TestListening, WebhookAddress } from './publishing.ts';
import { type Registration, webhookRegistrations } from './registration.ts';
import { type RegistrationMatch, RegistrationTable } from './registration-table.ts';

/** Milliseconds. */
const LASTS = 120_000;

interface Listening {
  destination: string | undefined;
  stopTimer(): void;
}

export class TestListeners implements TestListening {
  readonly table = new RegistrationTable();
  readonly #open = new Map<string, Listening>();
  readonly #listeners = new Set<(event: TestEvent) => void>();

  constructor(
    private readonly clock: Clock,
    private readonly addresses: (workflow: Workflow) => WebhookAddress[],
  ) {}

  async listen(workflow: Workflow, { node, destination }: ListenOptions = {}): Promise<WebhookAddress[]> {
    const entries = webhookRegistrations(workflow).filter(
      (entry) => node === undefined || entry.node.name === node,
    );
    if (entries.length === 0) {
      throw new ApiError(
        400,
        node === undefined
          ? 'The workflow has no enabled Webhook node to listen with'
          : `The workflow has no enabled Webhook node called "${node}"`,
      );
    }
    this.#remove(workflow.id);
    for (const { taken } of this.table.clashes(workflow.id, entries)) this.stop(taken.workflow.id);
    const stopTimer = this.clock.after(LASTS, () => this.stop(workflow.id));
    this.#open.set(workflow.id, { destination, stopTimer });
    this.table.set(workflow.id, entries);
    const names = new Set(entries.map((entry) => entry.node.name));
    return this.addresses(workflow).filter((address) => names.has(address.node));
  }

  stop(workflowId: string): boolean {
    const was = this.#remove(workflowId);
    if (was) this.#tell({ type: 'ended', workflowId });
    return was;
  }

  subscribe(listener: (event: TestEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  find(method: string, path: string): RegistrationMatch | undefined {
    return this.table.find(method, path);
  }

  /**
   * Uses the listener up: of two calls at once one gets it, the other gets undefined. Ask it last, when nothing can
   * refuse the call any more.
   */
  take(entry: Registration): { destination: string | undefined } | undefined {
    const { id } = entry.workflow;
    const open = this.table.entries(id).includes(entry) ? this.#open.get(id) : undefined;
    if (open) this.#remove(id);
    return open && { destination: open.destination };
  }

  received(workflowId: string, executionId: string): void {
    this.#tell({ type: 'received', workflowId, executionId });
  }

  close(): void {
    for (const { stopTimer } of this.#open.values()) stopTimer();
  }

  #remove(workflowId: string): boolean {
    const open = this.#open.get(workflowId);
    if (!open) return false;
    open.stopTimer();
    this.table.delete(workflowId);
    return this.#open.delete(workflowId);
  }

  #tell(event: TestEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}
