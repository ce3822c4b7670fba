import { css, html, nothing, type PropertyDeclarations } from 'lit';
import type { AppState } from '../../app-state.ts';
import { graphStrings } from '../../graph-editor/strings.ts';
import type { BackendConnection } from '../../servers/connection.ts';
import { AppElement } from '../../ui/app-element.ts';
import { saveFile } from '../../ui/save-file.ts';
import { controls } from '../../ui/styles/controls.ts';
import '../../graph-editor/graph-editor.ts';
import { ImageClient } from '../image-client.ts';
import { imagesOf } from '../images-of.ts';
import { ImageGraph } from './image-graph.ts';
import { missingModels } from './missing/missing-models.ts';
import './missing/missing-list.ts';
import { QueueClient } from './runs/queue-client.ts';
import { ImageRunList } from './runs/run-list.ts';
import type { RunSelectedEvent } from './runs/runs-panel.ts';
import './runs/runs-panel.ts';

/** One graph per server: graph and run stay when the user visits another view. */
const graphs = new WeakMap<BackendConnection, ImageGraph>();

function graphOf(app: AppState): ImageGraph {
  const { connection } = app;
  const graph =
    graphs.get(connection) ?? new ImageGraph(new ImageClient(connection), () => imagesOf(app).settings);
  graphs.set(connection, graph);
  return graph;
}

/** The editor for image graphs, with files, runs and queue. */
export class ImageGraphView extends AppElement {
  static override properties: PropertyDeclarations = {
    ...AppElement.properties,
    isDragOver: { state: true },
  };
  /** Whether a file is dragged over the editor. */
  declare isDragOver: boolean;
  /** The graph of the server that was selected when this element was connected. */
  #graph!: ImageGraph;
  #runs!: ImageRunList;
  readonly #changed = () => this.requestUpdate();

  static override styles = [
    controls,
    css`
      :host {
        display: grid;
        grid-template: auto auto minmax(0, 1fr) / minmax(0, 1fr);
        position: relative;
        height: 100%;
        min-height: 0;
      }
      tabd-graph-editor {
        grid-row: 3;
      }
      .error {
        display: flex;
        align-items: center;
        gap: 1rem;
        border-radius: 0;
        padding: 0.4rem 1.25rem;
      }
      .error span {
        flex: 1;
      }
      .drop {
        position: absolute;
        inset: 0.75rem;
        display: grid;
        place-items: center;
        border: 2px dashed var(--accent);
        border-radius: var(--radius);
        background: color-mix(in srgb, var(--accent-wash) 85%, transparent);
        font-weight: 600;
        pointer-events: none;
      }
      [slot='end'] {
        display: contents;
      }
      .status {
        font-size: 0.82rem;
        color: var(--soft);
        max-width: 16rem;
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
      .status.bad {
        color: var(--bad);
      }
      button.primary {
        min-height: 2.1rem;
      }
      @media (max-width: 40rem) {
        .status {
          max-width: 8rem;
        }
      }
    `,
  ];

  override connectedCallback() {
    super.connectedCallback();
    this.#graph = graphOf(this.app);
    this.#graph.state.addEventListener('change', this.#changed);
    this.#runs = new ImageRunList(new QueueClient(this.app.connection));
    this.#runs.addEventListener('change', this.#changed);
    void this.#graph.load();
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.#graph.state.removeEventListener('change', this.#changed);
    this.#runs.close();
  }

  override render() {
    const graph = this.#graph;
    const { state } = graph;
    return html`${
      graph.failure === undefined
        ? html`<div></div>`
        : html`<div class="error" role="alert">
              <span>${graph.failure}</span>
              <button
                class="plain"
                @click=${() => {
                  graph.failure = undefined;
                  this.requestUpdate();
                }}
              >
                ${graphStrings.close}
              </button>
            </div>`
    }
      <tabd-missing-models
        .app=${this.app}
        .names=${missingModels(state.graph, state.kinds)}
        @installed=${() => graph.load()}
      ></tabd-missing-models>
      <tabd-graph-editor
        .state=${state}
        .upload=${(file: File) => graph.upload(file)}
        @graph-run=${() => graph.run()}
        @graph-text=${(event: CustomEvent<string>) => graph.openText(event.detail)}
        @dragover=${this.#draggedOver}
        @dragleave=${() => {
          this.isDragOver = false;
        }}
        @drop=${this.#dropped}
      >
        <tabd-graph-menu slot="start" label=${graphStrings.file}>
          <button @click=${() => graph.openFormGraph()}>${graphStrings.fresh}</button>
          <button @click=${() => this.renderRoot.querySelector<HTMLInputElement>('input[type=file]')!.click()}>
            ${graphStrings.open}
          </button>
          <button @click=${() => saveFile('graph.json', 'application/json', graph.savedText())}>${graphStrings.save}</button>
          <button @click=${() => saveFile('graph-api.json', 'application/json', graph.apiText())}>${graphStrings.exportApi}</button>
        </tabd-graph-menu>
        <div slot="end">${this.#runControls(graph)}</div>
        ${
          this.#runs.isOpen
            ? html`<tabd-graph-runs
                .state=${this.#runs}
                @run-chosen=${({ run }: RunSelectedEvent) => graph.openRun(run)}
                @closed=${() => this.#toggleRuns()}
              ></tabd-graph-runs>`
            : nothing
        }
      </tabd-graph-editor>
      <input
        type="file"
        hidden
        aria-label=${graphStrings.open}
        accept=".json,.png,application/json,image/png"
        @change=${(event: Event) => {
          const input = event.target as HTMLInputElement;
          const [file] = input.files ?? [];
          input.value = '';
          if (file) void graph.openFile(file);
        }}
      />
      ${this.isDragOver ? html`<div class="drop">${graphStrings.dropHere}</div>` : nothing}`;
  }

  #runControls(graph: ImageGraph) {
    const running =
      graph.runningNode === undefined ? undefined : graph.state.graph.nodes.get(graph.runningNode);
    const progress = running && graph.state.marks.get(running.id)?.progress;
    const status = graph.isRunning
      ? running
        ? `${graphStrings.runningNode(graph.state.nameOf(running))}${progress ? ` · ${graphStrings.stepOf(progress.value, progress.max)}` : ''}`
        : graphStrings.running
      : (graph.lastStatus ?? '');
    const isBad = !graph.isRunning && graph.state.problems.size > 0;
    return html`<span class="status num ${isBad ? 'bad' : ''}" role="status" data-tip=${status}>${status}</span>
      ${
        graph.waitingCount > 0
          ? html`<span class="status">${graphStrings.waiting(graph.waitingCount)}</span>
              <button class="plain" @click=${() => graph.clearWaiting()}>${graphStrings.clear}</button>`
          : nothing
      }
      <button
        class="plain runs"
        aria-expanded=${this.#runs.isOpen ? 'true' : 'false'}
        data-tip=${graphStrings.runs.show}
        @click=${() => this.#toggleRuns()}
      >
        ${graphStrings.runs.button(this.#runs.running.length + this.#runs.waiting.length)}
      </button>
      ${graph.isRunning ? html`<button @click=${() => graph.stop()}>${graphStrings.stop}</button>` : nothing}
      <button
        class="primary"
        aria-keyshortcuts="Control+Enter"
        data-tip=${graphStrings.queue}
        ?disabled=${graph.state.graph.nodes.size === 0}
        @click=${() => graph.run()}
      >
        ${graphStrings.queue}
      </button>`;
  }

  /** Shows or hides the list of runs. On hiding, the focus returns to its button. */
  async #toggleRuns() {
    if (this.#runs.isOpen) this.#runs.close();
    else this.#runs.open();
    await this.updateComplete;
    if (!this.#runs.isOpen) this.renderRoot.querySelector<HTMLElement>('button.runs')?.focus();
  }

  #draggedOver(event: DragEvent) {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    this.isDragOver = true;
  }

  #dropped(event: DragEvent) {
    this.isDragOver = false;
    const [file] = event.dataTransfer?.files ?? [];
    if (!file) return;
    event.preventDefault();
    void this.#graph.openFile(file);
  }
}

customElements.define('tabd-image-graph', ImageGraphView);
