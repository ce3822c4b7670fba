import { css, html, LitElement, nothing, type PropertyDeclarations } from 'lit';
import { controls } from '../../ui/styles/controls.ts';
import { dialogs } from '../../ui/styles/dialogs.ts';
import { lists } from '../../ui/styles/lists.ts';
import type { WireEnd } from '../canvas/wire-flow.ts';
import { socketColor } from '../controls/socket-colors.ts';
import { type NodeKind, noKinds } from '../nodes/node-kind.ts';
import type { GraphState } from '../state/graph-state.ts';
import { graphStrings } from '../strings.ts';

/** The user selected the kind of a new node. */
export class KindSelectedEvent extends Event {
  constructor(readonly kind: NodeKind) {
    super('kind-chosen');
  }
}

/** The dialog with a searchable list of node kinds. */
export class AddDialog extends LitElement {
  static override properties: PropertyDeclarations = {
    state: { attribute: false },
    wire: { attribute: false },
    query: { state: true },
    chosen: { state: true },
  };
  declare state: GraphState;
  /** Limits the list to kinds that this wire can be connected to. */
  declare wire: WireEnd | undefined;
  declare query: string;
  declare chosen: number;

  static override styles = [
    controls,
    lists,
    dialogs,
    css`
      dialog {
        --width: 30rem;
        width: 100%;
        height: min(34rem, 80dvh);
        padding: 0;
        box-shadow: 0 18px 60px rgb(0 0 0 / 28%);
        overflow: hidden;
      }
      dialog[open] {
        display: flex;
        flex-direction: column;
      }
      .top {
        display: flex;
        gap: 0.5rem;
        padding: 0.75rem;
        border-bottom: 1px solid var(--line);
      }
      ul {
        flex: 1;
        padding: 0.4rem;
        overflow-y: auto;
      }
      .category {
        padding: 0.6rem 0.6rem 0.2rem;
        font-size: 0.75rem;
        color: var(--soft);
      }
      .kind {
        display: flex;
        align-items: baseline;
        gap: 0.5rem;
        padding: 0.35rem 0.6rem;
        border-radius: 8px;
        font-size: 0.9rem;
        cursor: pointer;
      }
      .kind[aria-selected='true'] {
        background: var(--accent-wash);
      }
      .kind small {
        margin-left: auto;
        color: var(--soft);
        text-align: right;
      }
      .types {
        display: inline-flex;
        gap: 3px;
      }
      .types i {
        width: 8px;
        height: 8px;
        border-radius: 50%;
        background: var(--color);
      }
      p {
        padding: 1rem;
      }
    `,
  ];

  constructor() {
    super();
    this.query = '';
    this.chosen = 0;
  }

  show(): void {
    this.query = '';
    this.chosen = 0;
    const dialog = this.renderRoot.querySelector('dialog')!;
    dialog.showModal();
    const input = this.renderRoot.querySelector('input')!;
    input.value = '';
    input.focus();
  }

  override render() {
    const kinds = this.#matches();
    let category: string | undefined;
    return html`<dialog
      aria-label=${graphStrings.addTitle}
      @click=${(event: Event) => event.target === event.currentTarget && this.#close()}
      @keydown=${(event: Event) => event.stopPropagation()}
    >
      <div class="top">
        <input
          class="pill"
          type="text"
          role="combobox"
          aria-expanded="true"
          aria-controls="kinds"
          aria-autocomplete="list"
          aria-activedescendant=${kinds.length > 0 ? `kind-${this.chosen}` : nothing}
          aria-label=${graphStrings.search}
          placeholder=${graphStrings.search}
          autocomplete="off"
          spellcheck="false"
          @input=${this.#filter}
          @keydown=${(event: KeyboardEvent) => this.#key(event, kinds)}
        />
        <button class="plain" @click=${this.#close}>${graphStrings.close}</button>
      </div>
      <ul id="kinds" role="listbox" aria-label=${graphStrings.addTitle}>
        ${kinds.map((kind, at) => {
          const path = kind.category.join(' › ');
          const head =
            path === category ? nothing : html`<li class="category" role="presentation">${path}</li>`;
          category = path;
          return html`${head}
            <li
              class="kind"
              id="kind-${at}"
              role="option"
              aria-selected=${at === this.chosen ? 'true' : 'false'}
              aria-description=${kind.help ?? nothing}
              data-tip=${kind.help ?? nothing}
              @click=${() => this.#select(kind)}
              @pointermove=${() => {
                this.chosen = at;
              }}
            >
              ${kind.title}
              <small>${kind.title === kind.type ? nothing : kind.type}</small>
              <span class="types" aria-hidden="true">
                ${kind.outputs.map(({ socket }) => html`<i style="--color:${socketColor(socket)}"></i>`)}
              </span>
            </li>`;
        })}
      </ul>
      ${kinds.length === 0 ? html`<p class="soft">${this.#isLoading ? graphStrings.loadingKinds : graphStrings.noMatch}</p>` : nothing}
      <span class="visually-hidden" role="status">${graphStrings.results(kinds.length)}</span>
    </dialog>`;
  }

  protected override updated() {
    this.renderRoot.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }

  get #isLoading(): boolean {
    return this.state.kinds === noKinds;
  }

  #matches(): NodeKind[] {
    const parts = this.query.toLowerCase().split(/\s+/).filter(Boolean);
    const rank = ({ title, type }: NodeKind) => {
      const [first = ''] = parts;
      return title.toLowerCase().startsWith(first) || type.toLowerCase().startsWith(first) ? 0 : 1;
    };
    return this.state.kinds
      .all()
      .filter((kind) => !kind.hidden && this.#canConnect(kind))
      .filter(({ title, type, category }) => {
        const text = `${title} ${type} ${category.join(' ')}`.toLowerCase();
        return parts.every((part) => text.includes(part));
      })
      .sort(
        (a, b) =>
          (parts.length > 0 ? rank(a) - rank(b) : 0) ||
          order(a).localeCompare(order(b)) ||
          a.title.localeCompare(b.title),
      );
  }

  #canConnect({ inputs, outputs }: NodeKind): boolean {
    const { wire, state } = this;
    if (!wire) return true;
    const isOutput = 'from' in wire;
    const node = state.graph.nodes.get(isOutput ? wire.from : wire.to);
    const kind = node && state.kindOf(node);
    const type = isOutput
      ? kind?.outputs[wire.output]?.socket
      : kind?.inputs.find(({ name }) => name === wire.input)?.socket;
    if (type === undefined) return false;
    return isOutput
      ? inputs.some(({ socket }) => socket !== undefined && state.kinds.canConnect(type, socket))
      : outputs.some(({ socket }) => state.kinds.canConnect(socket, type));
  }

  #filter(event: Event) {
    this.query = (event.target as HTMLInputElement).value;
    this.chosen = 0;
  }

  #key(event: KeyboardEvent, kinds: NodeKind[]) {
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
    if (by !== undefined) {
      event.preventDefault();
      this.chosen = Math.min(kinds.length - 1, Math.max(0, this.chosen + by));
    }
    const kind = kinds[this.chosen];
    if (event.key === 'Enter' && kind) {
      event.preventDefault();
      this.#select(kind);
    }
  }

  #select(kind: NodeKind) {
    this.#close();
    this.dispatchEvent(new KindSelectedEvent(kind));
  }

  #close() {
    this.renderRoot.querySelector('dialog')!.close();
  }
}

/** Sort key: experimental categories, which begin with `_`, come last. */
const order = ({ category }: NodeKind) => (category[0]?.startsWith('_') ? '\uffff' : '') + category.join('/');

customElements.define('tabd-graph-add', AddDialog);
