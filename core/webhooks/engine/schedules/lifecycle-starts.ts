/** Starts published workflows by events of their own life: they were published or changed, or the server started. */
import type { Clock, Log } from '#core/host';
import { nodeSettings, type Workflow } from '#core/workflow-format';
import {
  EVENT_NAMES,
  type LifecycleEvent,
  n8nTrigger,
  workflowTrigger,
} from '../../nodes/triggers/lifecycle-triggers.ts';
import type { Executions } from '../executions/executions.ts';

interface LifecycleParts {
  executions: Pick<Executions, 'start'>;
  clock: Clock;
  log: Log;
}

const TRIGGERS = new Map([n8nTrigger, workflowTrigger].map((type) => [type.name, type]));

export class LifecycleStarts {
  readonly #published = new Set<string>();

  constructor(private readonly parts: LifecycleParts) {}

  /** @param isStart whether the server starts, with a workflow that was published before */
  published(workflow: Workflow, isStart: boolean): void {
    const event = isStart ? 'init' : this.#published.has(workflow.id) ? 'update' : 'activate';
    this.#published.add(workflow.id);
    for (const node of workflow.nodes) {
      const type = node.disabled ? undefined : TRIGGERS.get(node.type);
      const events = type ? nodeSettings(type, node).get('events') : undefined;
      if (Array.isArray(events) && events.includes(event)) this.#start(workflow, node.name, event);
    }
  }

  unpublished(workflowId: string): void {
    this.#published.delete(workflowId);
  }

  #start(workflow: Workflow, node: string, event: LifecycleEvent): void {
    const { executions, clock, log } = this.parts;
    const timestamp = new Date(clock.now()).toISOString();
    const json = { event: EVENT_NAMES[event], timestamp, workflow_id: workflow.id };
    const output = [[{ json, pairedItem: { item: 0 } }]];
    executions
      .start({ workflow, mode: 'trigger', node, output, durable: true, anywhere: true })
      .catch((error: unknown) =>
        log.error('webhooks: a workflow could not start by an event', {
          workflow: workflow.id,
          node,
          error: String(error),
        }),
      );
  }
}
