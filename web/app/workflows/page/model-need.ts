import { css, html, nothing } from 'lit';
import { canChat } from '../../models/capabilities.ts';
import { workflowStrings } from '../../strings/workflows.ts';
import { AppElement } from '../../ui/app-element.ts';
import { controls } from '../../ui/styles/controls.ts';
import type { WorkflowNode } from '../api-types.ts';

/** Types of nodes that need a chat model. */
const MODEL_NODES = new Set(['tabd.chat', 'tabd.classify', 'tabd.extract']);

/** Offers a download when a workflow needs a chat model and none is installed. */
export class ModelNeed extends AppElement {
  static override properties = { ...AppElement.properties, nodes: { attribute: false } };
  declare nodes: readonly WorkflowNode[];

  static override styles = [
    controls,
    css`
      .notice {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 0.5rem 0.9rem;
        margin: 0.9rem 0 0;
      }
      span {
        flex: 1 1 18rem;
      }
      progress {
        flex: 1 1 8rem;
        height: 6px;
      }
      a {
        color: inherit;
      }
    `,
  ];

  override render() {
    const { app } = this;
    const asks = this.nodes.some(
      ({ type, disabled, parameters }) => MODEL_NODES.has(type) && !disabled && !parameters.model,
    );
    if (!asks || app.chatModels?.length !== 0) return nothing;
    const offered = app.suggestions.find(canChat);
    const [pull] = app.pulls.active;
    if (pull && pull.error === undefined && !pull.paused) {
      return html`<div class="notice" role="status">
        <span>${workflowStrings.missingModel.downloading(pull.model)}</span>
        <progress
          aria-label=${pull.model}
          max=${pull.total || 1}
          value=${pull.total > 0 ? pull.completed : nothing}
        ></progress>
      </div>`;
    }
    return html`<div class="notice">
      <span>${pull?.error ?? workflowStrings.missingModel.text}</span>
      ${
        offered
          ? html`<button class="primary" @click=${() => app.pull(offered.model)}>
              ${workflowStrings.missingModel.download(offered.model, offered.parameter_size, offered.license)}
            </button>`
          : nothing
      }
      <a href="#/models">${workflowStrings.missingModel.otherModels}</a>
    </div>`;
  }
}

customElements.define('tabd-model-need', ModelNeed);
