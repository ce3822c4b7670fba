import type { Addresses, ExecutionDetail, ServerEvent } from '../api-types.ts';
import { ControlApiError, type WorkflowClient } from '../workflow-client.ts';
import { hasEmptyBody } from './empty-body.ts';

export type TestPhase = 'idle' | 'listening' | 'received' | 'ended';

/** The addresses of a workflow, and listening for one test call. */
export class TestCalls {
  addresses: Addresses | undefined;
  phase: TestPhase = 'idle';
  /** The run that the test call started. */
  runId: string | undefined;
  /** The last call came with an empty body, and why that may be. */
  emptyBody = false;

  constructor(
    private readonly client: WorkflowClient,
    private readonly id: string,
    private readonly changed: () => void,
  ) {}

  async loadAddresses(): Promise<void> {
    try {
      this.addresses = await this.client.addresses(this.id);
    } catch (error) {
      if (!(error instanceof ControlApiError)) throw error;
      this.addresses = undefined;
    }
    this.changed();
  }

  async listen(): Promise<void> {
    this.#set('listening');
    try {
      await this.client.listen(this.id);
    } catch (error) {
      this.#set('idle');
      throw error;
    }
  }

  async stop(): Promise<void> {
    this.#set('idle');
    await this.client.stopListening(this.id);
  }

  onEvent({ type, data }: ServerEvent): void {
    if (type === 'testWebhookReceived') {
      this.runId = data.executionId;
      this.#set('received');
    } else if (type === 'testWebhookDeleted' && this.phase === 'listening') this.#set('ended');
  }

  /** A run is over: what it was called with tells what may have gone wrong. */
  onRun(run: ExecutionDetail): void {
    this.emptyBody = hasEmptyBody(run);
    this.changed();
  }

  #set(phase: TestPhase): void {
    this.phase = phase;
    if (phase === 'listening') this.runId = undefined;
    this.changed();
  }
}
