import { html, type TemplateResult } from 'lit';
import type { ExecutionState } from './types.ts';
import { words } from './words.ts';

/** How a run stands, in a word and a colour. */
export function runBadge(status: ExecutionState): TemplateResult {
  const look =
    status === 'success'
      ? 'good'
      : status === 'error' || status === 'crashed'
        ? 'bad'
        : status === 'running' || status === 'new' || status === 'waiting'
          ? 'live'
          : '';
  return html`<span class="badge ${look}">${words.run.states[status]}</span>`;
}
