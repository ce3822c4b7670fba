import { css, html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { graphStrings } from '#web/app/graph-editor/strings.ts';
import { ObservingElement } from '#web/app/ui/observing-element.ts';
import { controls } from '#web/app/ui/styles/controls.ts';
import { dateTime } from '../../../ui/format.ts';
import { lists } from '../../../ui/styles/lists.ts';
import type { FinishedRun, SubmittedRun } from './queue-client.ts';
import type { ImageRunList } from './run-list.ts';

/** The user wants to open the graph of a run. */
export class RunSelectedEvent extends Event {
  constructor(readonly run: SubmittedRun) {
    super('run-chosen');
  }
}

/** Queue and history next to the graph. Fires `run-chosen`, and `closed` when the user closes it. */
export class RunsPanel extends ObservingElement<ImageRunList> {
  static override styles = [
    controls,
    lists,
    css`
      :host {
        position: absolute;
        inset: 0 0 0 auto;
        width: min(21rem, 100%);
        overflow-y: auto;
        padding: 0.75rem 1rem 2rem;
        border-left: 1px solid var(--line);
        background: var(--bg);
      }
      header {
        display: flex;
        align-items: center;
        gap: 0.5rem;
      }
      h2 {
        flex: 1;
        margin: 0.75rem 0 0.4rem;
      }
      ul {
        display: grid;
        gap: 0.4rem;
      }
      li {
        display: grid;
        grid-template-columns: 3.2rem minmax(0, 1fr) auto;
        gap: 0 0.7rem;
        align-items: center;
        padding: 0.4rem 0.5rem;
        border: 1px solid var(--line);
        border-radius: 10px;
        background: var(--surface);
        font-size: 0.87rem;
        line-height: 1.35;
      }
      li.running {
        border-color: var(--good);
      }
      img,
      .none {
        width: 3.2rem;
        height: 3.2rem;
        border-radius: 7px;
        object-fit: cover;
        background: var(--sunken);
      }
      .none {
        display: grid;
        place-items: center;
        color: var(--soft);
        font-weight: 600;
      }
      small {
        display: block;
        color: var(--soft);
        overflow-wrap: anywhere;
      }
      .bad {
        color: var(--bad);
      }
      @media (max-width: 40rem) {
        :host {
          width: 100%;
          border: 0;
        }
      }
      .buttons {
        display: grid;
        gap: 0;
        justify-items: end;
      }
    `,
  ];

  constructor() {
    super();
    this.addEventListener('keydown', ({ key }) => {
      if (key === 'Escape') this.dispatchEvent(new Event('closed'));
    });
  }

  override render() {
    const { state: runs } = this;
    const count = runs.running.length + runs.waiting.length;
    return html`<header>
        <h2>${graphStrings.runs.queue}</h2>
        ${
          runs.waiting.length > 0
            ? html`<button class="plain small" @click=${() => runs.clearQueue()}>${graphStrings.clear}</button>`
            : nothing
        }
        <button class="plain small" @click=${() => this.dispatchEvent(new Event('closed'))}>${graphStrings.close}</button>
      </header>
      ${runs.failure === undefined ? nothing : html`<p class="bad" role="alert">${runs.failure}</p>`}
      ${count === 0 ? html`<p class="soft small">${graphStrings.runs.queueEmpty}</p>` : nothing}
      <ul aria-label=${graphStrings.runs.queue}>
        ${runs.running.map((run) => this.#open(run, graphStrings.running, () => runs.stop(run.id), graphStrings.stop))}
        ${repeat(
          runs.waiting,
          ({ id }) => id,
          (run, at) =>
            this.#open(
              run,
              graphStrings.runs.place(at + 1),
              () => runs.withdraw(run.id),
              graphStrings.runs.remove,
              at + 1,
            ),
        )}
      </ul>
      <header>
        <h2>${graphStrings.runs.history}</h2>
        ${
          runs.finished && runs.finished.length > 0
            ? html`<button class="plain small" @click=${() => runs.clearHistory()}>${graphStrings.runs.clear}</button>`
            : nothing
        }
      </header>
      ${runs.finished?.length === 0 ? html`<p class="soft small">${graphStrings.runs.historyEmpty}</p>` : nothing}
      <ul aria-label=${graphStrings.runs.history}>
        ${repeat(
          runs.finished ?? [],
          ({ id }) => id,
          (run) => this.#past(run),
        )}
      </ul>`;
  }

  #open(run: SubmittedRun, state: string, end: () => void, label: string, place?: number) {
    return html`<li class=${place === undefined ? 'running' : ''}>
      <span class="none num" aria-hidden="true">${place ?? '▸'}</span>
      <span>${state}<small>${graphStrings.runs.nodes(Object.keys(run.prompt).length)}</small></span>
      <span class="buttons">
        <button class="plain small" @click=${() => this.dispatchEvent(new RunSelectedEvent(run))}>${graphStrings.runs.open}</button>
        <button class="plain small" @click=${end}>${label}</button>
      </span>
    </li>`;
  }

  #past(run: FinishedRun) {
    const image = this.state.thumbnails.get(run.id);
    const when = run.startedAt === undefined ? '' : dateTime(run.startedAt);
    const took = run.duration === undefined ? '' : graphStrings.runs.took(run.duration);
    return html`<li>
      ${
        image
          ? html`<img src=${image} alt=${graphStrings.runs.thumbnail} />`
          : html`<span class="none" aria-hidden="true">${run.outcome === 'done' ? '✓' : '!'}</span>`
      }
      <span>
        <span class=${run.outcome === 'failed' ? 'bad' : ''}>${graphStrings.runs.ended[run.outcome]}</span>
        <small>${[when, took].filter(Boolean).join(' · ')}</small>
        ${run.error ? html`<small class="bad">${run.error}</small>` : nothing}
      </span>
      <span class="buttons">
        <button class="plain small" @click=${() => this.dispatchEvent(new RunSelectedEvent(run))}>${graphStrings.runs.open}</button>
        <button class="plain small" @click=${() => this.state.forget(run.id)}>${graphStrings.runs.remove}</button>
      </span>
    </li>`;
  }
}

customElements.define('tabd-graph-runs', RunsPanel);
