/** Publishing workflows and listening for test calls: what the control API, the editor and the CLI build on. */
import type { Workflow } from '#core/workflow-format';

export interface Publishing {
  /**
   * Makes the stored version of a workflow the live one; its addresses answer when this resolves. Throws `ApiError`
   * 404 (no such workflow), 400 (something is missing in it), and `ConflictError` (409) when another live workflow
   * has one of its addresses.
   */
  publish(workflowId: string): Promise<Workflow>;
  /** False when it was not live. Also to be called before a workflow is deleted. */
  unpublish(workflowId: string): Promise<boolean>;
  /** The version that answers, or undefined: it may be older than the stored one. */
  live(workflowId: string): Workflow | undefined;
  /** Every version that answers. */
  list(): Workflow[];
  /** Hears of every change of what is live (`undefined` = no longer), and of all that is live when it subscribes. */
  subscribe(listener: (workflowId: string, workflow: Workflow | undefined) => void): () => void;
  /** What a workflow's Webhook nodes answer to, published or not. */
  addresses(workflow: Workflow, mode: AddressMode): WebhookAddress[];
}

export type AddressMode = 'production' | 'test';

export interface WebhookAddress {
  /** Name of the node. */
  node: string;
  methods: string[];
  /** With the public address: `http://localhost:5678/webhook/orders/:id`. */
  url: string;
  /** From the first slash on: `/webhook/orders/:id`. */
  path: string;
}

export interface TestListening {
  /**
   * Listens for one test call to one of the workflow's Webhook nodes (all of them, or `node`), for two minutes.
   * Throws `ApiError` 404, and 400 when there is nothing to listen with. A second call replaces the first.
   */
  listen(workflow: Workflow, options?: ListenOptions): Promise<WebhookAddress[]>;
  /** False when nothing listened. No request gets through once this returns. */
  stop(workflowId: string): boolean;
  /** `received`: with the run that a call started; `ended`: nobody called in time, or it was stopped. */
  subscribe(listener: (event: TestEvent) => void): () => void;
}

export interface ListenOptions {
  node?: string;
  /** Only this node and what leads to it. */
  destination?: string;
}

export type TestEvent =
  | { type: 'received'; workflowId: string; executionId: string }
  | { type: 'ended'; workflowId: string };
