import { css, html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { commonStrings } from '../../strings/common.ts';
import { workflowStrings } from '../../strings/workflows.ts';
import { ObservingElement } from '../../ui/observing-element.ts';
import { controls } from '../../ui/styles/controls.ts';
import { tables } from '../../ui/styles/tables.ts';
import { ToastWatcher } from '../../ui/toast-watcher.ts';
import { toasts } from '../../ui/toasts.ts';
import type { Execution } from '../api-types.ts';
import type { PageState } from '../editor/page-state.ts';
import { routeHash } from '../route.ts';
import { runBadge } from '../run-badge.ts';
import { workflowStyles } from '../workflow-styles.ts';
import { relativeTime, runDuration } from '../workflow-texts.ts';

/** The runs of a workflow, updated live. */
export class RunTable extends ObservingElement<PageState> {
  static override styles = [
    controls,
    tables,
    workflowStyles,
    css`
      a {
        font-weight: 550;
      }
      .wide {
        overflow-x: auto;
      }
      td {
        white-space: nowrap;
      }
      td:last-child {
        text-align: right;
      }
      button.more {
        margin-top: 1rem;
      }
      @media (max-width: 36rem) {
        .rare {
          display: none;
        }
      }
    `,
  ];

  constructor() {
    super();
    new ToastWatcher(this);
  }

  override render() {
    const { list, hasMore } = this.state.runs;
    if (list === undefined) return html`<p class="soft" role="status">${workflowStrings.loading}</p>`;
    if (list.length === 0) return html`<p class="soft">${workflowStrings.run.none}</p>`;
    return html`<div class="wide">
        <table aria-label=${workflowStrings.page.executions}>
          <thead>
            <tr>
              <th scope="col">${workflowStrings.run.number}</th>
              <th scope="col">${workflowStrings.run.status}</th>
              <th scope="col">${workflowStrings.run.started}</th>
              <th scope="col" class="rare">${workflowStrings.run.duration}</th>
              <th scope="col" class="rare">${workflowStrings.run.mode}</th>
              <td></td>
            </tr>
          </thead>
          <tbody aria-live="polite">
            ${repeat(
              list.filter(({ id }) => !toasts.isDeleted(`run ${id}`)),
              ({ id }) => id,
              (run) => this.#row(run),
            )}
          </tbody>
        </table>
      </div>
      ${
        hasMore
          ? html`<button class="more" @click=${() => this.state.attempt(() => this.state.runs.loadMore())}>
              ${workflowStrings.run.more}
            </button>`
          : nothing
      }`;
  }

  #delete(id: string) {
    const { state } = this;
    const texts = { text: workflowStrings.run.deleted(id), undo: commonStrings.undo };
    toasts.deleteLater(`run ${id}`, texts, () => state.attempt(() => state.runs.delete(id)));
  }

  #row(run: Execution) {
    const { id, status, startedAt, mode } = run;
    return html`<tr>
      <td class="num">
        <a href=${routeHash({ screen: 'execution', id: this.state.id, execution: id })} aria-label=${workflowStrings.run.open(id)}
          >${id}</a
        >
      </td>
      <td>${runBadge(status)}</td>
      <td class="soft" data-tip=${startedAt ?? ''}>${startedAt === null ? '' : relativeTime(startedAt)}</td>
      <td class="num soft rare">${runDuration(run)}</td>
      <td class="soft rare">${workflowStrings.run.modes[mode] ?? mode}</td>
      <td>
        <button
          class="plain"
          aria-label="${workflowStrings.run.delete}: ${workflowStrings.run.heading(id)}"
          @click=${() => this.#delete(id)}
        >
          ${workflowStrings.run.delete}
        </button>
      </td>
    </tr>`;
  }
}

customElements.define('tabd-run-table', RunTable);
