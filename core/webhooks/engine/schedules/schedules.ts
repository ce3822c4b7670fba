/** Starts live workflows at the times of their Schedule Triggers. */
import type { Clock, Log } from '#core/host';
import { nodeSettings, type Workflow, type WorkflowNode, workflowTimezone } from '#core/workflow-format';
import { type NextTime, nextTimeOf, readRules } from '../../nodes/triggers/schedule-trigger/rules.ts';
import { scheduleItem } from '../../nodes/triggers/schedule-trigger/schedule-item.ts';
import { scheduleTrigger } from '../../nodes/triggers/schedule-trigger.ts';
import type { Executions } from '../executions/executions.ts';

export interface SchedulesParts {
  executions: Pick<Executions, 'start'>;
  clock: Clock;
  log: Log;
  /** IANA name for workflows that set none. */
  timezone: string;
}

interface Entry {
  workflow: Workflow;
  node: WorkflowNode;
  zone: string;
  times: NextTime;
  /** Milliseconds since 1970. */
  due: number;
}

/**
 * A look at the clock at least this often (milliseconds): timers stand still while a computer sleeps, and a clock can
 * be set.
 */
const LONGEST_SLEEP = 60_000;

export class Schedules {
  readonly #entries = new Map<string, Entry[]>();
  #cancel: (() => void) | undefined;
  #looked: number;
  #closed = false;

  constructor(private readonly parts: SchedulesParts) {
    this.#looked = parts.clock.now();
  }

  /**
   * From now on the workflow is started by its schedules, in this version; what was started before under its id ends.
   * "Every third day" counts from `updatedAt`, so that a restart changes nothing. NextTime that passed while the server
   * was not running are not made up for.
   */
  start(workflow: Workflow): void {
    const { clock, log, timezone } = this.parts;
    const now = clock.now();
    const anchor = Date.parse(workflow.updatedAt ?? '') || now;
    const zone = workflowTimezone(workflow, timezone);
    const entries: Entry[] = [];
    for (const node of workflow.nodes) {
      if (node.type !== scheduleTrigger.name || node.disabled) continue;
      for (const rule of readRules(nodeSettings(scheduleTrigger, node).get('rule'))) {
        try {
          const times = nextTimeOf(rule, zone, anchor);
          const due = times(now);
          if (due !== undefined) entries.push({ workflow, node, zone, times, due });
        } catch (error) {
          log.error('webhooks: a schedule cannot be kept', {
            workflow: workflow.id,
            node: node.name,
            error: String(error),
          });
        }
      }
    }
    if (entries.length > 0) this.#entries.set(workflow.id, entries);
    else this.#entries.delete(workflow.id);
    this.#arm();
  }

  stop(workflowId: string): void {
    if (this.#entries.delete(workflowId)) this.#arm();
  }

  /** When a workflow is started next (milliseconds since 1970); undefined without a schedule. */
  next(workflowId: string): number | undefined {
    const due = this.#entries.get(workflowId)?.map((entry) => entry.due);
    return due && Math.min(...due);
  }

  close(): void {
    this.#closed = true;
    this.#entries.clear();
    this.#cancel?.();
  }

  #arm(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    if (this.#closed || this.#entries.size === 0) return;
    const now = this.parts.clock.now();
    const first = Math.min(...[...this.#entries.values()].flat().map(({ due }) => due));
    const wait = Math.min(Math.max(0, first - now), LONGEST_SLEEP);
    this.#looked = now;
    this.#cancel = this.parts.clock.after(wait, () => this.#look());
  }

  #look(): void {
    const now = this.parts.clock.now();
    // The clock was set back: what was due later than now + a while would be waited for twice.
    const setBack = now < this.#looked;
    for (const entry of [...this.#entries.values()].flat()) {
      if (entry.due <= now) this.#fire(entry, entry.due);
      else if (!setBack) continue;
      entry.due = entry.times(now) ?? Number.POSITIVE_INFINITY;
    }
    this.#arm();
  }

  /** However many times were missed (a computer that slept): once. */
  #fire({ workflow, node, zone }: Entry, due: number): void {
    const { executions, log } = this.parts;
    executions
      .start({
        workflow,
        mode: 'trigger',
        node: node.name,
        output: [[scheduleItem(due, zone)]],
        durable: true,
      })
      .catch((error: unknown) =>
        log.error('webhooks: a scheduled run could not start', {
          workflow: workflow.id,
          node: node.name,
          error: String(error),
        }),
      );
  }
}
