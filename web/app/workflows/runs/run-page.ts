import { css, html, nothing } from 'lit';
import { words } from '../../strings/workflows.ts';
import { ObservingElement } from '../../ui/observing-element.ts';
import { controls, scrolled } from '../../ui/theme.ts';
import type { ExecutionDetail } from '../api-types.ts';
import { hashOf } from '../route.ts';
import { runBadge } from '../run-badge.ts';
import { shared } from '../workflow-styles.ts';
import { ago, took, tookOf } from '../workflow-texts.ts';
import './items-view.ts';
import type { RunState, Step } from './run-state.ts';

/** What one run did: each node with what came out of it. */
export class RunPage extends ObservingElement<RunState> {
  static override styles = [
    controls,
    scrolled,
    shared,
    css`
      .view {
        max-width: 62rem;
        padding-top: 1.1rem;
      }
      .back {
        display: inline-block;
        margin-bottom: 0.4rem;
        font-size: 0.85rem;
        color: var(--soft);
        text-decoration: none;
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
        list-style: none;
        margin: 1.25rem 0 0;
        padding: 0;
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        gap: 0.7rem;
      }
      details.step > summary {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 0.3rem 0.7rem;
        cursor: pointer;
        list-style: none;
        padding: 0.75rem 1rem;
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
        font-size: 0.84rem;
        font-weight: 600;
        margin: 0 0 0.2rem;
      }
      strong {
        font-weight: 600;
      }
    `,
  ];

  override render() {
    const { run, gone, failure, steps } = this.state;
    if (gone) return html`<div class="view"><p>${words.run.noneAtAll}</p></div>`;
    if (!run) {
      return html`<div class="view">
        ${
          failure === undefined
            ? html`<p class="soft" role="status">${words.loading}</p>`
            : html`<div class="error" role="alert">${failure}</div>`
        }
      </div>`;
    }
    return html`<div class="view">
      <a class="back" href=${hashOf({ screen: 'workflow', id: run.workflowId, tab: 'executions' })}
        >‹ ${words.run.back} ${words.run.of(run.workflowName)}</a
      >
      <div class="head">
        <h1>${words.run.heading(run.id)}</h1>
        <span role="status">${runBadge(run.status)}</span>
        <span class="grow"></span>
        ${this.#actions(run)}
      </div>
      ${this.#about(run)} ${failure === undefined ? nothing : html`<div class="error" role="alert">${failure}</div>`}
      ${this.#error(run)}
      ${run.data === null ? html`<p class="soft">${words.run.noData}</p>` : nothing}
      <ol>
        ${steps.map((step) => this.#step(step))}
      </ol>
    </div>`;
  }

  #about(run: ExecutionDetail) {
    const { startedAt, mode, retryOf, retrySuccessId, waitTill, status } = run;
    const link = (id: string, text: string) =>
      html`<a href=${hashOf({ screen: 'execution', id: run.workflowId, execution: id })}>${text}</a>`;
    return html`<div class="about">
      ${startedAt === null ? nothing : html`<span title=${startedAt}>${ago(startedAt)}</span>`}
      <span class="num">${tookOf(run)}</span>
      <span>${words.run.mode}: ${words.run.modes[mode] ?? mode}</span>
      ${retryOf === null ? nothing : link(retryOf, words.run.retryOf(retryOf))}
      ${retrySuccessId === null ? nothing : link(retrySuccessId, words.run.retriedBy(retrySuccessId))}
      ${
        status === 'waiting' && waitTill !== null
          ? html`<span>${words.run.waitsUntil(new Date(waitTill).toLocaleString())}</span>`
          : nothing
      }
    </div>`;
  }

  #actions(run: ExecutionDetail) {
    const { state } = this;
    const { status } = run;
    const going = status === 'running' || status === 'waiting' || status === 'new';
    const failed = status === 'error' || status === 'crashed';
    return html`${
      going
        ? html`<button ?disabled=${state.busy} @click=${() => state.stop()}>${words.run.stop}</button>`
        : nothing
    }
    ${
      failed
        ? html`<button ?disabled=${state.busy} @click=${() => this.#open(state.retry(false))}>${words.run.retry}</button>
            <button ?disabled=${state.busy} @click=${() => this.#open(state.retry(true))}>
              ${words.run.retryNow}
            </button>`
        : nothing
    }
    ${
      going
        ? nothing
        : html`<button ?disabled=${state.busy} @click=${() => this.#open(state.replay())}>${words.run.replay}</button>
            <button class="danger" ?disabled=${state.busy} @click=${this.#delete}>${words.run.delete}</button>`
    }`;
  }

  #error({ data }: ExecutionDetail) {
    const error = data?.resultData.error;
    if (!error) return nothing;
    return html`<div class="error" role="alert">
      ${error.node ? html`<strong>${words.run.failedAt(error.node)}:</strong> ` : nothing}${error.message}
      ${error.description ? html`<div>${error.description}</div>` : nothing}
    </div>`;
  }

  #step({ node, turn, task }: Step) {
    const outputs = task.data?.main ?? [];
    const count = outputs.reduce((sum, items) => sum + (items?.length ?? 0), 0);
    const filled = outputs.flatMap((items, output) => (items && items.length > 0 ? [{ items, output }] : []));
    return html`<li class="card">
      <details class="step" ?open=${this.state.steps.length <= 6}>
        <summary>
          <strong>${node}</strong>
          ${turn > 0 ? html`<span class="soft small">${words.run.runOf(turn + 1)}</span>` : nothing}
          ${task.executionStatus === 'success' ? nothing : runBadge(task.executionStatus)}
          <span class="grow"></span>
          <span class="soft small num">${words.node.items(count)} · ${took(task.executionTime)}</span>
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
          ${filled.length === 0 && !task.error ? html`<p class="soft small">${words.run.noItems}</p>` : nothing}
          ${filled.map(
            ({ items, output }) =>
              html`<div>
                ${outputs.length > 1 ? html`<h3>${words.run.output(String(output + 1))}</h3>` : nothing}
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
      location.hash = hashOf({ screen: 'execution', id: run.workflowId, execution });
    }
  }

  async #delete() {
    const { run } = this.state;
    if (!run || !confirm(words.run.confirmDelete(run.id))) return;
    if (await this.state.delete()) {
      location.hash = hashOf({ screen: 'workflow', id: run.workflowId, tab: 'executions' });
    }
  }
}

customElements.define('tabd-run-page', RunPage);
