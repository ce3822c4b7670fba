import { css, html, nothing, type PropertyDeclarations } from 'lit';
import { errorMessage } from '#core/base';
import { workflowStrings } from '../strings/workflows.ts';
import { ObservingElement } from '../ui/observing-element.ts';
import { controls } from '../ui/styles/controls.ts';
import { lists } from '../ui/styles/lists.ts';
import type { ListState } from './list-state.ts';
import { routeHash } from './route.ts';
import { type TemplateKey, templates } from './templates.ts';
import { workflowStyles } from './workflow-styles.ts';

/** Creates a workflow from a template or an exported file. Fires `made` when the workflow exists. */
export class NewWorkflow extends ObservingElement<ListState> {
  static override properties: PropertyDeclarations = {
    ...ObservingElement.properties,
    problem: { state: true },
    text: { state: true },
  };
  declare problem: string | undefined;
  declare text: string;

  static override styles = [
    controls,
    lists,
    workflowStyles,
    css`
      ul {
        display: grid;
        grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr));
        gap: 0.75rem;
      }
      li button {
        gap: 0.2rem;
        padding: 0.9rem 1rem;
        border-radius: var(--radius);
        font-weight: 600;
      }
      li button span {
        font-size: 0.85rem;
      }
      h3 {
        margin: 1.75rem 0 0.1rem;
        font-size: 0.95rem;
        font-weight: 600;
        color: var(--text);
      }
      .field {
        margin: 0.75rem 0 0.6rem;
      }
    `,
  ];

  constructor() {
    super();
    this.text = '';
  }

  override render() {
    return html`
      <ul class="tiles">
        ${templates.map(
          ({ key }) =>
            html`<li>
              <button type="button" @click=${() => this.#create(key)}>
                ${workflowStrings.templates[key].label} <span>${workflowStrings.templates[key].about}</span>
              </button>
            </li>`,
        )}
      </ul>
      <h3>${workflowStrings.import.heading}</h3>
      <p class="soft small">${workflowStrings.import.about}</p>
      <input
        type="file"
        accept=".json,application/json"
        hidden
        aria-hidden="true"
        tabindex="-1"
        @change=${this.#importFile}
      />
      <button type="button" @click=${() => this.renderRoot.querySelector('input')!.click()}>
        ${workflowStrings.import.file}
      </button>
      <form @submit=${this.#importPasted}>
        <div class="field">
        <label for="pasted">${workflowStrings.import.paste}</label>
        <textarea
          id="pasted"
          class="mono"
          rows="3"
          spellcheck="false"
          .value=${this.text}
          @input=${({ target }: Event) => {
            this.text = (target as HTMLTextAreaElement).value;
          }}
        ></textarea>
        </div>
        <div class="buttons">
          <button ?disabled=${this.text.trim() === ''}>${workflowStrings.import.button}</button>
        </div>
      </form>
      ${this.problem === undefined ? nothing : html`<div class="error" role="alert">${this.problem}</div>`}
    `;
  }

  async #create(key: TemplateKey) {
    const id = await this.state.create(key);
    if (id !== undefined) this.#finish([id]);
  }

  async #importFile({ target }: Event) {
    const input = target as HTMLInputElement;
    const file = input.files?.[0];
    input.value = '';
    if (file) await this.#import(await file.text());
  }

  #importPasted(event: Event) {
    event.preventDefault();
    void this.#import(this.text);
  }

  async #import(text: string) {
    try {
      this.problem = undefined;
      this.#finish(await this.state.import(text));
      this.text = '';
    } catch (error) {
      this.problem = errorMessage(error);
    }
  }

  #finish(ids: string[]) {
    this.dispatchEvent(new Event('made'));
    if (ids.length === 1) location.hash = routeHash({ screen: 'workflow', id: ids[0]!, tab: 'nodes' });
  }
}

customElements.define('tabd-new-workflow', NewWorkflow);
