import { css, html, nothing, type PropertyDeclarations } from 'lit';
import { controls, scrolled } from '../../ui/theme.ts';
import type { PageState } from '../editor/page-state.ts';
import type { ListState } from '../list-state.ts';
import { menu, saveFile } from '../menu.ts';
import { ObservingElement } from '../observing-element.ts';
import { publishNoteView } from '../publish-note.ts';
import { hashOf, type Place } from '../route.ts';
import '../runs/run-table.ts';
import { shared } from '../styles.ts';
import { words } from '../words.ts';
import type { AddNode } from './add-node.ts';
import './add-node.ts';
import './address-panel.ts';
import { formStyles } from './form-styles.ts';
import './json-editor.ts';
import './node-form.ts';
import './node-outline.ts';

type Tab = Extract<Place, { screen: 'workflow' }>['tab'];
const TABS: Tab[] = ['nodes', 'json', 'executions'];

/** One workflow: what it is made of, how it is called, what it did. */
export class WorkflowPage extends ObservingElement<PageState> {
  static override properties: PropertyDeclarations = {
    ...ObservingElement.properties,
    list: { attribute: false },
    tab: { attribute: false },
  };
  /** For what else there is: other workflows, deleting. */
  declare list: ListState;
  declare tab: Tab;

  static override styles = [
    controls,
    scrolled,
    shared,
    formStyles,
    css`
      .view {
        max-width: 78rem;
        padding-top: 1.1rem;
      }
      .back {
        display: inline-block;
        margin-bottom: 0.4rem;
        font-size: 0.85rem;
        color: var(--soft);
        text-decoration: none;
      }
      .back:hover {
        color: var(--text);
      }
      input.title {
        flex: 1 1 14rem;
        min-width: 0;
        max-width: 30rem;
        margin-left: -0.7rem;
        border-color: transparent;
        background: transparent;
        font-size: 1.35rem;
        font-weight: 650;
        letter-spacing: -0.015em;
        min-height: 2.6rem;
      }
      input.title:hover {
        border-color: var(--line);
      }
      .saved {
        font-size: 0.8rem;
        color: var(--soft);
      }
      .columns {
        display: grid;
        grid-template: 'outline form' auto 'address form' 1fr / minmax(17rem, 25rem) minmax(0, 1fr);
        gap: 1.1rem 1.5rem;
        align-items: start;
      }
      tabd-node-outline {
        grid-area: outline;
      }
      tabd-address-panel {
        grid-area: address;
      }
      .form {
        grid-area: form;
        padding: 1.1rem 1.2rem 1.4rem;
      }
      @media (max-width: 56rem) {
        .columns {
          grid-template: 'outline' auto 'form' auto 'address' auto / minmax(0, 1fr);
        }
        .view {
          padding-left: 1rem;
          padding-right: 1rem;
        }
        input.title {
          flex-basis: 100%;
          max-width: none;
        }
      }
    `,
  ];

  readonly #key = (event: KeyboardEvent) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
    const key = event.key.toLowerCase();
    if (key === 's') {
      event.preventDefault();
      void this.state.save();
    } else if (key === 'z' && !isTyped(event)) {
      event.preventDefault();
      if (event.shiftKey) this.state.redo();
      else this.state.undo();
    }
  };
  /** What is not saved would be lost with the page. */
  readonly #unload = (event: BeforeUnloadEvent) => {
    if (this.state.dirty) event.preventDefault();
  };

  override connectedCallback() {
    super.connectedCallback();
    document.addEventListener('keydown', this.#key);
    addEventListener('beforeunload', this.#unload);
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    document.removeEventListener('keydown', this.#key);
    removeEventListener('beforeunload', this.#unload);
  }

  override render() {
    const { state } = this;
    const back = html`<a class="back" href=${hashOf({ screen: 'list' })}>‹ ${words.page.back}</a>`;
    if (state.gone) {
      return html`<div class="view">${back}<p>${words.page.gone}</p></div>`;
    }
    if (!state.draft) {
      return html`<div class="view">
        ${back}
        ${
          state.failure === undefined
            ? html`<p class="soft" role="status">${words.loading}</p>`
            : html`<div class="error" role="alert">${state.failure}</div>`
        }
      </div>`;
    }
    return html`<div class="view">
      ${back} ${this.#head()}
      ${state.failure === undefined ? nothing : html`<div class="error" role="alert">${state.failure}</div>`}
      ${publishNoteView(state.note, (name) => state.select(name))}
      ${
        state.changedElsewhere
          ? html`<div class="notice" role="status">
              ${words.page.changedElsewhere}
              <button class="small" @click=${() => state.takeTheirs()}>${words.page.takeTheirs}</button>
            </div>`
          : nothing
      }
      <nav class="tabs" aria-label=${state.draft.name}>
        ${TABS.map(
          (tab) =>
            html`<a
              href=${hashOf({ screen: 'workflow', id: state.id, tab })}
              aria-current=${tab === this.tab ? 'page' : nothing}
              >${words.page[tab]}</a
            >`,
        )}
      </nav>
      ${this.#tab()}
      <tabd-add-node .state=${state}></tabd-add-node>
    </div>`;
  }

  #head() {
    const { state } = this;
    const { draft, stored, dirty, busy } = state;
    const live = stored?.active === true;
    const byHand = draft!.nodes.some(
      (node) =>
        !node.disabled && state.typeOf(node)?.group === 'trigger' && node.type !== 'n8n-nodes-base.webhook',
    );
    return html`<div class="head">
      <input
        class="title"
        type="text"
        aria-label=${words.name}
        .value=${draft!.name}
        @change=${({ target }: Event) => {
          const name = (target as HTMLInputElement).value.trim();
          if (name !== '') state.change((one) => ({ ...one, name }));
          else (target as HTMLInputElement).value = draft!.name;
        }}
      />
      <span class="badge ${live ? 'good' : ''}">${live ? words.published : words.unpublished}</span>
      <span class="saved" role="status">${dirty ? words.page.unsaved : words.page.saved}</span>
      <span class="grow"></span>
      <button class="plain" ?disabled=${!state.canUndo} @click=${() => state.undo()}>${words.page.undo}</button>
      <button class="plain" ?disabled=${!state.canRedo} @click=${() => state.redo()}>${words.page.redo}</button>
      ${byHand ? html`<button ?disabled=${busy} @click=${() => state.run()}>${words.page.run}</button>` : nothing}
      ${
        live
          ? html`<button ?disabled=${busy} @click=${() => state.unpublish()}>${words.unpublish}</button>
              <button class="primary" ?disabled=${busy || !dirty} @click=${() => state.save()}>
                ${words.page.saveLive}
              </button>`
          : html`<button ?disabled=${busy || !dirty} @click=${() => state.save()}>${words.page.save}</button>
              <button class="primary" ?disabled=${busy} @click=${() => state.publish()}>${words.publish}</button>`
      }
      ${menu(words.more(draft!.name), [
        { label: words.export, act: () => void this.#export() },
        { label: words.duplicate, act: () => void this.#duplicate() },
        { label: words.delete, danger: true, act: () => void this.#delete() },
      ])}
    </div>`;
  }

  #tab() {
    const { state } = this;
    switch (this.tab) {
      case 'json':
        return html`<tabd-workflow-json .state=${state}></tabd-workflow-json>`;
      case 'executions':
        return html`<tabd-run-table .state=${state}></tabd-run-table>`;
      case 'nodes':
        return html`<div class="columns">
          <tabd-node-outline
            .state=${state}
            @add=${({ detail }: CustomEvent<string | undefined>) =>
              this.renderRoot.querySelector<AddNode>('tabd-add-node')!.open(detail)}
            @chosen=${this.#showForm}
          ></tabd-node-outline>
          <tabd-address-panel .state=${state}></tabd-address-panel>
          <div class="card form">
            <tabd-node-form
              .state=${state}
              .workflows=${(this.list.workflows ?? []).filter(({ id }) => id !== state.id)}
            ></tabd-node-form>
          </div>
        </div>`;
    }
  }

  /** Where the form is below the outline, it comes into sight. */
  async #showForm() {
    await this.updateComplete;
    const form = this.renderRoot.querySelector('.form');
    if (form && form.getBoundingClientRect().top > innerHeight * 0.6) form.scrollIntoView({ block: 'start' });
  }

  async #export() {
    const text = await this.list.export(this.state.id);
    if (text !== undefined) saveFile(`${this.state.draft!.name}.json`, text);
  }

  async #duplicate() {
    const { stored, draft } = this.state;
    if (!stored || !draft) return;
    await this.list.duplicate({ ...stored, ...draft });
    location.hash = hashOf({ screen: 'list' });
  }

  async #delete() {
    if (!confirm(words.confirmDelete(this.state.draft!.name))) return;
    await this.list.delete(this.state.id);
    if (this.list.failure === undefined) location.hash = hashOf({ screen: 'list' });
  }
}

/** In a text field the browser's own undo counts. */
function isTyped(event: Event): boolean {
  const [at] = event.composedPath();
  return (
    at instanceof HTMLTextAreaElement ||
    (at instanceof HTMLInputElement && !/^(checkbox|button)$/.test(at.type))
  );
}

customElements.define('tabd-workflow-page', WorkflowPage);
