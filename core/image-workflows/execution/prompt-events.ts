import type { Clock } from '#core/host';
import type { PromptNodeId } from '../graph/graph.ts';
import type { Preview } from '../nodes/kernel/node-context.ts';
import type { PromptListener } from '../sockets/prompt-listener.ts';
import { ProgressState } from './progress-state.ts';

/** An event that history stores with its prompt. */
export type EventRecord = [type: string, data: Record<string, unknown>];

/** Sends the events of one running prompt to its client. Where noted, a prompt without a client reaches all clients. */
export class PromptEvents {
  /** The events for the prompt's history entry. */
  readonly records: EventRecord[] = [];
  readonly #progress: ProgressState;

  constructor(
    private readonly promptId: string,
    private readonly clientId: string | undefined,
    private readonly sockets: PromptListener,
    private readonly clock: Clock,
  ) {
    this.#progress = new ProgressState(promptId, () => clock.now());
  }

  /**
   * Sends and records `execution_start`, `execution_cached` and the end. The interrupt of a prompt without a client
   * reaches all clients.
   */
  promptEvent(type: string, data: Record<string, unknown>): void {
    const message = { ...data, timestamp: Math.floor(this.clock.now()) };
    this.records.push([type, message]);
    if (type === 'execution_interrupted') this.sockets.sendOrBroadcast(this.clientId, type, message);
    else this.sockets.send(this.clientId, type, message);
  }

  nodeStarted(node: PromptNodeId): void {
    this.#progress.set(node, { value: 0, max: 1, state: 'running' });
    this.#sendProgressState();
    this.sockets.setCurrentNode(this.clientId, node);
    this.sockets.send(this.clientId, 'executing', { node, display_node: node, prompt_id: this.promptId });
  }

  /** @param ui what the node shows; undefined for an output node that shows nothing */
  nodeExecuted(node: PromptNodeId, ui: unknown): void {
    this.sockets.send(this.clientId, 'executed', {
      node,
      display_node: node,
      output: ui ?? null,
      prompt_id: this.promptId,
    });
  }

  nodeFinished(node: PromptNodeId): void {
    this.#progress.finish(node);
    this.#sendProgressState();
  }

  /** Reaches all clients when the prompt has none. */
  nodeProgress(node: PromptNodeId, value: number, max: number, preview: Preview | undefined): void {
    this.#progress.set(node, { value, max, state: 'running' });
    this.#sendProgressState();
    // ComfyUI sends the preview with metadata before `progress`, and the plain one after it.
    if (preview) this.sockets.sendPreview(this.clientId, preview, this.#nodeMetadata(node), 'with metadata');
    this.sockets.sendOrBroadcast(this.clientId, 'progress', { value, max, prompt_id: this.promptId, node });
    if (preview) this.sockets.sendPreview(this.clientId, preview, this.#nodeMetadata(node), 'plain');
  }

  nodeImage(node: PromptNodeId, image: Preview): void {
    this.sockets.sendPreview(this.clientId, image, this.#nodeMetadata(node), 'with metadata');
    this.sockets.sendPreview(this.clientId, image, this.#nodeMetadata(node), 'plain');
  }

  nodeText(node: PromptNodeId, text: string): void {
    this.sockets.sendText(this.clientId, node, text);
  }

  /** The very last event. A client that waits for it finds the prompt in history. */
  promptEnded(): void {
    this.sockets.setCurrentNode(this.clientId, undefined);
    this.sockets.send(this.clientId, 'executing', { node: null, prompt_id: this.promptId });
  }

  #sendProgressState(): void {
    if (!this.sockets.hasListener(this.clientId)) return;
    const message = this.#progress.message();
    if (message) this.sockets.sendOrBroadcast(this.clientId, 'progress_state', message);
  }

  #nodeMetadata(node: PromptNodeId): Record<string, unknown> {
    return {
      node_id: node,
      prompt_id: this.promptId,
      display_node_id: node,
      parent_node_id: null,
      real_node_id: node,
    };
  }
}
