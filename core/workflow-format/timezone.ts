import type { Workflow } from './workflow.ts';

/** The zone that a workflow's dates and schedules are in: its own, else the server's. */
export function workflowTimezone({ settings }: Pick<Workflow, 'settings'>, server: string): string {
  const zone = settings.timezone;
  return typeof zone === 'string' && zone !== '' && zone !== 'DEFAULT' ? zone : server;
}
