import type { Clock, Log } from '#core/host';
import { type Workflow, type WorkflowNode, workflowTimezone } from '#core/workflow-format';
import { type NextTime, nextTimeOf } from '../../nodes/triggers/schedule-trigger/rules.ts';
import type { Executions } from '../executions/executions.ts';
import { type ScheduledNode, scheduledNode } from './scheduled-nodes.ts';

interface SchedulesParts {
  executions: Pick<Executions, 'start'>;
  /** Looks for new items with a trigger that polls. */
  poll(workflow: Workflow, node: WorkflowNode): void;
  clock: Clock;
  log: Log;
  /** IANA name, for workflows that set none. */
  timezone: string;
}

/** One rule of a trigger. */
interface Schedule {
  workflow: Workflow;
  node: WorkflowNode;
  timezone: string;
  nextTime: NextTime;
  item: ScheduledNode['item'];
  /** Milliseconds since 1970. */
  due: number;
}

/** Milliseconds. Timers stop while a computer sleeps, and a clock can be set: it is read at least this often. */
const LONGEST_SLEEP = 60_000;

/** Starts published workflows at the times of their triggers. */
export class Schedules {
  /** The schedules by workflow id. */
  readonly #schedules = new Map<string, Schedule[]>();
  #stopTimer: (() => void) | undefined;
  /** The time when the timer was started (milliseconds since 1970). */
  #lastCheck: number;
  #isClosed = false;

  constructor(private readonly parts: SchedulesParts) {
    this.#lastCheck = parts.clock.now();
  }

  /**
   * Starts this version of the workflow by its schedules, instead of an earlier version. Intervals count from
   * `updatedAt`, so that a restart does not change them. Times that passed without a server are skipped.
   */
  start(workflow: Workflow): void {
    const schedules = this.#read(workflow);
    if (schedules.length > 0) this.#schedules.set(workflow.id, schedules);
    else this.#schedules.delete(workflow.id);
    this.#startTimer();
  }

  stop(workflowId: string): void {
    if (this.#schedules.delete(workflowId)) this.#startTimer();
  }

  /** The next start of a workflow (milliseconds since 1970). Undefined without a schedule. */
  next(workflowId: string): number | undefined {
    const due = this.#schedules.get(workflowId)?.map((schedule) => schedule.due);
    return due && Math.min(...due);
  }

  close(): void {
    this.#isClosed = true;
    this.#schedules.clear();
    this.#stopTimer?.();
  }

  /** Invalid rules are logged and skipped. */
  #read(workflow: Workflow): Schedule[] {
    const { clock, log } = this.parts;
    const now = clock.now();
    const anchor = Date.parse(workflow.updatedAt ?? '') || now;
    const timezone = workflowTimezone(workflow, this.parts.timezone);
    const schedules: Schedule[] = [];
    for (const node of workflow.nodes) {
      const scheduled = node.disabled ? undefined : scheduledNode(node);
      for (const rule of scheduled?.rules ?? []) {
        try {
          const nextTime = nextTimeOf(rule, timezone, anchor);
          const due = nextTime(now);
          if (due !== undefined)
            schedules.push({ workflow, node, timezone, nextTime, item: scheduled?.item, due });
        } catch (error) {
          log.error('webhooks: a schedule is not valid', {
            workflow: workflow.id,
            node: node.name,
            error: String(error),
          });
        }
      }
    }
    return schedules;
  }

  #startTimer(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    if (this.#isClosed || this.#schedules.size === 0) return;
    const now = this.parts.clock.now();
    const first = Math.min(...this.#all().map(({ due }) => due));
    const wait = Math.min(Math.max(0, first - now), LONGEST_SLEEP);
    this.#lastCheck = now;
    this.#stopTimer = this.parts.clock.after(wait, () => this.#check());
  }

  #check(): void {
    const now = this.parts.clock.now();
    // If the clock was set back, all next times are computed again: otherwise the difference would be waited for.
    const wasSetBack = now < this.#lastCheck;
    for (const schedule of this.#all()) {
      if (schedule.due <= now) this.#startWorkflow(schedule, schedule.due);
      else if (!wasSetBack) continue;
      schedule.due = schedule.nextTime(now) ?? Number.POSITIVE_INFINITY;
    }
    this.#startTimer();
  }

  /** Starts the workflow once, even if the computer slept through several times. */
  #startWorkflow({ workflow, node, timezone, item }: Schedule, due: number): void {
    const { executions, log, poll } = this.parts;
    if (!item) {
      poll(workflow, node);
      return;
    }
    const output = [[item(due, timezone)]];
    executions
      .start({ workflow, mode: 'trigger', node: node.name, output, durable: true, anywhere: true })
      .catch((error: unknown) =>
        log.error('webhooks: a scheduled execution could not start', {
          workflow: workflow.id,
          node: node.name,
          error: String(error),
        }),
      );
  }

  #all(): Schedule[] {
    return [...this.#schedules.values()].flat();
  }
}
