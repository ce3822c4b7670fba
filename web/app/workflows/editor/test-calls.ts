import type { Addresses, ExecutionWithData, ServerEvent } from '../api-types.ts';
import { ControlApiError, type WorkflowClient } from '../workflow-client.ts';
import { hasEmptyBody } from './empty-body.ts';

export type TestPhase = 'idle' | 'listening' | 'received' | 'ended';

/** The addresses of a workflow, and the state of listening for a test call. */
export class TestCalls {
  addresses: Addresses | undefined;
  phase: TestPhase = 'idle';
  /** The id of the run that the test call started. */
  runId: string | undefined;
  /** Whether the last call had an empty body, probably by mistake. */
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

  /** Checks a finished run for an empty body. */
  onRun(run: ExecutionWithData): void {
    this.emptyBody = hasEmptyBody(run);
    this.changed();
  }

  #set(phase: TestPhase): void {
    this.phase = phase;
    if (phase === 'listening') this.runId = undefined;
    this.changed();
  }
}
