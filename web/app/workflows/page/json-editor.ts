import { css, html, nothing, type PropertyDeclarations } from 'lit';
import { words } from '../../strings/workflows.ts';
import { errorText } from '../../ui/error-text.ts';
import { ObservingElement } from '../../ui/observing-element.ts';
import { controls } from '../../ui/theme.ts';
import type { WorkflowDraft } from '../api-types.ts';
import { exportedDraft } from '../editor/draft.ts';
import type { PageState } from '../editor/page-state.ts';
import { readDraft } from '../editor/read-draft.ts';
import { shared } from '../workflow-styles.ts';

/** The whole workflow as text. */
export class JsonEditor extends ObservingElement<PageState> {
  static override properties: PropertyDeclarations = {
    ...ObservingElement.properties,
    text: { state: true },
    problem: { state: true },
  };
  declare text: string;
  declare problem: string | undefined;
  #of: WorkflowDraft | undefined;

  static override styles = [
    controls,
    shared,
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
    if (!draft || draft === this.#of) return;
    this.#of = draft;
    this.text = shown(draft);
    this.problem = undefined;
  }

  override render() {
    const draft = this.state.draft!;
    return html`<p class="soft small">${words.page.jsonAbout}</p>
      <textarea
        class="mono"
        rows="28"
        spellcheck="false"
        aria-label=${words.page.jsonLabel}
        .value=${this.text}
        @input=${({ target }: Event) => {
          this.text = (target as HTMLTextAreaElement).value;
        }}
      ></textarea>
      ${this.problem === undefined ? nothing : html`<div class="error" role="alert">${this.problem}</div>`}
      <button class="primary" ?disabled=${this.text === shown(draft)} @click=${this.#apply}>
        ${words.page.jsonApply}
      </button>`;
  }

  #apply() {
    try {
      const read = readDraft(this.text, this.state.draft!);
      this.problem = undefined;
      this.state.change(() => read);
    } catch (error) {
      this.problem = errorText(error);
    }
  }
}

function shown(draft: WorkflowDraft): string {
  return JSON.stringify(exportedDraft(draft), null, 2);
}

customElements.define('tabd-workflow-json', JsonEditor);
