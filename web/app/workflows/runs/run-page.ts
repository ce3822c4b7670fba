import { css, html, nothing } from 'lit';
import { commonStrings } from '../../strings/common.ts';
import { workflowStrings } from '../../strings/workflows.ts';
import { dateTime } from '../../ui/format.ts';
import { ObservingElement } from '../../ui/observing-element.ts';
import { controls } from '../../ui/styles/controls.ts';
import { lists } from '../../ui/styles/lists.ts';
import { scrolled } from '../../ui/styles/page.ts';
import { toasts } from '../../ui/toasts.ts';
import type { ExecutionWithData } from '../api-types.ts';
import { routeHash } from '../route.ts';
import { runBadge } from '../run-badge.ts';
import { workflowStyles } from '../workflow-styles.ts';
import { durationText, relativeTime, runDuration } from '../workflow-texts.ts';
import './items-view.ts';
import type { RunPageState, Step } from './run-state.ts';

/** One run: each node with its output. */
export class RunPage extends ObservingElement<RunPageState> {
  static override styles = [
    controls,
    scrolled,
    lists,
    workflowStyles,
    css`
      .view {
        max-width: 62rem;
        padding-top: 1.1rem;
      }
      .about {
        display: flex;
        flex-wrap: wrap;
        gap: 0.2rem 1.1rem;
        margin: 0.4rem 0 1rem;
        color: var(--soft);
        font-size: 0.88rem;
      }
      ol {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        gap: 0.7rem;
        margin-top: 1.25rem;
      }
      details.step > summary {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 0.3rem 0.7rem;
        cursor: pointer;
        list-style: none;
        padding: 0.75rem 1rem;
        font-size: 1rem;
        color: var(--text);
      }
      details.step > summary::before {
        content: '›';
        display: inline-block;
        width: 0.8rem;
        color: var(--soft);
        transition: rotate 0.12s;
      }
      details.step[open] > summary::before {
        rotate: 90deg;
      }
      details.step > summary::-webkit-details-marker {
        display: none;
      }
      li.card {
        padding: 0;
      }
      .body {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        gap: 0.9rem;
        padding: 0.2rem 1rem 1rem;
      }
      .body .error {
        margin: 0;
        white-space: pre-wrap;
      }
      h3 {
        margin: 0 0 0.2rem;
      }
      strong {
        font-weight: 600;
      }
    `,
  ];

  override render() {
    const { run, missing, failure, steps } = this.state;
    if (missing) return html`<div class="view"><p>${workflowStrings.run.missing}</p></div>`;
    if (!run) {
      return html`<div class="view">
        ${
          failure === undefined
            ? html`<p class="soft" role="status">${workflowStrings.loading}</p>`
            : html`<div class="error" role="alert">${failure}</div>`
        }
      </div>`;
    }
    return html`<div class="view">
      <a class="back" href=${routeHash({ screen: 'workflow', id: run.workflowId, tab: 'executions' })}
        >‹ ${workflowStrings.run.back} ${workflowStrings.run.ofWorkflow(run.workflowName)}</a
      >
      <div class="head">
        <h1>${workflowStrings.run.heading(run.id)}</h1>
        <span role="status">${runBadge(run.status)}</span>
        <span class="grow"></span>
        ${this.#actions(run)}
      </div>
      ${this.#about(run)} ${failure === undefined ? nothing : html`<div class="error" role="alert">${failure}</div>`}
      ${this.#error(run)}
      ${run.data === null ? html`<p class="soft">${workflowStrings.run.noData}</p>` : nothing}
      <ol>
        ${steps.map((step) => this.#step(step))}
      </ol>
    </div>`;
  }

  #about(run: ExecutionWithData) {
    const { startedAt, mode, retryOf, retrySuccessId, waitTill, status } = run;
    const link = (id: string, text: string) =>
      html`<a href=${routeHash({ screen: 'execution', id: run.workflowId, execution: id })}>${text}</a>`;
    return html`<div class="about">
      ${startedAt === null ? nothing : html`<span data-tip=${startedAt}>${relativeTime(startedAt)}</span>`}
      <span class="num">${runDuration(run)}</span>
      <span>${workflowStrings.run.mode}: ${workflowStrings.run.modes[mode] ?? mode}</span>
      ${retryOf === null ? nothing : link(retryOf, workflowStrings.run.retryOf(retryOf))}
      ${retrySuccessId === null ? nothing : link(retrySuccessId, workflowStrings.run.retriedBy(retrySuccessId))}
      ${
        status === 'waiting' && waitTill !== null
          ? html`<span>${workflowStrings.run.waitsUntil(dateTime(waitTill))}</span>`
          : nothing
      }
    </div>`;
  }

  #actions(run: ExecutionWithData) {
    const { state } = this;
    const { status } = run;
    const isActive = status === 'running' || status === 'waiting' || status === 'new';
    const failed = status === 'error' || status === 'crashed';
    return html`${
      isActive
        ? html`<button ?disabled=${state.busy} @click=${() => state.stop()}>${workflowStrings.run.stop}</button>`
        : nothing
    }
    ${
      failed
        ? html`<button ?disabled=${state.busy} @click=${() => this.#open(state.retry(false))}>${workflowStrings.run.retry}</button>
            <button ?disabled=${state.busy} @click=${() => this.#open(state.retry(true))}>
              ${workflowStrings.run.retryNow}
            </button>`
        : nothing
    }
    ${
      isActive
        ? nothing
        : html`<button ?disabled=${state.busy} @click=${() => this.#open(state.replay())}>${workflowStrings.run.replay}</button>
            <button class="danger" ?disabled=${state.busy} @click=${this.#delete}>${workflowStrings.run.delete}</button>`
    }`;
  }

  #error({ data }: ExecutionWithData) {
    const error = data?.resultData.error;
    if (!error) return nothing;
    return html`<div class="error" role="alert">
      ${error.node ? html`<strong>${workflowStrings.run.failedAt(error.node)}:</strong> ` : nothing}${error.message}
      ${error.description ? html`<div>${error.description}</div>` : nothing}
    </div>`;
  }

  #step({ node, runIndex, task }: Step) {
    const outputs = task.data?.main ?? [];
    const count = outputs.reduce((sum, items) => sum + (items?.length ?? 0), 0);
    const filled = outputs.flatMap((items, output) => (items && items.length > 0 ? [{ items, output }] : []));
    return html`<li class="card">
      <details class="step" ?open=${this.state.steps.length <= 6}>
        <summary>
          <strong>${node}</strong>
          ${runIndex > 0 ? html`<span class="soft small">${workflowStrings.run.runNumber(runIndex + 1)}</span>` : nothing}
          ${task.executionStatus === 'success' ? nothing : runBadge(task.executionStatus)}
          <span class="grow"></span>
          <span class="soft small num">${workflowStrings.node.items(count)} · ${durationText(task.executionTime)}</span>
        </summary>
        <div class="body">
          ${
            task.error
              ? html`<div class="error">
                  ${task.error.message}${task.error.description ? html`<div>${task.error.description}</div>` : nothing}
                </div>`
              : nothing
          }
          ${task.hints.map(({ message }) => html`<div class="notice">${message}</div>`)}
          ${filled.length === 0 && !task.error ? html`<p class="soft small">${workflowStrings.run.noItems}</p>` : nothing}
          ${filled.map(
            ({ items, output }) =>
              html`<div>
                ${outputs.length > 1 ? html`<h3>${workflowStrings.run.output(String(output + 1))}</h3>` : nothing}
                <tabd-items .items=${items} .label=${node}></tabd-items>
              </div>`,
          )}
        </div>
      </details>
    </li>`;
  }

  async #open(started: Promise<string | undefined>) {
    const { run } = this.state;
    const execution = await started;
    if (execution !== undefined && run) {
      location.hash = routeHash({ screen: 'execution', id: run.workflowId, execution });
    }
  }

  #delete() {
    const { state } = this;
    const { run } = state;
    if (!run) return;
    const texts = { text: workflowStrings.run.deleted(run.id), undo: commonStrings.undo };
    toasts.deleteLater(`run ${run.id}`, texts, () => state.delete());
    location.hash = routeHash({ screen: 'workflow', id: run.workflowId, tab: 'executions' });
  }
}

customElements.define('tabd-run-page', RunPage);
