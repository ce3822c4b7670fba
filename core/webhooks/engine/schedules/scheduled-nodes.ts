/** Which trigger nodes start at set times, by which rules, and with which item. */
import { type Item, nodeSettings, type WorkflowNode } from '#core/workflow-format';
import { nodeType } from '../../nodes/index.ts';
import { timesRules } from '../../nodes/triggers/old-schedules/poll-times.ts';
import { cron, interval, intervalRules } from '../../nodes/triggers/old-schedules.ts';
import { readRules, type ScheduleRule } from '../../nodes/triggers/schedule-trigger/rules.ts';
import { scheduleItem } from '../../nodes/triggers/schedule-trigger/schedule-item.ts';
import { scheduleTrigger } from '../../nodes/triggers/schedule-trigger.ts';

export interface ScheduledNode {
  rules: ScheduleRule[];
  /** The item that the execution starts with. Undefined: the node looks for new items. */
  item?(due: number, timezone: string): Item;
}

const empty = (): Item => ({ json: {}, pairedItem: { item: 0 } });

/** Undefined for a node without a schedule. */
export function scheduledNode(node: WorkflowNode): ScheduledNode | undefined {
  switch (node.type) {
    case scheduleTrigger.name:
      return { rules: readRules(nodeSettings(scheduleTrigger, node).get('rule')), item: scheduleItem };
    case cron.name:
      return { rules: timesRules(nodeSettings(cron, node).get('triggerTimes')), item: empty };
    case interval.name:
      return { rules: intervalRules(nodeSettings(interval, node)), item: empty };
    default: {
      const type = nodeType(node.type);
      return type?.poll && { rules: timesRules(nodeSettings(type, node).get('pollTimes')) };
    }
  }
}
