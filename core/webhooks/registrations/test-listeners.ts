/** Registrations under `/webhook-test/`: each listens for exactly one call. */
import type { Clock } from '#core/host';
import { ApiError } from '#core/http';
import type { Workflow } from '#core/workflow-format';
import { type Registration, webhookRegistrations } from './registration.ts';
import { RegistrationTable } from './registration-table.ts';
import type { WebhookAddress } from './webhook-address.ts';

export interface TestListenOptions {
  /** Listens at this node only. */
  node?: string;
  /** The node after which the execution stops. */
  destination?: string;
}

export type TestEvent =
  /** A call started an execution. */
  | { type: 'received'; workflowId: string; executionId: string }
  /** No call came in time, or the listener was stopped. */
  | { type: 'ended'; workflowId: string };

/** Milliseconds that a listener waits for its call. */
const TIMEOUT = 120_000;

interface Listener {
  destination: string | undefined;
  stopTimer(): void;
}

/** A test call's hold on the listener that it has used up. */
export interface TestClaim {
  /** The node after which the execution stops. Undefined: it runs to its end. */
  destination: string | undefined;
  /** Notifies subscribers of the execution that the call started. */
  started(executionId: string): void;
}

export class TestListeners {
  readonly table = new RegistrationTable();
  /** The listeners by workflow id. */
  readonly #listeners = new Map<string, Listener>();
  readonly #subscribers = new Set<(event: TestEvent) => void>();

  constructor(
    private readonly clock: Clock,
    private readonly addresses: (workflow: Workflow) => WebhookAddress[],
  ) {}

  /**
   * Listens for one call, for two minutes. It replaces an earlier listener of the workflow.
   * @throws ApiError 400 if there is nothing to listen with
   */
  async listen(workflow: Workflow, { node, destination }: TestListenOptions = {}): Promise<WebhookAddress[]> {
    const registrations = webhookRegistrations(workflow).filter(
      (registration) => node === undefined || registration.node.name === node,
    );
    if (registrations.length === 0) {
      throw new ApiError(
        400,
        node === undefined
          ? 'The workflow has no enabled Webhook node to listen with'
          : `The workflow has no enabled Webhook node called "${node}"`,
      );
    }
    this.#remove(workflow.id);
    for (const { existing } of this.table.conflicts(workflow.id, registrations))
      this.stop(existing.workflow.id);
    const stopTimer = this.clock.after(TIMEOUT, () => this.stop(workflow.id));
    this.#listeners.set(workflow.id, { destination, stopTimer });
    this.table.set(workflow.id, registrations);
    const names = new Set(registrations.map((registration) => registration.node.name));
    return this.addresses(workflow).filter((address) => names.has(address.node));
  }

  /** @returns whether something listened */
  stop(workflowId: string): boolean {
    const wasListening = this.#remove(workflowId);
    if (wasListening) this.#send({ type: 'ended', workflowId });
    return wasListening;
  }

  /** @returns a function that ends the subscription */
  subscribe(subscriber: (event: TestEvent) => void): () => void {
    this.#subscribers.add(subscriber);
    return () => this.#subscribers.delete(subscriber);
  }

  /**
   * Uses the listener up: of two simultaneous calls the second gets undefined. Claim it when nothing can reject the
   * call any more.
   */
  claim(registration: Registration): TestClaim | undefined {
    const { id } = registration.workflow;
    if (!this.table.registrations(id).includes(registration)) return undefined;
    const listener = this.#listeners.get(id);
    if (!listener) return undefined;
    this.#remove(id);
    return {
      destination: listener.destination,
      started: (executionId) => this.#send({ type: 'received', workflowId: id, executionId }),
    };
  }

  close(): void {
    for (const { stopTimer } of this.#listeners.values()) stopTimer();
  }

  #remove(workflowId: string): boolean {
    const listener = this.#listeners.get(workflowId);
    if (!listener) return false;
    listener.stopTimer();
    this.table.delete(workflowId);
    return this.#listeners.delete(workflowId);
  }

  #send(event: TestEvent): void {
    for (const subscriber of this.#subscribers) subscriber(event);
  }
}
