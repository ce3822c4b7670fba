import { css, html, nothing } from 'lit';
import { modelStrings } from '../strings/models.ts';
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
  .fit.good {
    color: var(--good);
  }
  .fit.no {
    color: var(--bad);
    background: var(--bad-wash);
  }
`;

/** The rating of a model in a word, with the reason as its title. */
export function fitChip(fit: ModelFit | undefined) {
  if (!fit) return nothing;
  const { verdicts, reasons } = modelStrings;
  const reasonText = reasons[fit.reason];
  return html`<span class="fit ${fit.verdict}" title=${reasonText}
    >${verdicts[fit.verdict]}<span class="visually-hidden">: ${reasonText}</span></span
  >`;
}
