import { css, html, nothing, type PropertyDeclarations } from 'lit';
import type { AppState } from '../../app-state.ts';
import { strings } from '../../strings.ts';
import { AppElement } from '../../ui/app-element.ts';
import { controls } from '../../ui/theme.ts';
import '../../graph-editor/graph-editor.ts';
import { ImageClient } from '../image-client.ts';
import { ImageGraph } from './image-graph.ts';

/** One a page: a graph and its run outlive a look at another view. */
const graphs = new WeakMap<AppState, ImageGraph>();

function graphOf(app: AppState): ImageGraph {
  const graph = graphs.get(app) ?? new ImageGraph(new ImageClient(app.backend), () => app.images.settings);
  graphs.set(app, graph);
  return graph;
}

/** The editor for image graphs: files in and out, running. */
export class ImageGraphView extends AppElement {
  static override properties: PropertyDeclarations = {
    ...AppElement.properties,
    isOver: { state: true },
  };
  /** A file is held over it. */
  declare isOver: boolean;
  readonly #changed = () => this.requestUpdate();

  static override styles = [
    controls,
    css`
      :host {
        display: grid;
        grid-template: auto minmax(0, 1fr) / minmax(0, 1fr);
        position: relative;
        height: 100%;
        min-height: 0;
      }
      tabd-graph-editor {
        grid-row: 2;
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
    const graph = graphOf(this.app);
    graph.state.addEventListener('change', this.#changed);
    void graph.load();
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    graphOf(this.app).state.removeEventListener('change', this.#changed);
  }

  override render() {
    const graph = graphOf(this.app);
    const { state } = graph;
    const words = strings.graph;
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
                ${words.close}
              </button>
            </div>`
    }
      <tabd-graph-editor
        .state=${state}
        .upload=${(file: File) => graph.upload(file)}
        @graph-run=${() => graph.run()}
        @graph-text=${(event: CustomEvent<string>) => graph.openText(event.detail)}
        @dragover=${this.#held}
        @dragleave=${() => {
          this.isOver = false;
        }}
        @drop=${this.#dropped}
      >
        <tabd-graph-menu slot="start" label=${words.file}>
          <button @click=${() => graph.fresh()}>${words.fresh}</button>
          <button @click=${() => this.renderRoot.querySelector<HTMLInputElement>('input[type=file]')!.click()}>
            ${words.open}
          </button>
          <button @click=${() => download('graph.json', graph.asSaved())}>${words.save}</button>
          <button @click=${() => download('graph-api.json', graph.asApi())}>${words.exportApi}</button>
        </tabd-graph-menu>
        <div slot="end">${this.#runControls(graph)}</div>
      </tabd-graph-editor>
      <input
        type="file"
        hidden
        aria-label=${words.open}
        accept=".json,.png,application/json,image/png"
        @change=${(event: Event) => {
          const input = event.target as HTMLInputElement;
          const [file] = input.files ?? [];
          input.value = '';
          if (file) void graph.openFile(file);
        }}
      />
      ${this.isOver ? html`<div class="drop">${words.dropHere}</div>` : nothing}`;
  }

  #runControls(graph: ImageGraph) {
    const words = strings.graph;
    const running = graph.running === undefined ? undefined : graph.state.graph.nodes.get(graph.running);
    const progress = running && graph.state.marks.get(running.id)?.progress;
    const status = graph.isRunning
      ? running
        ? `${words.runningNode(graph.state.nameOf(running))}${progress ? ` · ${words.stepOf(progress.value, progress.max)}` : ''}`
        : words.running
      : (graph.ended ?? '');
    const isBad = !graph.isRunning && graph.state.problems.size > 0;
    return html`<span class="status num ${isBad ? 'bad' : ''}" role="status" title=${status}>${status}</span>
      ${
        graph.waiting > 0
          ? html`<span class="status">${words.waiting(graph.waiting)}</span>
              <button class="plain" @click=${() => graph.clear()}>${words.clear}</button>`
          : nothing
      }
      ${graph.isRunning ? html`<button @click=${() => graph.stop()}>${words.stop}</button>` : nothing}
      <button class="primary" ?disabled=${graph.state.graph.nodes.size === 0} @click=${() => graph.run()}>
        ${words.queue}
      </button>`;
  }

  #held(event: DragEvent) {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    this.isOver = true;
  }

  #dropped(event: DragEvent) {
    this.isOver = false;
    const [file] = event.dataTransfer?.files ?? [];
    if (!file) return;
    event.preventDefault();
    void graphOf(this.app).openFile(file);
  }
}

function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = document.createElement('a');
  Object.assign(link, { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

customElements.define('tabd-image-graph', ImageGraphView);
