/** What is told of one prompt while it runs, and to whom. */
import type { Host } from '#core/host';
import type { NodeId } from '../graph/graph.ts';
import type { Preview } from '../nodes/kernel/node-context.ts';
import type { SocketHub } from '../sockets/socket-hub.ts';
import { ProgressState } from './progress-state.ts';

export type HistoryMessage = [type: string, data: Record<string, unknown>];

export class PromptEvents {
  /** What history keeps. */
  readonly messages: HistoryMessage[] = [];
  readonly #progress: ProgressState;

  constructor(
    private readonly promptId: string,
    private readonly clientId: string | undefined,
    private readonly sockets: SocketHub,
    private readonly clock: Host['clock'],
  ) {
    this.#progress = new ProgressState(promptId, () => clock.now());
  }

  /** execution_start and what ends it: to the client, and kept. Interrupts of nobody's prompt are told to all. */
  milestone(type: string, data: Record<string, unknown>): void {
    const message = { ...data, timestamp: Math.floor(this.clock.now()) };
    this.messages.push([type, message]);
    if (type === 'execution_interrupted') this.sockets.sendToAllOr(this.clientId, type, message);
    else this.sockets.send(this.clientId, type, message);
  }

  running(node: NodeId): void {
    this.#progress.set(node, { value: 0, max: 1, state: 'running' });
    this.#tellProgress();
    this.sockets.setCurrentNode(this.clientId, node);
    this.sockets.send(this.clientId, 'executing', { node, display_node: node, prompt_id: this.promptId });
  }

  executed(node: NodeId, ui: unknown): void {
    this.sockets.send(this.clientId, 'executed', {
      node,
      display_node: node,
      output: ui ?? null,
      prompt_id: this.promptId,
    });
  }

  finished(node: NodeId): void {
    this.#progress.finish(node);
    this.#tellProgress();
  }

  progress(node: NodeId, value: number, max: number, preview: Preview | undefined): void {
    this.#progress.set(node, { value, max, state: 'running' });
    this.#tellProgress();
    if (preview) this.sockets.preview(this.clientId, preview, this.#place(node), 'with metadata');
    this.sockets.sendToAllOr(this.clientId, 'progress', { value, max, prompt_id: this.promptId, node });
    if (preview) this.sockets.preview(this.clientId, preview, this.#place(node), 'plain');
  }

  image(node: NodeId, image: Preview): void {
    this.sockets.preview(this.clientId, image, this.#place(node), 'with metadata');
    this.sockets.preview(this.clientId, image, this.#place(node), 'plain');
  }

  text(node: NodeId, text: string): void {
    this.sockets.text(this.clientId, node, text);
  }

  /** The very last message: whoever waits for it finds the prompt in history. */
  end(): void {
    this.sockets.setCurrentNode(undefined, undefined);
    this.sockets.send(this.clientId, 'executing', { node: null, prompt_id: this.promptId });
  }

  #tellProgress(): void {
    if (!this.sockets.hears(this.clientId)) return;
    const message = this.#progress.message();
    if (message) this.sockets.sendToAllOr(this.clientId, 'progress_state', message);
  }

  #place(node: NodeId): Record<string, unknown> {
    return {
      node_id: node,
      prompt_id: this.promptId,
      display_node_id: node,
      parent_node_id: null,
      real_node_id: node,
    };
  }
}
