import { css, html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { workflowStrings } from '../../strings/workflows.ts';
import { ObservingElement } from '../../ui/observing-element.ts';
import { controls } from '../../ui/styles/controls.ts';
import { lists } from '../../ui/styles/lists.ts';
import { type OutlineEntry, outlineOf } from '../editor/outline.ts';
import type { PageState } from '../editor/page-state.ts';
import { workflowStyles } from '../workflow-styles.ts';

/** The nodes as a list, in the order in which they run. Fires `add` with the previous node, and `chosen`. */
export class NodeOutline extends ObservingElement<PageState> {
  static override styles = [
    controls,
    lists,
    workflowStyles,
    css`
      ol {
        display: grid;
        gap: 0.4rem;
        margin-bottom: 0.75rem;
      }
      li {
        display: grid;
        grid-template-columns: minmax(0, 1fr) auto;
        align-items: center;
        background: var(--surface);
        border: 1px solid var(--line);
        border-radius: 10px;
      }
      li.chosen {
        border-color: var(--accent);
        box-shadow: 0 0 0 1px var(--accent);
      }
      li.off .name {
        text-decoration: line-through;
        color: var(--soft);
      }
      button.node {
        display: grid;
        grid-template-columns: auto minmax(0, 1fr);
        justify-content: stretch;
        justify-items: start;
        gap: 0 0.7rem;
        align-items: center;
        border: 0;
        background: none;
        border-radius: 10px;
        padding: 0.55rem 0.3rem 0.55rem 0.7rem;
        text-align: left;
        white-space: normal;
      }
      .mark {
        grid-row: span 2;
        display: grid;
        place-items: center;
        width: 2rem;
        height: 2rem;
        border-radius: 9px;
        background: var(--sunken);
        color: var(--soft);
        font-size: 0.8rem;
        font-weight: 600;
      }
      .mark.trigger {
        background: var(--accent-wash);
        color: var(--accent);
      }
      .name {
        font-weight: 600;
        overflow-wrap: anywhere;
        line-height: 1.3;
      }
      .about {
        font-size: 0.8rem;
        line-height: 1.35;
        color: var(--soft);
        overflow-wrap: anywhere;
      }
      .about .bad {
        color: var(--bad);
      }
      button.plus {
        --round: 2rem;
        margin-right: 0.4rem;
        font-size: 1.15rem;
        line-height: 1;
      }
    `,
  ];

  override render() {
    const { draft } = this.state;
    if (!draft) return nothing;
    return html`<ol aria-label=${workflowStrings.node.heading}>
        ${repeat(
          outlineOf(draft),
          ({ node }) => node.id,
          (entry, index) => this.#row(entry, index),
        )}
      </ol>
      <button @click=${() => this.#add(undefined)}>${workflowStrings.node.add}</button>`;
  }

  #row({ node, depth, targets }: OutlineEntry, index: number) {
    const { state } = this;
    const chosen = state.selected === node.name;
    const info = state.typeOf(node);
    const outputs = state.outputsOf(node, workflowStrings.node.errorOutput);
    const leads = targets.map(({ output, node: name }) =>
      outputs.length > 1 ? `${outputs[output] ?? output} → ${name}` : `→ ${name}`,
    );
    const problems =
      state.note?.problems.filter((problem) => problem.node === node.name).flatMap(({ issues }) => issues) ??
      [];
    const about = [
      info?.label === node.name ? '' : (info?.label ?? node.type),
      leads.join(', '),
      node.disabled ? workflowStrings.node.disabled : '',
      this.#items(node.name),
    ];
    return html`<li
      class="${chosen ? 'chosen' : ''} ${node.disabled ? 'off' : ''}"
      style="margin-left: ${Math.min(depth, 6) * 0.6}rem"
    >
      <button class="node" aria-current=${chosen ? 'true' : 'false'} @click=${() => this.#choose(node.name)}>
        <span class="mark ${info?.group ?? ''}" aria-hidden="true">${index + 1}</span>
        <span class="name">${node.name}</span>
        <span class="about">
          ${about.filter(Boolean).join(' · ')} ${this.#failed(node.name)}
          ${problems.map((issue) => html`<div class="bad">${issue}</div>`)}
        </span>
      </button>
      <button
        class="plain round plus"
        aria-label=${workflowStrings.node.addAfter(node.name)}
        data-tip=${workflowStrings.node.addAfter(node.name)}
        @click=${() => this.#add(node.name)}
      >
        +
      </button>
    </li>`;
  }

  #task(name: string) {
    return this.state.lastRun?.data?.resultData.runData[name]?.at(-1);
  }

  #items(name: string): string {
    const main = this.#task(name)?.data?.main;
    return main ? workflowStrings.node.items(main.reduce((sum, items) => sum + (items?.length ?? 0), 0)) : '';
  }

  #failed(name: string) {
    const error = this.#task(name)?.error;
    return error ? html`<div class="bad">${error.message}</div>` : nothing;
  }

  #choose(name: string) {
    this.state.select(name);
    this.dispatchEvent(new Event('chosen'));
  }

  #add(after: string | undefined) {
    this.dispatchEvent(new CustomEvent('add', { detail: after }));
  }
}

customElements.define('tabd-node-outline', NodeOutline);
