import { css, html, nothing } from 'lit';
import { modelStrings } from '../strings/models.ts';
import { bytes } from '../ui/format.ts';
import type { ModelFit } from './model-fit.ts';

export const fitStyles = css`
  .fit {
    display: inline-block;
    padding: 0 0.55rem;
    border-radius: 999px;
    font-size: 0.78rem;
    line-height: 1.5rem;
    white-space: nowrap;
    background: var(--sunken);
    color: var(--soft);
  }
  .memory {
    display: block;
    height: 4px;
    max-width: 12rem;
    margin-top: 0.35rem;
    border-radius: 2px;
    background: var(--sunken);
    overflow: hidden;
  }
  .memory i {
    display: block;
    height: 100%;
    border-radius: 2px;
    background: var(--soft);
  }
  .memory.good i {
    background: var(--good);
  }
  .memory.no i {
    background: var(--bad);
  }
  .fit.good {
    color: var(--good);
  }
  .fit.no {
    color: var(--bad);
    background: var(--bad-wash);
  }
`;

/** The share of the memory that a model needs. */
export function memoryBar(fit: ModelFit | undefined) {
  if (!fit?.limit) return nothing;
  const share = Math.min(1, fit.memory / fit.limit);
  const label = modelStrings.memoryBar(bytes(fit.memory), bytes(fit.limit));
  return html`<span class="memory ${fit.verdict}" role="img" aria-label=${label} data-tip=${label}
    ><i style="width: ${(share * 100).toFixed(0)}%"></i
  ></span>`;
}

/** The rating of a model in a word, with the reason as its title. */
export function fitChip(fit: ModelFit | undefined) {
  if (!fit) return nothing;
  const { verdicts, reasons } = modelStrings;
  const reasonText = reasons[fit.reason];
  return html`<span class="fit ${fit.verdict}" data-tip=${reasonText}
    >${verdicts[fit.verdict]}<span class="visually-hidden">: ${reasonText}</span></span
  >`;
}
