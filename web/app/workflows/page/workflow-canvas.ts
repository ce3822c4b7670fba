import { css, html, LitElement, nothing, type PropertyDeclarations } from 'lit';
import '../../graph-editor/graph-editor.ts';
import { controls } from '../../ui/styles/controls.ts';
import { WorkflowGraphState } from '../editor/graph/workflow-graph-state.ts';
import type { PageState } from '../editor/page-state.ts';

/** The workflow in the graph editor, next to a slot for the form of the selected node. */
export class WorkflowCanvas extends LitElement {
  static override properties: PropertyDeclarations = { state: { attribute: false } };
  declare state: PageState;
  #graph: WorkflowGraphState | undefined;
  #shownPage: PageState | undefined;

  static override styles = [
    controls,
    css`
      :host {
        display: grid;
        grid-template-columns: minmax(0, 1fr) minmax(18rem, 25rem);
        gap: 1rem;
        height: max(26rem, calc(100dvh - 15rem));
      }
      .canvas {
        min-height: 0;
        border: 1px solid var(--line);
        border-radius: var(--radius);
        overflow: hidden;
      }
      .form {
        overflow-y: auto;
      }
      @media (max-width: 56rem) {
        :host {
          grid-template: minmax(20rem, 55dvh) auto / minmax(0, 1fr);
          height: auto;
        }
      }
    `,
  ];

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.#graph?.close();
    this.#graph = this.#shownPage = undefined;
  }

  override willUpdate() {
    if (this.#shownPage === this.state) return;
    this.#graph?.close();
    this.#shownPage = this.state;
    this.#graph = new WorkflowGraphState(this.state);
  }

  override connectedCallback() {
    super.connectedCallback();
    this.requestUpdate();
  }

  override render() {
    if (!this.#graph) return nothing;
    return html`<div class="canvas">
        <tabd-graph-editor
          only-canvas
          .state=${this.#graph.state}
          @graph-text=${({ detail }: CustomEvent<string>) => this.#graph?.pasteText(detail)}
          @graph-run=${() => this.dispatchEvent(new Event('run'))}
        ></tabd-graph-editor>
      </div>
      <div class="form"><slot></slot></div>`;
  }
}

customElements.define('tabd-workflow-canvas', WorkflowCanvas);
