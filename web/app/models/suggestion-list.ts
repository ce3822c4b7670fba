import { css, html, LitElement, nothing, type PropertyDeclarations } from 'lit';
import type { Recommendation } from '../api-client.ts';
import type { BundledModel } from '../images/first-model.ts';
import { modelStrings } from '../strings/models.ts';
import { controls } from '../ui/styles/controls.ts';
import { fitChip, fitStyles, memoryBar } from './fit-chip.ts';
import { type Group, grouped, groupOf, type ModelFilter, NO_FILTER, passesFilter } from './model-filter.ts';
import type { DeviceResources } from './resources.ts';
import { bestSuggestion, type SuggestionFacts, suggestionFacts } from './suggestion-facts.ts';

/** How many models of a group are shown at first. */
const FIRST = 3;

/** Recommended models by task, with what they need of this device. Fires `get` with the name of a model. */
export class SuggestionList extends LitElement {
  static override properties: PropertyDeclarations = {
    suggestions: { attribute: false },
    resources: { attribute: false },
    pageModel: { attribute: false },
    filter: { attribute: false },
    opened: { state: true },
  };
  declare suggestions: readonly Recommendation[];
  declare resources: DeviceResources | undefined;
  /** The model that the page's server offers as a file. */
  declare pageModel: BundledModel | undefined;
  declare filter: ModelFilter;
  /** The groups of which all models are shown. */
  declare opened: ReadonlySet<Group>;

  static override styles = [
    controls,
    fitStyles,
    css`
      h3 {
        margin: 1rem 0 0.25rem;
        color: var(--soft);
        font-size: var(--text-sm);
        font-weight: 550;
      }
      h3:first-child {
        margin-top: 0;
      }
      .suggestion {
        display: flex;
        align-items: center;
        gap: 0.75rem;
        padding: 0.55rem 0;
        border-top: 1px solid var(--line);
      }
      h3 + .suggestion {
        border-top: 0;
      }
      .suggestion div {
        flex: 1;
        min-width: 0;
      }
      .best {
        color: var(--accent);
        font-size: var(--text-sm);
        font-weight: 550;
      }
      .more {
        margin-left: -0.6rem;
      }
    `,
  ];

  constructor() {
    super();
    this.suggestions = [];
    this.filter = NO_FILTER;
    this.opened = new Set();
  }

  override render() {
    const all = this.suggestions.map((suggestion) =>
      suggestionFacts(suggestion, this.resources, this.pageModel),
    );
    const best = bestSuggestion(all);
    const shown = all.filter(({ suggestion }) => passesFilter(named(suggestion), this.filter));
    if (shown.length === 0 && all.length > 0) return html`<p class="soft">${modelStrings.noMatch}</p>`;
    const group = ({ suggestion }: SuggestionFacts) => groupOf(named(suggestion));
    // The best one is always among the first of its group.
    if (best) shown.sort((a, b) => Number(b === best) - Number(a === best));
    return grouped(shown, group).map(([task, members]) => this.#group(task, members, best));
  }

  #group(task: Group, members: readonly SuggestionFacts[], best: SuggestionFacts | undefined) {
    const isFiltered = this.filter.text.trim() !== '' || this.filter.task !== undefined;
    const shown = isFiltered || this.opened.has(task) ? members : members.slice(0, FIRST);
    const hidden = members.length - shown.length;
    return html`<h3>${modelStrings.groups[task]}</h3>
      ${shown.map((facts) => this.#suggestion(facts, facts === best))}
      ${
        hidden > 0
          ? html`<button
              class="plain more"
              @click=${() => {
                this.opened = new Set([...this.opened, task]);
              }}
            >
              ${modelStrings.more(hidden)}
            </button>`
          : nothing
      }`;
  }

  #suggestion({ suggestion, fit, facts }: SuggestionFacts, isBest: boolean) {
    const { model, description } = suggestion;
    return html`<div class="suggestion">
      <div>
        <strong>${model}</strong> ${fitChip(fit)}
        ${isBest ? html`<span class="best">${modelStrings.best}</span>` : nothing}<br />
        <span class="soft small">${description}</span><br />
        <span class="soft small num">${facts.join(' · ')}</span>
        ${memoryBar(fit)}
      </div>
      <button
        aria-label=${modelStrings.actionOn(modelStrings.pull, model)}
        @click=${() => this.dispatchEvent(new CustomEvent<string>('get', { detail: model }))}
      >
        ${modelStrings.pull}
      </button>
    </div>`;
  }
}

const named = ({ model, description, capabilities }: Recommendation) => ({
  name: model,
  description,
  ...(capabilities && { capabilities }),
});

customElements.define('tabd-suggestions', SuggestionList);
