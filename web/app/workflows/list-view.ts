import { css, html, nothing, type PropertyDeclarations } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { commonStrings } from '../strings/common.ts';
import { menu } from '../ui/menu.ts';
import { saveFile } from '../ui/save-file.ts';
import { controls } from '../ui/styles/controls.ts';
import { dialogs } from '../ui/styles/dialogs.ts';
import { lists } from '../ui/styles/lists.ts';
import { scrolled } from '../ui/styles/page.ts';
import { ToastWatcher } from '../ui/toast-watcher.ts';
import { toasts } from '../ui/toasts.ts';
import type { ListState } from './list-state.ts';
import './new-workflow.ts';
import { workflowStrings } from '../strings/workflows.ts';
import { ObservingElement } from '../ui/observing-element.ts';
import type { StoredWorkflow } from './api-types.ts';
import { publishNoteView } from './publish-note.ts';
import { routeHash } from './route.ts';
import { runBadge } from './run-badge.ts';
import { sectionLinks } from './section-links.ts';
import { workflowStyles } from './workflow-styles.ts';
import { relativeTime, triggerText } from './workflow-texts.ts';

/** The list of workflows. */
export class WorkflowList extends ObservingElement<ListState> {
  static override properties: PropertyDeclarations = {
    ...ObservingElement.properties,
    renaming: { state: true },
  };
  /** The id of the workflow whose name is edited. */
  declare renaming: string | undefined;

  static override styles = [
    controls,
    scrolled,
    lists,
    dialogs,
    workflowStyles,
    css`
      .view {
        max-width: 58rem;
      }
      .head + p {
        margin-top: 0.75rem;
      }
      ul.list {
        display: grid;
        gap: 0.6rem;
        margin-top: 1.25rem;
      }
      li.card {
        padding: 0.8rem 0.8rem 0.8rem 1.1rem;
      }
      .row {
        display: grid;
        grid-template-columns: minmax(0, 1fr) auto;
        align-items: center;
        gap: 0.35rem 0.75rem;
      }
      .title {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 0.2rem 0.7rem;
      }
      .title a {
        color: var(--text);
        font-weight: 600;
        text-decoration: none;
        overflow-wrap: anywhere;
      }
      .title a:hover {
        text-decoration: underline;
      }
      .about {
        display: flex;
        flex-wrap: wrap;
        gap: 0.15rem 1rem;
        align-items: center;
        margin-top: 0.2rem;
        color: var(--soft);
        font-size: 0.85rem;
        overflow-wrap: anywhere;
      }
      .about a {
        display: inline-flex;
        align-items: center;
        gap: 0.4rem;
        white-space: nowrap;
        color: inherit;
        text-decoration: none;
      }
      .about a:hover {
        text-decoration: underline;
      }
      .buttons {
        gap: 0.25rem;
      }
      form {
        display: flex;
        gap: 0.5rem;
      }
      tabd-new-workflow {
        display: block;
        margin-top: 1rem;
      }
    `,
  ];

  constructor() {
    super();
    new ToastWatcher(this);
  }

  override render() {
    const { failure } = this.state;
    const workflows = this.state.workflows?.filter(({ id }) => !toasts.isDeleted(`workflow ${id}`));
    return html`<div class="view">
      ${sectionLinks('list')}
      <div class="head">
        <h1>${workflowStrings.heading}</h1>
        <span class="grow"></span>
        ${
          workflows && workflows.length > 0
            ? html`<button class="primary" @click=${() => this.#dialog.showModal()}>${workflowStrings.newWorkflow}</button>`
            : nothing
        }
      </div>
      <p class="soft">${workflowStrings.subtitle}</p>
      ${failure === undefined ? nothing : html`<div class="error" role="alert">${failure}</div>`}
      ${workflows === undefined && failure === undefined ? html`<p class="soft" role="status">${workflowStrings.loading}</p>` : nothing}
      ${
        workflows?.length === 0
          ? html`<p>${workflowStrings.none}</p>
              <tabd-new-workflow .state=${this.state}></tabd-new-workflow>`
          : nothing
      }
      ${
        workflows && workflows.length > 0
          ? html`<ul class="list">
              ${repeat(
                workflows,
                ({ id }) => id,
                (workflow) => this.#row(workflow),
              )}
            </ul>`
          : nothing
      }
      <dialog aria-label=${workflowStrings.createWorkflow}>
        <div class="head">
          <h2>${workflowStrings.createWorkflow}</h2>
          <span class="grow"></span>
          <button class="plain" @click=${() => this.#dialog.close()}>${workflowStrings.close}</button>
        </div>
        <tabd-new-workflow .state=${this.state} @made=${() => this.#dialog.close()}></tabd-new-workflow>
      </dialog>
    </div>`;
  }

  get #dialog() {
    return this.renderRoot.querySelector('dialog')!;
  }

  #row(workflow: StoredWorkflow) {
    const { id, name, active } = workflow;
    const busy = this.state.busy === id;
    return html`<li class="card" aria-busy=${busy}>
      <div class="row">
        <div>
          ${
            this.renaming === id
              ? html`<form @submit=${(event: Event) => this.#rename(event, workflow)}>
                  <input
                    type="text"
                    aria-label=${workflowStrings.name}
                    .value=${name}
                    @keydown=${(event: KeyboardEvent) => event.key === 'Escape' && this.#renamed()}
                  />
                  <button>${workflowStrings.rename}</button>
                </form>`
              : html`<div class="title">
                  <a href=${routeHash({ screen: 'workflow', id, tab: 'nodes' })}>${name}</a>
                  <span class="badge ${active ? 'good' : ''}"
                    >${active ? workflowStrings.published : workflowStrings.unpublished}</span
                  >
                </div>`
          }
          <div class="about"><span class="mono">${triggerText(workflow)}</span> ${this.#last(id)}</div>
        </div>
        <div class="buttons">
          <button
            class="small"
            aria-label="${active ? workflowStrings.unpublish : workflowStrings.publish}: ${name}"
            ?disabled=${busy}
            @click=${() => this.state.togglePublished(workflow)}
          >
            ${active ? workflowStrings.unpublish : workflowStrings.publish}
          </button>
          ${menu(workflowStrings.more(name), [
            { label: workflowStrings.rename, act: () => this.#startRenaming(id) },
            { label: workflowStrings.duplicate, act: () => void this.state.duplicate(workflow) },
            { label: workflowStrings.export, act: () => void this.#export(workflow) },
            {
              label: workflowStrings.delete,
              danger: true,
              act: () => {
                const { state } = this;
                const texts = { text: workflowStrings.deleted(name), undo: commonStrings.undo };
                toasts.deleteLater(`workflow ${id}`, texts, () => state.delete(id));
              },
            },
          ])}
        </div>
      </div>
      ${publishNoteView(this.state.notes.get(id))}
    </li>`;
  }

  #last(id: string) {
    const run = this.state.lastRuns.get(id);
    if (!run) return html`<span>${workflowStrings.neverRan}</span>`;
    return html`<a href=${routeHash({ screen: 'execution', id, execution: run.id })}>
      <span class="visually-hidden">${workflowStrings.lastRun}:</span> ${runBadge(run.status)}
      ${run.startedAt === null ? nothing : relativeTime(run.startedAt)}
    </a>`;
  }

  async #startRenaming(id: string) {
    this.renaming = id;
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLInputElement>('form input')?.select();
  }

  async #rename(event: Event, workflow: StoredWorkflow) {
    event.preventDefault();
    const { value } = (event.target as HTMLFormElement).querySelector('input')!;
    this.#renamed();
    await this.state.rename(workflow, value);
  }

  #renamed() {
    this.renaming = undefined;
  }

  async #export({ id, name }: StoredWorkflow) {
    const text = await this.state.export(id);
    if (text !== undefined) saveFile(`${name}.json`, 'application/json', text);
  }
}

customElements.define('tabd-workflow-list', WorkflowList);
