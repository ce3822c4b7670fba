import { words } from '../strings/workflows.ts';
import type { Execution, WorkflowDraft, WorkflowNode } from './api-types.ts';

/** What starts a workflow, in a few words: `POST /webhook/ask`. */
export function startsBy({ nodes }: Pick<WorkflowDraft, 'nodes'>): string {
  const enabled = nodes.filter(({ disabled }) => !disabled);
  const told = enabled.flatMap((node) => {
    if (node.type === 'n8n-nodes-base.webhook') return [addressOf(node)];
    if (node.type === 'n8n-nodes-base.scheduleTrigger') return [words.schedule];
    return node.type === 'n8n-nodes-base.manualTrigger' ? [words.byHand] : [];
  });
  return told.length > 0 ? told.join(' · ') : words.noTrigger;
}

function addressOf({ parameters, webhookId }: WorkflowNode): string {
  const { httpMethod = 'GET', path } = parameters;
  const methods = Array.isArray(httpMethod) ? httpMethod.join(', ') : String(httpMethod);
  return `${methods} /webhook/${path ? String(path) : (webhookId ?? '')}`;
}

const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 30],
  ['month', 12],
  ['year', Number.POSITIVE_INFINITY],
];

/** `2 minutes ago` */
export function ago(iso: string, now = Date.now()): string {
  const format = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
  let amount = (Date.parse(iso) - now) / 1000;
  for (const [unit, size] of STEPS) {
    if (Math.abs(amount) < size) return format.format(Math.round(amount), unit);
    amount /= size;
  }
  return '';
}

/** `320 ms`, `4.2 s`, `3 min` */
export function took(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  return `${Math.round(milliseconds / 60_000)} min`;
}

/** Of a run that is over; nothing for others. */
export function tookOf({ startedAt, stoppedAt }: Pick<Execution, 'startedAt' | 'stoppedAt'>): string {
  return startedAt === null || stoppedAt === null ? '' : took(Date.parse(stoppedAt) - Date.parse(startedAt));
}
