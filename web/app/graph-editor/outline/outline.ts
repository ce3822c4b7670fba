import { html, nothing, type PropertyDeclarations } from 'lit';
import { live } from 'lit/directives/live.js';
import { repeat } from 'lit/directives/repeat.js';
import { ObservingElement } from '../../ui/observing-element.ts';
import { controls } from '../../ui/styles/controls.ts';
import { lists } from '../../ui/styles/lists.ts';
import { askForText } from '../../ui/text-dialog.ts';
import { afterRunSelect, inputControl, type UploadFile } from '../controls/field.ts';
import { type GraphNode, topologicalOrder } from '../graph/graph.ts';
import { connectableOutputs, connectedOutput } from '../nodes/kind-of.ts';
import type { InputKind } from '../nodes/node-kind.ts';
import type { GraphState } from '../state/graph-state.ts';
import { graphStrings } from '../strings.ts';
import './outline-groups.ts';
import { resultPreview } from '../controls/result.ts';
import { outlineStyles } from './outline-styles.ts';

/**
 * The graph as a list of forms in topological order. It offers all functions of the canvas for keyboards, screen
 * readers and phones.
 */
export class GraphOutline extends ObservingElement<GraphState> {
  static override properties: PropertyDeclarations = {
    ...ObservingElement.properties,
    upload: { attribute: false },
  };
  declare upload: UploadFile | undefined;
  /** Nodes that the user folded (true) or unfolded (false). */
  readonly #folded = new Map<string, boolean>();

  static override styles = [controls, lists, outlineStyles];

  override render() {
    const { state } = this;
    const nodes = topologicalOrder(state.graph);
    if (nodes.length === 0)
      return html`<div class="empty">
        <h2>${graphStrings.emptyHeading}</h2>
        <p class="soft">${graphStrings.emptySub}</p>
      </div>`;
    return html`${
      state.groups.all.length > 0 ? html`<tabd-graph-groups .state=${state}></tabd-graph-groups>` : nothing
    }
      <ol aria-label=${graphStrings.outline}>
      ${repeat(
        nodes,
        ({ id }) => id,
        (node) => this.#node(node, nodes.length <= MAX_UNFOLDED_NODES),
      )}
    </ol>`;
  }

  #node(node: GraphNode, isSmallGraph: boolean) {
    const { state } = this;
    const name = state.nameOf(node);
    const kind = state.kindOf(node);
    const mark = state.marks.get(node.id);
    const problems = state.problems.get(node.id) ?? [];
    const isKnown = state.kinds.get(node.type) !== undefined;
    const own = problems.filter((problem) => !kind.inputs.some(({ name }) => name === problem.input));
    const isOpen = !(this.#folded.get(node.id) ?? !isSmallGraph) || problems.length > 0;
    const isSelected = state.selection.has(node.id);
    const classes = [
      isSelected && 'selected',
      mark?.state === 'running' && 'running',
      (problems.length > 0 || !isKnown) && 'bad',
    ];
    return html`<li class=${classes.filter(Boolean).join(' ')} data-node=${node.id}>
      <div class="top">
        <input
          type="checkbox"
          aria-label=${graphStrings.selectNode(state.labelOf(node))}
          .checked=${live(isSelected)}
          @change=${() => state.select([node.id], 'toggle')}
        />
        <h3>
          <button
            class="plain fold"
            aria-expanded=${isOpen ? 'true' : 'false'}
            @click=${() => {
              this.#folded.set(node.id, isOpen);
              this.requestUpdate();
            }}
          >
            <span>${name}</span> <small>${node.id}${name === kind.title ? '' : ` · ${kind.title}`}</small>
          </button>
        </h3>
        ${node.mode ? html`<span class="tag">${graphStrings[node.mode]}</span>` : nothing}
        ${mark ? html`<span class="tag ${mark.state}" role="status">${graphStrings[mark.state]}</span>` : nothing}
      </div>
      ${
        isOpen
          ? this.#body(
              node,
              own.map(({ message }) => message),
              isKnown,
            )
          : nothing
      }
    </li>`;
  }

  #body(node: GraphNode, own: string[], isKnown: boolean) {
    const { state } = this;
    const kind = state.kindOf(node);
    const mark = state.marks.get(node.id);
    const name = state.nameOf(node);
    const only = new Set([node.id]);
    return html`<div class="body">
      ${isKnown ? nothing : html`<p class="problem">${graphStrings.unknown}</p>`}
      ${own.map((message) => html`<p class="problem" role="alert">${message}</p>`)}
      ${kind.inputs.map((input) => this.#input(node, input))}
      ${
        kind.outputs.length > 0
          ? html`<span class="tag">${graphStrings.outputs(kind.outputs.map(({ label }) => label).join(', '))}</span>`
          : nothing
      }
      ${
        mark?.progress
          ? html`<progress
              aria-label=${graphStrings.stepOf(mark.progress.value, mark.progress.max)}
              max=${mark.progress.max}
              value=${mark.progress.value}
            ></progress>`
          : nothing
      }
      ${
        mark?.results?.length
          ? html`<div class="results">${mark.results.map((each) => resultPreview(each, name))}</div>`
          : nothing
      }
      ${mark?.texts?.length ? html`<pre>${mark.texts.join('\n')}</pre>` : nothing}
      <div class="buttons" role="group" aria-label=${state.labelOf(node)}>
        <button
          class="plain small"
          @click=${() => {
            state.select([node.id]);
            state.clipboard.duplicate();
          }}
        >
          ${graphStrings.duplicate}
        </button>
        ${
          kind.isNote
            ? nothing
            : html`<button
                  class="plain small"
                  aria-pressed=${node.mode === 'muted' ? 'true' : 'false'}
                  @click=${() => state.toggleMode('muted', only)}
                >
                  ${graphStrings.mute}
                </button>
                <button
                  class="plain small"
                  aria-pressed=${node.mode === 'bypassed' ? 'true' : 'false'}
                  @click=${() => state.toggleMode('bypassed', only)}
                >
                  ${graphStrings.bypass}
                </button>`
        }
        <button class="plain small" @click=${() => this.#rename(node)}>${graphStrings.rename}…</button>
        <button class="plain small" @click=${() => state.delete(only)}>${graphStrings.delete}</button>
      </div>
    </div>`;
  }

  #input(node: GraphNode, input: InputKind) {
    const { state } = this;
    const source = connectedOutput(state.graph, state.kinds, node.id, input.name);
    const problems = (state.problems.get(node.id) ?? []).filter((problem) => problem.input === input.name);
    return html`<div class="input ${problems.length > 0 ? 'wrong' : ''}" data-tip=${input.help ?? nothing}>
      <span>${input.label}${input.required ? nothing : html` <small>(${graphStrings.optional})</small>`}</span>
      <div class="value">
        ${
          input.widget && !source
            ? html`${inputControl({ state, node, input, upload: this.upload })} ${afterRunSelect(state, node, input)}`
            : nothing
        }
        ${this.#source(node, input, source)}
      </div>
      ${problems.map(({ message }) => html`<p class="problem" role="alert">${message}</p>`)}
    </div>`;
  }

  /** The choice of the output that an input is connected to. */
  #source(node: GraphNode, input: InputKind, source: ReturnType<typeof connectedOutput>) {
    const { state } = this;
    const fitting = connectableOutputs(state.graph, state.kinds, node, input).filter((output) =>
      state.canConnect({ from: output.node, output: output.output, to: node.id, input: input.name }),
    );
    if (source && !fitting.some((output) => output.node === source.node && output.output === source.output))
      fitting.unshift(source);
    // No output matches: the input has its own value only.
    if (fitting.length === 0 && (input.widget || input.socket === undefined)) return nothing;
    const chosen = source ? `${source.node} ${source.output}` : '';
    return html`<select
      class="source ${source || !input.widget ? 'whole' : ''}"
      aria-label=${graphStrings.source(input.label)}
      @change=${(event: Event) => this.#connect(node, input, (event.target as HTMLSelectElement).value)}
    >
      <option value="" .selected=${live(chosen === '')}>
        ${input.widget ? graphStrings.byHand : graphStrings.unlinked}
      </option>
      ${fitting.map((output) => {
        const value = `${output.node} ${output.output}`;
        const from = `${state.nameOf(state.graph.nodes.get(output.node)!)} (${output.node}) · ${output.label}`;
        return html`<option value=${value} .selected=${live(value === chosen)}>${graphStrings.linked(from)}</option>`;
      })}
    </select>`;
  }

  #connect(node: GraphNode, input: InputKind, value: string) {
    const { state } = this;
    const at = value.lastIndexOf(' ');
    if (value === '') {
      const link = state.linkInto(node.id, input.name);
      if (link) state.disconnect(link);
    } else
      state.connect({
        from: value.slice(0, at),
        output: Number(value.slice(at + 1)),
        to: node.id,
        input: input.name,
      });
  }

  async #rename(node: GraphNode) {
    const name = await askForText(graphStrings.rename, this.state.nameOf(node));
    if (name !== undefined) this.state.rename(node.id, name);
  }
}

/** In larger graphs all nodes are folded at first. */
const MAX_UNFOLDED_NODES = 40;

customElements.define('tabd-graph-outline', GraphOutline);
