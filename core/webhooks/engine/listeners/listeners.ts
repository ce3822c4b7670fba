/** Keeps the connections of published triggers that wait for messages of other servers. */
import { errorMessage, sleep } from '#core/base';
import type { Clock, Log } from '#core/host';
import type { Item, Workflow, WorkflowNode } from '#core/workflow-format';
import type { Listen, StartByMessage } from '../../node-api/listen.ts';
import type { BinaryData, NodeContext } from '../../node-api/node-context.ts';
import type { Executions } from '../executions/executions.ts';

interface ListenersParts {
  executions: Pick<Executions, 'start' | 'reserve'>;
  clock: Clock;
  log: Log;
  files: { of(executionId: string): BinaryData };
  listenOf(node: WorkflowNode): Listen | undefined;
  contextOf(workflow: Workflow, node: WorkflowNode, signal: AbortSignal): NodeContext | undefined;
}

/** Milliseconds before the second attempt to connect. Each further one waits twice as long. */
const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 60_000;

export class Listeners {
  readonly #running = new Map<string, { abort: AbortController; done: Promise<unknown> }>();

  constructor(private readonly parts: ListenersParts) {}

  /** Listens with the triggers of this version of the workflow, instead of those of an earlier one. */
  start(workflow: Workflow): void {
    this.stop(workflow.id);
    const abort = new AbortController();
    const nodes = workflow.nodes.filter((node) => !node.disabled && this.parts.listenOf(node));
    if (nodes.length === 0) return;
    const done = Promise.all(nodes.map((node) => this.#keepListening(workflow, node, abort.signal)));
    this.#running.set(workflow.id, { abort, done });
  }

  stop(workflowId: string): void {
    this.#running.get(workflowId)?.abort.abort();
    this.#running.delete(workflowId);
  }

  /** Resolves when all connections are closed. */
  async close(): Promise<void> {
    const running = [...this.#running.values()];
    this.#running.clear();
    for (const { abort } of running) abort.abort();
    await Promise.all(running.map(({ done }) => done));
  }

  async #keepListening(workflow: Workflow, node: WorkflowNode, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.parts;
    for (let pause = FIRST_PAUSE; !signal.aborted; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
      try {
        const context = this.parts.contextOf(workflow, node, signal)!;
        const listening = await this.parts.listenOf(node)!(context, this.#starter(workflow, node));
        log.debug('webhooks: a trigger listens', { workflow: workflow.id, node: node.name });
        pause = FIRST_PAUSE;
        await listening.ended;
        await listening.close();
      } catch (error) {
        if (signal.aborted) return;
        log.error('webhooks: a trigger cannot connect', {
          workflow: workflow.id,
          node: node.name,
          error: errorMessage(error),
        });
      }
      await sleep(clock, pause, signal).catch(() => {});
    }
  }

  #starter(workflow: Workflow, node: WorkflowNode): StartByMessage {
    const { executions, files, log } = this.parts;
    return async (make) => {
      try {
        const id = await executions.reserve();
        const items = await make(files.of(id));
        const output = [items.map((item): Item => ({ ...item, pairedItem: { item: 0 } }))];
        const { accepted, done } = await executions.start({
          id,
          workflow,
          mode: 'trigger',
          node: node.name,
          output,
          durable: true,
          anywhere: true,
        });
        await accepted;
        return { isAccepted: true, done: done.then(({ status }) => status === 'success') };
      } catch (error) {
        log.error('webhooks: a message could not start its workflow', {
          workflow: workflow.id,
          node: node.name,
          error: errorMessage(error),
        });
        return { isAccepted: false, done: Promise.resolve(false) };
      }
    };
  }
}
