/** Looks for new items with the triggers of published workflows that poll. */
import { errorMessage } from '#core/base';
import type { Clock, Log } from '#core/host';
import { ApiError } from '#core/http';
import type { Item, JsonObject, Workflow, WorkflowNode } from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import type { Poll } from '../../node-api/poll.ts';
import type { Executions } from '../executions/executions.ts';
import type { WorkflowStore } from '../workflow-store.ts';

interface PollsParts {
  executions: Pick<Executions, 'start' | 'reserve' | 'refuse'>;
  workflows: Pick<WorkflowStore, 'get' | 'changeStaticData'>;
  /** The files of executions. */
  files: { forget(executionId: string): Promise<void> };
  clock: Clock;
  log: Log;
  pollOf(node: WorkflowNode): Poll | undefined;
  /** @param executionId the execution that the files of found items belong to */
  contextOf(
    workflow: Workflow,
    node: WorkflowNode,
    options: { signal: AbortSignal; executionId: string },
  ): NodeContext | undefined;
}

/** Milliseconds that one look may take. */
const LONGEST_LOOK = 300_000;
/** Milliseconds of the first look, during which somebody waits for the workflow to be published. */
const LONGEST_FIRST_LOOK = 30_000;

export class Polls {
  /** The nodes that look now, by workflow and name. A node never looks twice at the same time. */
  readonly #running = new Map<string, AbortController>();

  constructor(private readonly parts: PollsParts) {}

  /**
   * The first look of each trigger that has not looked before, so that nothing is missed from here on.
   * @throws ApiError 400 if a service refuses
   */
  async begin(workflow: Workflow): Promise<void> {
    this.stop(workflow.id);
    for (const node of workflow.nodes) {
      if (node.disabled || !this.parts.pollOf(node)) continue;
      if (Object.keys(await this.#memory(workflow, node)).length > 0) continue;
      try {
        await this.#look(workflow, node, { longest: LONGEST_FIRST_LOOK });
      } catch (error) {
        const reason = error instanceof NodeError ? error.description : undefined;
        throw new ApiError(
          400,
          `Problem activating workflow: node "${node.name}": ${[errorMessage(error), reason].filter(Boolean).join(': ')}`,
        );
      }
    }
  }

  /** Looks, and starts the workflow with what is new. A failure is recorded as a failed execution. */
  async poll(workflow: Workflow, node: WorkflowNode): Promise<void> {
    const key = keyOf(workflow.id, node.name);
    if (this.#running.has(key)) return;
    const abort = new AbortController();
    this.#running.set(key, abort);
    try {
      await this.#look(workflow, node, { signal: abort.signal });
    } catch (error) {
      if (abort.signal.aborted) return;
      const { executions, log } = this.parts;
      const call = { workflow, mode: 'trigger' as const, node: node.name };
      await executions.refuse(call, error as Error).catch((failure: unknown) =>
        log.error('webhooks: a failed look for new items could not be recorded', {
          workflow: workflow.id,
          node: node.name,
          error: errorMessage(failure),
        }),
      );
    } finally {
      if (this.#running.get(key) === abort) this.#running.delete(key);
    }
  }

  /** Ends the looks of a workflow that is no longer published, or is published in another version. */
  stop(workflowId: string): void {
    for (const [key, abort] of this.#running) {
      if (!key.startsWith(keyOf(workflowId, ''))) continue;
      abort.abort();
      this.#running.delete(key);
    }
  }

  close(): void {
    for (const abort of this.#running.values()) abort.abort();
    this.#running.clear();
  }

  async #memory(workflow: Workflow, node: WorkflowNode): Promise<JsonObject> {
    const current = await this.parts.workflows.get(workflow.id);
    return (current?.staticData[entryOf(node)] ?? {}) as JsonObject;
  }

  async #look(
    workflow: Workflow,
    node: WorkflowNode,
    { signal, longest = LONGEST_LOOK }: { signal?: AbortSignal; longest?: number },
  ): Promise<void> {
    const { executions, workflows, files, clock, pollOf, contextOf } = this.parts;
    const id = await executions.reserve();
    const timeout = new AbortController();
    const stopTimer = clock.after(longest, () =>
      timeout.abort(new NodeError(`The service took longer than ${longest / 1000} seconds`)),
    );
    const limit = signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal;
    try {
      const before = await this.#memory(workflow, node);
      const memory = structuredClone(before);
      const context = contextOf(workflow, node, { signal: limit, executionId: id })!;
      const items = await pollOf(node)!(context, memory);
      limit.throwIfAborted();
      if (items.length === 0) {
        if (JSON.stringify(memory) === JSON.stringify(before)) return;
        return await workflows.changeStaticData(workflow.id, entryOf(node), memory);
      }
      const output = [items.map((item): Item => ({ ...item, pairedItem: { item: 0 } }))];
      const call = {
        id,
        workflow,
        mode: 'trigger' as const,
        node: node.name,
        output,
        durable: true,
        anywhere: true,
      };
      // One transaction: after a crash the items are neither lost nor given twice.
      await workflows.changeStaticData(workflow.id, entryOf(node), memory, async (change) => {
        const { accepted } = await executions.start({ ...call, storedWith: [change] });
        await accepted;
      });
    } catch (error) {
      await files.forget(id);
      throw error;
    } finally {
      stopTimer();
    }
  }
}

function keyOf(workflowId: string, node: string): string {
  return `${workflowId}\n${node}`;
}

/** The static data of a node. */
function entryOf({ name }: WorkflowNode): string {
  return `node:${name}`;
}
