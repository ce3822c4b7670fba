import { css, html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { words } from '../../strings/workflows.ts';
import { ObservingElement } from '../../ui/observing-element.ts';
import { controls } from '../../ui/theme.ts';
import type { Execution } from '../api-types.ts';
import type { PageState } from '../editor/page-state.ts';
import { hashOf } from '../route.ts';
import { runBadge } from '../run-badge.ts';
import { shared } from '../workflow-styles.ts';
import { ago, tookOf } from '../workflow-texts.ts';

/** The runs of a workflow, as they happen. */
export class RunTable extends ObservingElement<PageState> {
  static override styles = [
    controls,
    shared,
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

  override render() {
    const { list, more } = this.state.runs;
    if (list === undefined) return html`<p class="soft" role="status">${words.loading}</p>`;
    if (list.length === 0) return html`<p class="soft">${words.run.none}</p>`;
    return html`<div class="wide">
        <table aria-label=${words.page.executions}>
          <thead>
            <tr>
              <th scope="col">${words.run.number}</th>
              <th scope="col">${words.run.status}</th>
              <th scope="col">${words.run.started}</th>
              <th scope="col" class="rare">${words.run.took}</th>
              <th scope="col" class="rare">${words.run.mode}</th>
              <td></td>
            </tr>
          </thead>
          <tbody aria-live="polite">
            ${repeat(
              list,
              ({ id }) => id,
              (run) => this.#row(run),
            )}
          </tbody>
        </table>
      </div>
      ${
        more
          ? html`<button class="more" @click=${() => this.state.attempt(() => this.state.runs.loadMore())}>
              ${words.run.more}
            </button>`
          : nothing
      }`;
  }

  #row(run: Execution) {
    const { id, status, startedAt, mode } = run;
    return html`<tr>
      <td class="num">
        <a href=${hashOf({ screen: 'execution', id: this.state.id, execution: id })} aria-label=${words.run.open(id)}
          >${id}</a
        >
      </td>
      <td>${runBadge(status)}</td>
      <td class="soft" title=${startedAt ?? ''}>${startedAt === null ? '' : ago(startedAt)}</td>
      <td class="num soft rare">${tookOf(run)}</td>
      <td class="soft rare">${words.run.modes[mode] ?? mode}</td>
      <td>
        <button
          class="plain"
          aria-label="${words.run.delete}: ${words.run.heading(id)}"
          @click=${() =>
            confirm(words.run.confirmDelete(id)) && this.state.attempt(() => this.state.runs.delete(id))}
        >
          ${words.run.delete}
        </button>
      </td>
    </tr>`;
  }
}

customElements.define('tabd-run-table', RunTable);
