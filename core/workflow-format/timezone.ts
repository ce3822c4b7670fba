import type { Workflow } from './workflow.ts';

/**
 * The timezone of a workflow's dates and schedules (IANA name).
 * @param serverTimezone for workflows that set none
 */
export function workflowTimezone({ settings }: Pick<Workflow, 'settings'>, serverTimezone: string): string {
  const { timezone } = settings;
  return typeof timezone === 'string' && timezone !== '' && timezone !== 'DEFAULT'
    ? timezone
    : serverTimezone;
}
