import { locale } from '../strings/language.ts';
import { workflowStrings } from '../strings/workflows.ts';
import { decimal } from '../ui/format.ts';
import type { Execution, WorkflowDraft, WorkflowNode } from './api-types.ts';

/** A short description of a workflow's triggers, such as `POST /webhook/ask`. */
export function triggerText({ nodes }: Pick<WorkflowDraft, 'nodes'>): string {
  const enabled = nodes.filter(({ disabled }) => !disabled);
  const texts = enabled.flatMap((node) => {
    if (node.type === 'n8n-nodes-base.webhook') return [webhookText(node)];
    if (node.type === 'n8n-nodes-base.formTrigger') return [formText(node)];
    if (SCHEDULED.has(node.type)) return [workflowStrings.schedule];
    return node.type === 'n8n-nodes-base.manualTrigger' ? [workflowStrings.manually] : [];
  });
  return texts.length > 0 ? texts.join(' · ') : workflowStrings.noTrigger;
}

const SCHEDULED = new Set([
  'n8n-nodes-base.scheduleTrigger',
  'n8n-nodes-base.cron',
  'n8n-nodes-base.interval',
  'n8n-nodes-base.rssFeedReadTrigger',
]);

/** Triggers that a call or a form starts, and not a button of the editor. */
export const STARTED_BY_CALLS = new Set(['n8n-nodes-base.webhook', 'n8n-nodes-base.formTrigger']);

function formText({ parameters, webhookId }: WorkflowNode): string {
  const { path, options } = parameters as { path?: unknown; options?: { path?: unknown } };
  return `/form/${String(path || options?.path || webhookId || '')}`;
}

function webhookText({ parameters, webhookId }: WorkflowNode): string {
  const { httpMethod = 'GET', path } = parameters;
  const methods = Array.isArray(httpMethod) ? httpMethod.join(', ') : String(httpMethod);
  return `${methods} /webhook/${path ? String(path) : (webhookId ?? '')}`;
}

const TIME_UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 30],
  ['month', 12],
  ['year', Number.POSITIVE_INFINITY],
];

/** `2 minutes ago` */
export function relativeTime(iso: string, now = Date.now()): string {
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  let amount = (Date.parse(iso) - now) / 1000;
  for (const [unit, size] of TIME_UNITS) {
    if (Math.abs(amount) < size) return format.format(Math.round(amount), unit);
    amount /= size;
  }
  return '';
}

/** `320 ms`, `4.2 s`, `3 min` */
export function durationText(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${decimal(milliseconds / 1000, 1)} s`;
  return `${Math.round(milliseconds / 60_000)} min`;
}

/** The duration of a finished run. Empty for others. */
export function runDuration({ startedAt, stoppedAt }: Pick<Execution, 'startedAt' | 'stoppedAt'>): string {
  return startedAt === null || stoppedAt === null
    ? ''
    : durationText(Date.parse(stoppedAt) - Date.parse(startedAt));
}
