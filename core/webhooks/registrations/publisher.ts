/** Which workflows are live, and in which version: kept in records, and there again after a restart. */
import type { Log, RecordCollection, Records } from '#core/host';
import { ApiError } from '#core/http';
import { readWorkflow, type Workflow } from '#core/workflow-format';
import type { WorkflowStore } from '../engine/workflow-store.ts';
import type { NodeType } from '../node-api/node-type.ts';
import type { Endpoints } from '../settings/endpoints.ts';
import { ConflictError } from './conflict-error.ts';
import { findIssues, issuesError } from './publish-check.ts';
import type { AddressMode, Publishing, WebhookAddress } from './publishing.ts';
import { displayPath, webhookRegistrations } from './registration.ts';
import { RegistrationTable } from './registration-table.ts';

interface Publication {
  workflow: Workflow;
  /** Milliseconds since 1970. */
  publishedAt: number;
}

type Listener = (workflowId: string, workflow: Workflow | undefined) => void;

export interface PublisherParts {
  records: Records;
  log: Log;
  now(): number;
  workflows: WorkflowStore;
  nodeType(name: string): NodeType | undefined;
  publicAddress: string;
  endpoints: Endpoints;
}

export class Publisher implements Publishing {
  readonly table = new RegistrationTable();
  readonly #docs: RecordCollection<Publication>;
  readonly #live = new Map<string, Workflow>();
  readonly #listeners = new Set<Listener>();
  /** One change at a time: a check for conflicts and the change it allows belong together. */
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(private readonly parts: PublisherParts) {
    this.#docs = parts.records.collection('publications');
  }

  /** With all that was live before. */
  static async open(parts: PublisherParts): Promise<Publisher> {
    const publisher = new Publisher(parts);
    const known = (await publisher.#docs.list()).sort((a, b) => a.doc.publishedAt - b.doc.publishedAt);
    const stored = new Map((await parts.workflows.list()).map((workflow) => [workflow.id, workflow]));
    for (const { key, doc } of known) {
      // What production runs keep is newer than the version that was published.
      const staticData = stored.get(key)?.staticData;
      try {
        if (staticData) publisher.#enter({ ...readWorkflow(doc.workflow), staticData });
        else await publisher.#docs.delete(key);
      } catch (error) {
        parts.log.error('webhooks: a published workflow could not be read', {
          workflow: key,
          error: String(error),
        });
      }
    }
    return publisher;
  }

  publish(workflowId: string): Promise<Workflow> {
    return this.#inTurn(async () => {
      const { workflows, nodeType, now } = this.parts;
      const stored = await workflows.get(workflowId);
      if (!stored) throw new ApiError(404, `The workflow with the ID "${workflowId}" does not exist`);
      const issues = findIssues(stored, nodeType);
      if (issues.length > 0) throw issuesError(issues);
      if (!stored.nodes.some(({ type, disabled }) => !disabled && nodeType(type)?.group === 'trigger')) {
        throw new ApiError(400, 'Cannot publish workflow: it has no trigger node that could start it');
      }
      const clashes = this.table.conflicts(workflowId, webhookRegistrations(stored));
      if (clashes.length > 0) throw new ConflictError(clashes);
      const workflow = stored.active ? stored : await workflows.put({ ...stored, active: true });
      await this.#docs.put(workflowId, { workflow, publishedAt: now() });
      this.#enter(workflow);
      return workflow;
    });
  }

  unpublish(workflowId: string): Promise<boolean> {
    return this.#inTurn(async () => {
      const was = await this.#docs.delete(workflowId);
      this.table.delete(workflowId);
      this.#live.delete(workflowId);
      const stored = await this.parts.workflows.get(workflowId);
      if (stored?.active) await this.parts.workflows.put({ ...stored, active: false });
      if (was) this.#tell(workflowId, undefined);
      return was;
    });
  }

  live(workflowId: string): Workflow | undefined {
    return this.#live.get(workflowId);
  }

  list(): Workflow[] {
    return [...this.#live.values()];
  }

  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    for (const [id, workflow] of this.#live) listener(id, workflow);
    return () => this.#listeners.delete(listener);
  }

  addresses(workflow: Workflow, mode: AddressMode): WebhookAddress[] {
    return webhookRegistrations(workflow).map((entry) => {
      const { webhook, test } = this.parts.endpoints;
      const path = `/${mode === 'test' ? test : webhook}/${displayPath(entry)}`;
      return {
        node: entry.node.name,
        methods: entry.methods,
        url: this.parts.publicAddress + path,
        path,
      };
    });
  }

  #enter(workflow: Workflow): void {
    this.#live.set(workflow.id, workflow);
    this.table.set(workflow.id, webhookRegistrations(workflow));
    this.#tell(workflow.id, workflow);
  }

  #tell(workflowId: string, workflow: Workflow | undefined): void {
    for (const listener of this.#listeners) listener(workflowId, workflow);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }
}
