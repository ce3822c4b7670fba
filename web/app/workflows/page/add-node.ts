import { css, html, nothing, type PropertyDeclarations } from 'lit';
import { workflowStrings } from '../../strings/workflows.ts';
import { ObservingElement } from '../../ui/observing-element.ts';
import { controls } from '../../ui/styles/controls.ts';
import { dialogs } from '../../ui/styles/dialogs.ts';
import { lists } from '../../ui/styles/lists.ts';
import type { NodeInfo } from '../api-types.ts';
import { addNode } from '../editor/draft.ts';
import type { PageState } from '../editor/page-state.ts';
import { workflowStyles } from '../workflow-styles.ts';

const GROUPS = ['trigger', 'model', 'flow', 'data', 'network'] as const;

/** A dialog to choose the type of a new node. Fires `added` when the node exists. */
export class AddNode extends ObservingElement<PageState> {
  static override properties: PropertyDeclarations = {
    ...ObservingElement.properties,
    query: { state: true },
  };
  declare query: string;
  #after: string | undefined;

  static override styles = [
    controls,
    lists,
    dialogs,
    workflowStyles,
    css`
      ul {
        display: grid;
        grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr));
        gap: 0.25rem;
      }
      li button {
        border-color: transparent;
        border-radius: 10px;
        padding: 0.45rem 0.7rem;
        background: transparent;
        font-weight: 550;
      }
      li button:hover {
        background: var(--surface);
      }
      li span {
        font-size: 0.8rem;
      }
      input[type='search'] {
        margin-top: 0.9rem;
      }
    `,
  ];

  constructor() {
    super();
    this.query = '';
  }

  /** @param after the node to connect to the new one */
  async open(after: string | undefined) {
    this.#after = after;
    this.query = '';
    await this.updateComplete;
    this.#dialog.showModal();
  }

  get #dialog() {
    return this.renderRoot.querySelector('dialog')!;
  }

  override render() {
    const found = [...this.state.nodeTypes.values()].filter(({ label, description, name }) =>
      `${label} ${description} ${name}`.toLowerCase().includes(this.query.trim().toLowerCase()),
    );
    return html`<dialog aria-label=${workflowStrings.node.choose}>
      <div class="head">
        <h2>${workflowStrings.node.choose}</h2>
        <span class="grow"></span>
        <button class="plain" @click=${() => this.#dialog.close()}>${workflowStrings.close}</button>
      </div>
      <input
        type="search"
        autofocus
        aria-label=${workflowStrings.node.search}
        placeholder=${workflowStrings.node.search}
        .value=${this.query}
        @input=${({ target }: Event) => {
          this.query = (target as HTMLInputElement).value;
        }}
        @keydown=${(event: KeyboardEvent) => {
          if (event.key !== 'Enter' || !found[0]) return;
          // Without this, the key would press the button that regains the focus, and reopen the dialog.
          event.preventDefault();
          this.#choose(found[0]);
        }}
      />
      ${found.length === 0 ? html`<p class="soft" role="status">${workflowStrings.node.noResults}</p>` : nothing}
      ${GROUPS.map((group) => {
        const inGroup = found.filter((type) => type.group === group);
        if (inGroup.length === 0) return nothing;
        return html`<h3>${workflowStrings.node.groups[group]}</h3>
          <ul class="tiles">
            ${inGroup.map(
              (type) =>
                html`<li>
                  <button @click=${() => this.#choose(type)}>${type.label}<span>${type.description}</span></button>
                </li>`,
            )}
          </ul>`;
      })}
    </dialog>`;
  }

  #choose(info: NodeInfo) {
    this.#dialog.close();
    let added: string | undefined;
    this.state.change((draft) => {
      const result = addNode(draft, info, this.#after);
      added = result.name;
      return result.draft;
    });
    this.state.select(added);
    this.dispatchEvent(new Event('added'));
  }
}

customElements.define('tabd-add-node', AddNode);
