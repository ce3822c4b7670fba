import { css, html, LitElement, type PropertyDeclarations } from 'lit';
import { modelStrings } from '../strings/models.ts';
import { controls } from '../ui/styles/controls.ts';
import { switches } from '../ui/styles/switches.ts';
import { type ModelFilter, NO_FILTER, TASKS, type Task } from './model-filter.ts';

/** A field and a row of tasks that filter the lists of models. Fires `filter` with a `ModelFilter`. */
export class FilterBar extends LitElement {
  static override properties: PropertyDeclarations = { filter: { attribute: false } };
  declare filter: ModelFilter;

  static override styles = [
    controls,
    switches,
    css`
      :host {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 0.6rem;
        margin: 0.75rem 0;
      }
      input {
        flex: 1 1 12rem;
        min-width: min(12rem, 100%);
      }
      .switch {
        flex-wrap: wrap;
      }
    `,
  ];

  constructor() {
    super();
    this.filter = NO_FILTER;
  }

  override render() {
    const { tasks, allTasks, filter: words } = modelStrings;
    const button = (task: Task | undefined, label: string) =>
      html`<button aria-pressed=${task === this.filter.task} @click=${() => this.#change({ task })}>${label}</button>`;
    return html`<input
        class="pill"
        type="search"
        aria-label=${words}
        placeholder=${words}
        .value=${this.filter.text}
        @input=${(event: Event) => this.#change({ text: (event.target as HTMLInputElement).value })}
      />
      <span class="switch" role="group" aria-label=${modelStrings.task}>
        ${button(undefined, allTasks)} ${TASKS.map((task) => button(task, tasks[task]))}
      </span>`;
  }

  #change(part: Partial<ModelFilter>) {
    const detail: ModelFilter = { ...this.filter, ...part };
    this.dispatchEvent(new CustomEvent<ModelFilter>('filter', { detail }));
  }
}

customElements.define('tabd-model-filter', FilterBar);
