import { Mutex } from '#core/base';
import type { Cluster, Log, RecordCollection, Records } from '#core/host';
import { ApiError } from '#core/http';
import { readWorkflow, type Workflow } from '#core/workflow-format';
import type { WorkflowStore } from '../engine/workflow-store.ts';
import type { Endpoints } from '../settings/endpoints.ts';
import { ConflictError } from './conflict-error.ts';
import { type FindOptions, findIssues, issuesError } from './publish-check.ts';
import { displayPath, webhookRegistrations } from './registration.ts';
import { RegistrationTable } from './registration-table.ts';
import type { ServiceHooks, StoredHooks } from './service-hooks.ts';
import type { AddressMode, WebhookAddress } from './webhook-address.ts';

/** The stored form of a published workflow. */
interface Publication {
  workflow: Workflow;
  /** Milliseconds since 1970. */
  publishedAt: number;
  /** The answers of services that received the addresses of triggers. */
  hooks?: StoredHooks;
}

/** @param workflow undefined: it is no longer published */
type Subscriber = (workflowId: string, workflow: Workflow | undefined) => void;

interface PublisherParts {
  records: Records;
  log: Log;
  now(): number;
  workflows: WorkflowStore;
  nodeType: FindOptions['nodeType'];
  hasCredential?: FindOptions['hasCredential'];
  hasClients?: FindOptions['hasClients'];
  hasCommands?: FindOptions['hasCommands'];
  hasPython?: FindOptions['hasPython'];
  publicAddress: string;
  endpoints: Endpoints;
  /** Sends the addresses of triggers to other servers. */
  hooks?: ServiceHooks;
  /** Notes what triggers that poll find at first. */
  polls?: { begin(workflow: Workflow): Promise<void> };
  /** Other processes that publish workflows. */
  cluster?: Cluster;
}

/** Publishes workflows: their webhooks answer, and their schedules start them. Publications survive a restart. */
export class Publisher {
  readonly table = new RegistrationTable();
  readonly #publications: RecordCollection<Publication>;
  /** The published versions by the id of the workflow. */
  readonly #live = new Map<string, Workflow>();
  readonly #subscribers = new Set<Subscriber>();
  /** Held from the check for conflicts until the change that it permits is stored. */
  readonly #changes = new Mutex();

  private constructor(private readonly parts: PublisherParts) {
    this.#publications = parts.records.collection('publications');
  }

  /** Publishes again what was published when the former server ended. */
  static async open(parts: PublisherParts): Promise<Publisher> {
    const publisher = new Publisher(parts);
    // Changes during the reading are read once more.
    parts.cluster?.onChange('publications', (id) => void publisher.#follow(id));
    await publisher.#readAll();
    return publisher;
  }

  async #readAll(): Promise<void> {
    const { workflows, log } = this.parts;
    const publications = await this.#publications.list();
    const stored = new Map((await workflows.list()).map((workflow) => [workflow.id, workflow]));
    for (const { key, doc } of publications.sort((a, b) => a.doc.publishedAt - b.doc.publishedAt)) {
      // Static data changes after the publication.
      const staticData = stored.get(key)?.staticData;
      try {
        if (staticData) this.#register({ ...readWorkflow(doc.workflow), staticData });
        else await this.#publications.delete(key);
      } catch (error) {
        log.error('webhooks: a published workflow could not be read', {
          workflow: key,
          error: String(error),
        });
      }
    }
    const ids = new Set(publications.map(({ key }) => key));
    for (const id of this.#live.keys()) if (!ids.has(id)) this.#unregister(id);
  }

  /** Reads what another process has published or withdrawn. @param id undefined: any of them may have changed */
  #follow(id: string | undefined): Promise<void> {
    return this.#changes
      .run(async () => {
        if (id === undefined) return this.#readAll();
        const publication = await this.#publications.get(id);
        const staticData = (await this.parts.workflows.get(id))?.staticData;
        if (publication && staticData) this.#register({ ...readWorkflow(publication.workflow), staticData });
        else this.#unregister(id);
      })
      .catch((error) =>
        this.parts.log.error('webhooks: a change of another process could not be read', {
          workflow: id,
          error: String(error),
        }),
      );
  }

  /**
   * Publishes the stored version of a workflow. Its webhooks answer when this resolves.
   * @throws ApiError 404 if there is no such workflow, 400 if it is incomplete; ConflictError (409) if another
   *   published workflow has one of its paths
   */
  publish(workflowId: string): Promise<Workflow> {
    return this.#changes.run(async () => {
      const { workflows, now } = this.parts;
      const stored = await workflows.get(workflowId);
      if (!stored) throw new ApiError(404, `The workflow with the ID "${workflowId}" does not exist`);
      await this.#requireComplete(stored);
      const conflicts = this.table.conflicts(workflowId, webhookRegistrations(stored));
      if (conflicts.length > 0) throw new ConflictError(conflicts);
      const workflow = stored.active ? stored : await workflows.put({ ...stored, active: true });
      await this.#removeHooks(workflowId);
      // Some services call the address while they receive it.
      this.table.set(workflowId, webhookRegistrations(workflow));
      const hooks = await this.#beginTriggers(workflow).catch(async (error) => {
        await this.#withdraw(workflowId);
        throw error;
      });
      await this.#publications.put(workflowId, { workflow, publishedAt: now(), ...(hooks && { hooks }) });
      this.#register(workflow);
      return workflow;
    });
  }

  async #beginTriggers(workflow: Workflow): Promise<StoredHooks | undefined> {
    await this.parts.polls?.begin(workflow);
    return this.parts.hooks?.register(workflow);
  }

  /**
   * Ends the publication of a workflow. Must also be called before a workflow is deleted.
   * @returns whether it was published
   */
  unpublish(workflowId: string): Promise<boolean> {
    return this.#changes.run(async () => {
      await this.#removeHooks(workflowId);
      return this.#withdraw(workflowId);
    });
  }

  async #withdraw(workflowId: string): Promise<boolean> {
    const wasPublished = await this.#publications.delete(workflowId);
    this.table.delete(workflowId);
    this.#live.delete(workflowId);
    const stored = await this.parts.workflows.get(workflowId);
    if (stored?.active) await this.parts.workflows.put({ ...stored, active: false });
    if (wasPublished) this.#notify(workflowId, undefined);
    return wasPublished;
  }

  #unregister(workflowId: string): void {
    this.table.delete(workflowId);
    if (this.#live.delete(workflowId)) this.#notify(workflowId, undefined);
  }

  /** Gives services the addresses of triggers again that they have lost. Called when the server has started. */
  async renewHooks(): Promise<void> {
    for (const { key } of await this.#publications.list()) {
      await this.#changes.run(async () => {
        const publication = await this.#publications.get(key);
        if (!publication?.hooks) return;
        const hooks = await this.parts.hooks?.renew(publication.workflow, publication.hooks);
        if (hooks) await this.#publications.put(key, { ...publication, hooks });
      });
    }
  }

  async #removeHooks(workflowId: string): Promise<void> {
    const former = await this.#publications.get(workflowId);
    if (former?.hooks) await this.parts.hooks?.remove(former.workflow, former.hooks);
  }

  /** The published version, which may be older than the stored one. */
  live(workflowId: string): Workflow | undefined {
    return this.#live.get(workflowId);
  }

  /** All published versions. */
  list(): Workflow[] {
    return [...this.#live.values()];
  }

  /**
   * Reports each change, and at once everything that is published now.
   * @returns a function that ends the subscription
   */
  subscribe(subscriber: Subscriber): () => void {
    this.#subscribers.add(subscriber);
    for (const [id, workflow] of this.#live) subscriber(id, workflow);
    return () => this.#subscribers.delete(subscriber);
  }

  /** The addresses of a workflow's Webhook nodes, whether it is published or not. */
  addresses(workflow: Workflow, mode: AddressMode): WebhookAddress[] {
    const { endpoints, publicAddress } = this.parts;
    const webhookPrefix = mode === 'test' ? endpoints.test : endpoints.webhook;
    const formPrefix = mode === 'test' ? 'form-test' : 'form';
    return webhookRegistrations(workflow).map((registration) => {
      const prefix = registration.kind === 'form' ? formPrefix : webhookPrefix;
      const path = `/${prefix}/${displayPath(registration)}`;
      return {
        node: registration.node.name,
        methods: registration.methods,
        url: publicAddress + path,
        path,
      };
    });
  }

  async #requireComplete(workflow: Workflow): Promise<void> {
    const { nodeType } = this.parts;
    const issues = await findIssues(workflow, this.parts);
    if (issues.length > 0) throw issuesError(issues);
    if (!workflow.nodes.some(({ type, disabled }) => !disabled && nodeType(type)?.group === 'trigger')) {
      throw new ApiError(400, 'Cannot publish workflow: it has no trigger node that could start it');
    }
  }

  #register(workflow: Workflow): void {
    this.#live.set(workflow.id, workflow);
    this.table.set(workflow.id, webhookRegistrations(workflow));
    this.#notify(workflow.id, workflow);
  }

  #notify(workflowId: string, workflow: Workflow | undefined): void {
    for (const subscriber of this.#subscribers) subscriber(workflowId, workflow);
  }
}
