import { html, type TemplateResult } from 'lit';
import { workflowStrings } from '../strings/workflows.ts';
import type { ExecutionState } from './api-types.ts';

/** The status of a run as a colored badge. */
export function runBadge(status: ExecutionState): TemplateResult {
  const look =
    status === 'success'
      ? 'good'
      : status === 'error' || status === 'crashed'
        ? 'bad'
        : status === 'running' || status === 'new' || status === 'waiting'
          ? 'live'
          : '';
  return html`<span class="badge ${look}">${workflowStrings.run.states[status]}</span>`;
}
