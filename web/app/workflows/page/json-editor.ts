import { css, html, nothing, type PropertyDeclarations } from 'lit';
import { errorMessage } from '#core/base';
import { workflowStrings } from '../../strings/workflows.ts';
import { ObservingElement } from '../../ui/observing-element.ts';
import { controls } from '../../ui/styles/controls.ts';
import type { WorkflowDraft } from '../api-types.ts';
import { exportDraft } from '../editor/draft.ts';
import type { PageState } from '../editor/page-state.ts';
import { parseDraft } from '../editor/read-draft.ts';
import { workflowStyles } from '../workflow-styles.ts';

/** Edits a workflow as JSON. */
export class JsonEditor extends ObservingElement<PageState> {
  static override properties: PropertyDeclarations = {
    ...ObservingElement.properties,
    text: { state: true },
    problem: { state: true },
  };
  declare text: string;
  declare problem: string | undefined;
  #shownDraft: WorkflowDraft | undefined;

  static override styles = [
    controls,
    workflowStyles,
    css`
      textarea {
        min-height: 26rem;
        max-height: none;
        margin-bottom: 0.75rem;
        tab-size: 2;
      }
    `,
  ];

  override willUpdate() {
    super.willUpdate();
    const { draft } = this.state;
    if (!draft || draft === this.#shownDraft) return;
    this.#shownDraft = draft;
    this.text = draftToText(draft);
    this.problem = undefined;
  }

  override render() {
    const draft = this.state.draft!;
    return html`<p class="soft small">${workflowStrings.page.jsonAbout}</p>
      <textarea
        class="mono"
        rows="28"
        spellcheck="false"
        aria-label=${workflowStrings.page.jsonLabel}
        .value=${this.text}
        @input=${({ target }: Event) => {
          this.text = (target as HTMLTextAreaElement).value;
        }}
      ></textarea>
      ${this.problem === undefined ? nothing : html`<div class="error" role="alert">${this.problem}</div>`}
      <button class="primary" ?disabled=${this.text === draftToText(draft)} @click=${this.#apply}>
        ${workflowStrings.page.jsonApply}
      </button>`;
  }

  #apply() {
    try {
      const read = parseDraft(this.text, this.state.draft!);
      this.problem = undefined;
      this.state.change(() => read);
    } catch (error) {
      this.problem = errorMessage(error);
    }
  }
}

function draftToText(draft: WorkflowDraft): string {
  return JSON.stringify(exportDraft(draft), null, 2);
}

customElements.define('tabd-workflow-json', JsonEditor);
