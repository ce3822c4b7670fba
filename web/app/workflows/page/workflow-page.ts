import { css, html, nothing, type PropertyDeclarations } from 'lit';
import type { AppState } from '../../app-state.ts';
import { commonStrings } from '../../strings/common.ts';
import { icon } from '../../ui/icon.ts';
import { type MenuEntry, menu } from '../../ui/menu.ts';
import { ObservingElement } from '../../ui/observing-element.ts';
import { saveFile } from '../../ui/save-file.ts';
import { controls } from '../../ui/styles/controls.ts';
import { scrolled } from '../../ui/styles/page.ts';
import { toasts } from '../../ui/toasts.ts';
import type { PageState } from '../editor/page-state.ts';
import type { ListState } from '../list-state.ts';
import { publishNoteView } from '../publish-note.ts';
import { routeHash, type WorkflowRoute } from '../route.ts';
import '../runs/run-table.ts';
import { workflowStrings } from '../../strings/workflows.ts';
import { workflowStyles } from '../workflow-styles.ts';
import { STARTED_BY_CALLS } from '../workflow-texts.ts';
import type { AddNode } from './add-node.ts';
import './add-node.ts';
import './address-panel.ts';
import { formStyles } from './form-styles.ts';
import './json-editor.ts';
import './model-need.ts';
import './node-form.ts';
import './node-outline.ts';

type Tab = Extract<WorkflowRoute, { screen: 'workflow' }>['tab'];
const TABS: Tab[] = ['nodes', 'canvas', 'json', 'executions'];

/** The page of a workflow, with tabs for nodes, canvas, JSON and executions. */
export class WorkflowPage extends ObservingElement<PageState> {
  static override properties: PropertyDeclarations = {
    ...ObservingElement.properties,
    app: { attribute: false },
    list: { attribute: false },
    tab: { attribute: false },
  };
  declare app: AppState;
  /** The list of workflows, to delete and duplicate. */
  declare list: ListState;
  declare tab: Tab;

  static override styles = [
    controls,
    scrolled,
    workflowStyles,
    formStyles,
    css`
      .view {
        max-width: 78rem;
        padding-top: 1.1rem;
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
      }
      /* Two lines: the name, and the actions. */
      @media (max-width: 40rem) {
        .view {
          padding-top: 0.5rem;
        }
        .head {
          gap: 0.15rem 0.35rem;
        }
        .head .back {
          display: grid;
          place-items: center;
          width: 2rem;
          height: 2.6rem;
          margin: 0 0 0 -0.6rem;
        }
        input.title {
          flex-basis: calc(100% - 5.5rem);
          max-width: none;
          margin-left: 0;
          padding: 0.35rem 0.2rem;
          text-overflow: ellipsis;
        }
        .head > button {
          padding: 0.25rem 0.7rem;
          font-size: 0.85rem;
        }
        .head > .round {
          width: 2rem;
          padding: 0;
        }
        .tabs {
          margin-top: 0.6rem;
        }
      }
    `,
  ];

  readonly #narrow = matchMedia('(max-width: 40rem)');
  readonly #onResize = () => this.requestUpdate();

  /** The import of the canvas. The page shows its failure, and the next visit repeats it. */
  #canvasLoad: Promise<unknown> | undefined;

  readonly #onKeydown = (event: KeyboardEvent) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.defaultPrevented) return;
    const key = event.key.toLowerCase();
    if (key === 's') {
      event.preventDefault();
      void this.state.save();
    } else if (key === 'z' && !isInTextField(event)) {
      event.preventDefault();
      if (event.shiftKey) this.state.redo();
      else this.state.undo();
    }
  };
  /** Closing the browser's page would lose unsaved changes. */
  readonly #onBeforeUnload = (event: BeforeUnloadEvent) => {
    if (this.state.dirty) event.preventDefault();
  };

  override connectedCallback() {
    super.connectedCallback();
    document.addEventListener('keydown', this.#onKeydown);
    addEventListener('beforeunload', this.#onBeforeUnload);
    this.#narrow.addEventListener('change', this.#onResize);
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    document.removeEventListener('keydown', this.#onKeydown);
    removeEventListener('beforeunload', this.#onBeforeUnload);
    this.#narrow.removeEventListener('change', this.#onResize);
  }

  override render() {
    const { state } = this;
    const back = html`<a class="back" href=${routeHash({ screen: 'list' })}>‹ ${workflowStrings.page.back}</a>`;
    if (state.missing) {
      return html`<div class="view">${back}<p>${workflowStrings.page.missing}</p></div>`;
    }
    if (!state.draft) {
      return html`<div class="view">
        ${back}
        ${
          state.failure === undefined
            ? html`<p class="soft" role="status">${workflowStrings.loading}</p>`
            : html`<div class="error" role="alert">${state.failure}</div>`
        }
      </div>`;
    }
    return html`<div class="view">
      ${this.#narrow.matches ? nothing : back} ${this.#head()}
      ${state.failure === undefined ? nothing : html`<div class="error" role="alert">${state.failure}</div>`}
      ${publishNoteView(state.note, (name) => state.select(name))}
      <tabd-model-need .app=${this.app} .nodes=${state.draft.nodes}></tabd-model-need>
      ${
        state.changedElsewhere
          ? html`<div class="notice" role="status">
              ${workflowStrings.page.changedElsewhere}
              <button class="small" @click=${() => state.loadStored()}>${workflowStrings.page.loadStored}</button>
            </div>`
          : nothing
      }
      <nav class="tabs" aria-label=${state.draft.name}>
        ${TABS.map(
          (tab) =>
            html`<a
              href=${routeHash({ screen: 'workflow', id: state.id, tab })}
              aria-current=${tab === this.tab ? 'page' : nothing}
              >${workflowStrings.page[tab]}</a
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
    const narrow = this.#narrow.matches;
    const live = stored?.active === true;
    const byHand = draft!.nodes.some(
      (node) => !node.disabled && state.typeOf(node)?.group === 'trigger' && !STARTED_BY_CALLS.has(node.type),
    );
    const title = html`<input
      class="title"
      type="text"
      aria-label=${workflowStrings.name}
      .value=${draft!.name}
      @change=${({ target }: Event) => {
        const name = (target as HTMLInputElement).value.trim();
        if (name !== '') state.change((current) => ({ ...current, name }));
        else (target as HTMLInputElement).value = draft!.name;
      }}
    />`;
    // On narrow screens these actions are in the menu.
    const moved: MenuEntry[] = [];
    if (narrow && byHand && !busy)
      moved.push({ label: workflowStrings.page.run, act: () => void state.run() });
    if (narrow && live && !busy)
      moved.push({ label: workflowStrings.unpublish, act: () => void state.unpublish() });
    const more = menu(workflowStrings.more(draft!.name), [
      ...moved,
      { label: workflowStrings.export, act: () => void this.#export() },
      { label: workflowStrings.duplicate, act: () => void this.#duplicate() },
      { label: workflowStrings.delete, danger: true, act: () => this.#delete() },
    ]);
    const step = (name: 'undo' | 'redo', can: boolean) =>
      html`<button
        class="plain round"
        aria-label=${workflowStrings.page[name]}
        aria-keyshortcuts=${name === 'undo' ? 'Control+Z' : 'Control+Shift+Z'}
        data-tip=${workflowStrings.page[name]}
        ?disabled=${!can}
        @click=${() => state[name]()}
      >
        ${icon(name)}
      </button>`;
    const save = (label: string, look = '') =>
      html`<button
        class=${look}
        aria-keyshortcuts="Control+S"
        data-tip=${label}
        ?disabled=${busy || !dirty}
        @click=${() => state.save()}
      >
        ${label}
      </button>`;
    return html`<div class="head">
      ${
        narrow
          ? html`<a class="back" href=${routeHash({ screen: 'list' })} aria-label=${workflowStrings.page.back}>${icon('left')}</a>`
          : nothing
      }
      ${title} ${narrow ? more : nothing}
      <span class="badge ${live ? 'good' : ''}">${live ? workflowStrings.published : workflowStrings.unpublished}</span>
      <span class=${narrow ? 'visually-hidden' : 'saved'} role="status"
        >${dirty ? workflowStrings.page.unsaved : workflowStrings.page.saved}</span
      >
      <span class="grow"></span>
      ${step('undo', state.canUndo)} ${step('redo', state.canRedo)}
      ${
        byHand && !narrow
          ? html`<button ?disabled=${busy} @click=${() => state.run()}>${workflowStrings.page.run}</button>`
          : nothing
      }
      ${
        live
          ? html`${
              narrow
                ? nothing
                : html`<button ?disabled=${busy} @click=${() => state.unpublish()}>${workflowStrings.unpublish}</button>`
            }
            ${narrow && !dirty ? nothing : save(workflowStrings.page.saveLive, 'primary')}`
          : html`${narrow && !dirty ? nothing : save(workflowStrings.page.save)}
              <button class="primary" ?disabled=${busy} @click=${() => state.publish()}>${workflowStrings.publish}</button>`
      }
      ${narrow ? nothing : more}
    </div>`;
  }

  #tab() {
    const { state } = this;
    switch (this.tab) {
      case 'json':
        return html`<tabd-workflow-json .state=${state}></tabd-workflow-json>`;
      case 'executions':
        return html`<tabd-run-table .state=${state}></tabd-run-table>`;
      case 'canvas':
        return this.#canvas();
      case 'nodes':
        return html`<div class="columns">
          <tabd-node-outline
            .state=${state}
            @add=${({ detail }: CustomEvent<string | undefined>) =>
              this.renderRoot.querySelector<AddNode>('tabd-add-node')!.open(detail)}
            @chosen=${this.#showForm}
          ></tabd-node-outline>
          <tabd-address-panel ?here=${this.app.server === 'tab'} .app=${this.app} .state=${state}></tabd-address-panel>
          ${this.#form()}
        </div>`;
    }
  }

  #form() {
    const { state } = this;
    return html`<div class="card form">
      <tabd-node-form
        .state=${state}
        .workflows=${(this.list.workflows ?? []).filter(({ id }) => id !== state.id)}
      ></tabd-node-form>
    </div>`;
  }

  /** The graph editor is large, so it is loaded on first use. */
  #canvas() {
    const { state } = this;
    if (!customElements.get('tabd-workflow-canvas')) {
      this.#canvasLoad ??= state.attempt(() => import('./workflow-canvas.ts'));
      return html`<p class="soft" role="status">${workflowStrings.loading}</p>`;
    }
    return html`<tabd-workflow-canvas .state=${state} @run=${() => state.run()}>${this.#form()}</tabd-workflow-canvas>`;
  }

  /** Scrolls to the form when it lies below the outline. */
  async #showForm() {
    await this.updateComplete;
    const form = this.renderRoot.querySelector('.form');
    if (form && form.getBoundingClientRect().top > innerHeight * 0.6) form.scrollIntoView({ block: 'start' });
  }

  async #export() {
    const text = await this.list.export(this.state.id);
    if (text !== undefined) saveFile(`${this.state.draft!.name}.json`, 'application/json', text);
  }

  async #duplicate() {
    const { stored, draft } = this.state;
    if (!stored || !draft) return;
    await this.list.duplicate({ ...stored, ...draft });
    location.hash = routeHash({ screen: 'list' });
  }

  #delete() {
    const { list, state } = this;
    const { id } = state;
    const texts = { text: workflowStrings.deleted(state.draft!.name), undo: commonStrings.undo };
    toasts.deleteLater(`workflow ${id}`, texts, () => list.delete(id));
    location.hash = routeHash({ screen: 'list' });
  }
}

/** Whether the event comes from a text field, which has an undo of its own. */
function isInTextField(event: Event): boolean {
  const [at] = event.composedPath();
  return (
    at instanceof HTMLTextAreaElement ||
    (at instanceof HTMLInputElement && !/^(checkbox|button)$/.test(at.type))
  );
}

customElements.define('tabd-workflow-page', WorkflowPage);
