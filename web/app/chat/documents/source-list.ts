import { css, html, nothing, type TemplateResult } from 'lit';
import { chatPartStrings } from '../../strings/chat-parts.ts';
import type { Source } from '../conversation.ts';

const strings = chatPartStrings.documents;

/** The passages that an answer is based on, folded. Their numbers are those that the model cites. */
export function sourceList(sources: readonly Source[] | undefined): TemplateResult | typeof nothing {
  if (!sources?.length) return nothing;
  return html`<details class="sources">
    <summary>${strings.sources(sources.length)}</summary>
    <ol>
      ${sources.map(
        ({ document, text, score }) => html`<li>
          <div>
            <strong>${document}</strong> <span class="soft num">${strings.similarity(score)}</span>
          </div>
          <blockquote>${text}</blockquote>
        </li>`,
      )}
    </ol>
  </details>`;
}

/** Styles of `sourceList`. */
export const sourceListStyles = css`
  .sources {
    margin-top: 0.6rem;
    font-size: 0.9rem;
  }
  .sources ol {
    display: grid;
    gap: 0.75rem;
    margin: 0.6rem 0 0;
    padding-left: 1.6rem;
  }
  .sources li::marker {
    color: var(--soft);
    font-variant-numeric: tabular-nums;
  }
  .sources strong {
    font-weight: 600;
    overflow-wrap: anywhere;
  }
  .sources blockquote {
    margin: 0.25rem 0 0;
    padding-left: 0.75rem;
    border-left: 2px solid var(--line);
    overflow-wrap: anywhere;
    white-space: pre-line;
    color: var(--soft);
    font-size: var(--text-sm);
  }
`;
