import { html, nothing, type TemplateResult } from 'lit';
import type { PublishNote } from './list-state.ts';

/** The problems that prevent a publication, by node, or the warnings of a successful one. */
export function publishNoteView(
  note: PublishNote | undefined,
  onNode?: (name: string) => void,
): TemplateResult | typeof nothing {
  if (!note) return nothing;
  const { message, problems, warnings } = note;
  const lines = html`<ul>
    ${problems.flatMap(({ node, issues }) =>
      issues.map(
        (issue) =>
          html`<li>
            ${
              onNode
                ? html`<button type="button" class="link" @click=${() => onNode(node)}>${node}</button>`
                : html`<strong>${node}</strong>`
            }:
            ${issue}
          </li>`,
      ),
    )}
    ${warnings.map((warning) => html`<li>${warning}</li>`)}
  </ul>`;
  return warnings.length > 0
    ? html`<div class="notice" role="status">${message}${lines}</div>`
    : html`<div class="error" role="alert">${message}${problems.length > 0 ? lines : nothing}</div>`;
}
