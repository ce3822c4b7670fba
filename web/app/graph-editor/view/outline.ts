import { css, html, LitElement, nothing, type PropertyDeclarations } from 'lit';
import { live } from 'lit/directives/live.js';
import { repeat } from 'lit/directives/repeat.js';
import { strings } from '../../strings.ts';
import { controls } from '../../ui/theme.ts';
import type { GraphState } from '../graph-state.ts';
import { type GraphNode, inOrder } from '../model/graph.ts';
import { outputsFor, sourceOf } from '../model/kind-of.ts';
import type { InputKind } from '../model/node-kind.ts';
import { afterRun, field, type Upload } from './field.ts';

/** The graph as a list of forms, in the order in which it runs: all that the canvas can, for keys, readers and phones. */
export class GraphOutline extends LitElement {
  static override properties: PropertyDeclarations = {
    state: { attribute: false },
    upload: { attribute: false },
  };
  declare state: GraphState;
  declare upload: Upload | undefined;
  /** Nodes that are folded; all others are open, in graphs of a usual size. */
  readonly #folded = new Map<string, boolean>();
  readonly #changed = () => this.requestUpdate();

  static override styles = [
    controls,
    css`
      :host {
        display: block;
        height: 100%;
        overflow-y: auto;
      }
      ol {
        display: grid;
        gap: 0.75rem;
        max-width: 46rem;
        margin: 0 auto;
        padding: 1rem 1rem 5rem;
        list-style: none;
      }
      li {
        border: 1px solid var(--line);
        border-radius: var(--radius);
        background: var(--surface);
      }
      li.selected {
        border-color: var(--accent);
        box-shadow: 0 0 0 1px var(--accent);
      }
      li.bad {
        border-color: var(--bad);
      }
      li.running {
        border-color: var(--good);
        box-shadow: 0 0 0 1px var(--good);
      }
      .top {
        display: flex;
        align-items: center;
        gap: 0.6rem;
        padding: 0.5rem 0.75rem;
      }
      .top input {
        flex: none;
        width: 1.1rem;
        height: 1.1rem;
        accent-color: var(--accent);
      }
      h3 {
        flex: 1;
        min-width: 0;
        margin: 0;
        font-size: 0.95rem;
        font-weight: 600;
      }
      button.fold {
        width: 100%;
        justify-content: flex-start;
        color: var(--text);
        overflow: hidden;
      }
      .fold::before {
        content: '▸';
        color: var(--soft);
      }
      .fold[aria-expanded='true']::before {
        content: '▾';
      }
      .fold span {
        overflow: hidden;
        text-overflow: ellipsis;
      }
      .fold small {
        color: var(--soft);
        font-weight: 400;
      }
      .body {
        display: grid;
        gap: 0.7rem;
        padding: 0.25rem 1rem 1rem;
      }
      .input {
        display: grid;
        grid-template-columns: minmax(7rem, 11rem) minmax(0, 1fr);
        gap: 0.2rem 0.75rem;
        align-items: center;
      }
      .input > span {
        font-size: 0.87rem;
        color: var(--soft);
      }
      .input.wrong > span {
        color: var(--bad);
      }
      .value {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 0.5rem;
        min-width: 0;
      }
      .value input[type='text'],
      .value select,
      .value textarea {
        flex: 1 1 8rem;
        min-width: 0;
        width: 8rem;
        min-height: 2.4rem;
        padding: 0.3rem 0.7rem;
        border: 1px solid var(--line);
        border-radius: 9px;
        background: var(--bg);
        font-size: 0.9rem;
      }
      .value textarea {
        flex-basis: 100%;
        min-height: 4.5rem;
        resize: vertical;
        field-sizing: content;
      }
      .value select.after,
      .value select.source {
        flex: 0 1 9rem;
      }
      .value select.source.whole {
        flex: 1 1 8rem;
      }
      .value input[type='checkbox'] {
        width: 1.2rem;
        height: 1.2rem;
        accent-color: var(--accent);
      }
      .value .upload {
        display: grid;
        place-items: center;
        width: 2.4rem;
        height: 2.4rem;
        border: 1px solid var(--line);
        border-radius: 9px;
        cursor: pointer;
      }
      .value .upload:focus-within {
        outline: 2px solid var(--accent);
      }
      [aria-invalid='true'] {
        border-color: var(--bad) !important;
      }
      .problem {
        grid-column: 2;
        margin: 0;
        color: var(--bad);
        font-size: 0.83rem;
      }
      .actions {
        display: flex;
        flex-wrap: wrap;
        margin: 0 -0.5rem -0.4rem;
      }
      .actions button {
        padding: 0.2rem 0.5rem;
        font-size: 0.83rem;
      }
      .tag {
        flex: none;
        font-size: 0.78rem;
        color: var(--soft);
      }
      .tag.failed {
        color: var(--bad);
      }
      .tag.running,
      .tag.done {
        color: var(--good);
      }
      .pictures {
        display: flex;
        flex-wrap: wrap;
        gap: 0.5rem;
      }
      .pictures img {
        max-width: min(16rem, 100%);
        border-radius: 8px;
        background: var(--sunken);
      }
      progress {
        width: 100%;
        height: 6px;
        accent-color: var(--good);
      }
      .empty {
        padding: 4rem 1.5rem;
        text-align: center;
      }
      @media (max-width: 30rem) {
        .input {
          grid-template-columns: minmax(0, 1fr);
        }
        .problem {
          grid-column: 1;
        }
      }
    `,
  ];

  override connectedCallback() {
    super.connectedCallback();
    this.state.addEventListener('change', this.#changed);
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.state.removeEventListener('change', this.#changed);
  }

  override render() {
    const { state } = this;
    const nodes = inOrder(state.graph);
    const words = strings.graph;
    if (nodes.length === 0)
      return html`<div class="empty">
        <h2>${words.emptyHeading}</h2>
        <p class="soft">${words.emptySub}</p>
      </div>`;
    return html`<ol aria-label=${words.outline}>
      ${repeat(
        nodes,
        ({ id }) => id,
        (node) => this.#node(node, nodes.length <= OPEN_UP_TO),
      )}
    </ol>`;
  }

  #node(node: GraphNode, isUsual: boolean) {
    const { state } = this;
    const words = strings.graph;
    const name = state.nameOf(node);
    const kind = state.kindOf(node);
    const mark = state.marks.get(node.id);
    const problems = state.problems.get(node.id) ?? [];
    const isKnown = state.kinds.get(node.type) !== undefined;
    const own = problems.filter(({ input }) => !kind.inputs.some((one) => one.name === input));
    const isOpen = !(this.#folded.get(node.id) ?? !isUsual) || problems.length > 0;
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
          aria-label=${words.selectNode(words.node(name, node.id))}
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
        ${node.mode ? html`<span class="tag">${words[node.mode]}</span>` : nothing}
        ${mark ? html`<span class="tag ${mark.state}" role="status">${words[mark.state]}</span>` : nothing}
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
    const words = strings.graph;
    const kind = state.kindOf(node);
    const mark = state.marks.get(node.id);
    const name = state.nameOf(node);
    const only = new Set([node.id]);
    return html`<div class="body">
      ${isKnown ? nothing : html`<p class="problem">${words.unknown}</p>`}
      ${own.map((message) => html`<p class="problem" role="alert">${message}</p>`)}
      ${kind.inputs.map((input) => this.#input(node, input))}
      ${
        kind.outputs.length > 0
          ? html`<span class="tag">${words.outputs(kind.outputs.map(({ label }) => label).join(', '))}</span>`
          : nothing
      }
      ${
        mark?.progress
          ? html`<progress
              aria-label=${words.stepOf(mark.progress.value, mark.progress.max)}
              max=${mark.progress.max}
              value=${mark.progress.value}
            ></progress>`
          : nothing
      }
      ${
        mark?.pictures?.length
          ? html`<div class="pictures">
              ${mark.pictures.map((url) => html`<img src=${url} alt=${words.picture(name)} />`)}
            </div>`
          : nothing
      }
      ${mark?.texts?.length ? html`<pre>${mark.texts.join('\n')}</pre>` : nothing}
      <div class="actions" role="group" aria-label=${words.node(name, node.id)}>
        <button
          class="plain"
          @click=${() => {
            state.select([node.id]);
            state.duplicate();
          }}
        >
          ${words.duplicate}
        </button>
        ${
          kind.isNote
            ? nothing
            : html`<button
                  class="plain"
                  aria-pressed=${node.mode === 'muted' ? 'true' : 'false'}
                  @click=${() => state.toggleMode('muted', only)}
                >
                  ${words.mute}
                </button>
                <button
                  class="plain"
                  aria-pressed=${node.mode === 'bypassed' ? 'true' : 'false'}
                  @click=${() => state.toggleMode('bypassed', only)}
                >
                  ${words.bypass}
                </button>`
        }
        <button class="plain" @click=${() => this.#rename(node)}>${words.rename}…</button>
        <button class="plain" @click=${() => state.delete(only)}>${words.delete}</button>
      </div>
    </div>`;
  }

  #input(node: GraphNode, input: InputKind) {
    const { state } = this;
    const source = sourceOf(state.graph, state.kinds, node.id, input.name);
    const problems = (state.problems.get(node.id) ?? []).filter((problem) => problem.input === input.name);
    return html`<div class="input ${problems.length > 0 ? 'wrong' : ''}" title=${input.help ?? nothing}>
      <span>${input.label}${input.required ? nothing : html` <small>(${strings.graph.optional})</small>`}</span>
      <div class="value">
        ${
          input.widget && !source
            ? html`${field({ state, node, input, upload: this.upload })} ${afterRun(state, node, input)}`
            : nothing
        }
        ${this.#source(node, input, source)}
      </div>
      ${problems.map(({ message }) => html`<p class="problem" role="alert">${message}</p>`)}
    </div>`;
  }

  /** Which output it is connected to. */
  #source(node: GraphNode, input: InputKind, source: ReturnType<typeof sourceOf>) {
    const { state } = this;
    const words = strings.graph;
    const fitting = outputsFor(state.graph, state.kinds, node, input).filter((one) =>
      state.mayConnect({ from: one.node, output: one.output, to: node.id, input: input.name }),
    );
    if (source && !fitting.some((one) => one.node === source.node && one.output === source.output))
      fitting.unshift(source);
    // A value that nothing could feed needs no choice.
    if (fitting.length === 0 && (input.widget || input.socket === undefined)) return nothing;
    const chosen = source ? `${source.node} ${source.output}` : '';
    return html`<select
      class="source ${source || !input.widget ? 'whole' : ''}"
      aria-label=${words.source(input.label)}
      @change=${(event: Event) => this.#connect(node, input, (event.target as HTMLSelectElement).value)}
    >
      <option value="" .selected=${live(chosen === '')}>
        ${input.widget ? words.byHand : words.unlinked}
      </option>
      ${fitting.map((one) => {
        const value = `${one.node} ${one.output}`;
        const from = `${state.nameOf(state.graph.nodes.get(one.node)!)} (${one.node}) · ${one.label}`;
        return html`<option value=${value} .selected=${live(value === chosen)}>${words.linked(from)}</option>`;
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

  #rename(node: GraphNode) {
    const name = prompt(strings.graph.rename, this.state.nameOf(node));
    if (name !== null) this.state.rename(node.id, name);
  }
}

/** Larger graphs begin folded. */
const OPEN_UP_TO = 40;

customElements.define('tabd-graph-outline', GraphOutline);
