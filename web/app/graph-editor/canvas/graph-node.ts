import { html, LitElement, nothing, type PropertyDeclarations } from 'lit';
import { afterRunSelect, inputControl, type UploadFile } from '../controls/field.ts';
import { resultPreview } from '../controls/result.ts';
import { socketColor } from '../controls/socket-colors.ts';
import { fieldHeight, fieldInputs, RESULTS_HEIGHT, socketInputs } from '../nodes/node-geometry.ts';
import type { GraphState } from '../state/graph-state.ts';
import { graphStrings } from '../strings.ts';
import type { ViewNode } from './view-node.ts';

/** Sends rete a signal: an element of a socket was rendered or removed. */
type Emit = (signal: unknown) => void;

/** A node on the canvas. It renders without a shadow root, so that hundreds of nodes share one style sheet. */
export class GraphNodeElement extends LitElement {
  static override properties: PropertyDeclarations = {
    data: { attribute: false, hasChanged: () => true },
    emit: { attribute: false },
    state: { attribute: false },
    upload: { attribute: false },
  };
  declare data: ViewNode;
  declare emit: Emit;
  declare state: GraphState;
  declare upload: UploadFile | undefined;
  /** Inputs whose list of choices was focused. Only these lists have all options. */
  readonly #expanded = new Set<string>();
  readonly #sockets = new Set<Element>();

  protected override createRenderRoot() {
    return this;
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    // Bringing a node to the front moves its element, which disconnects it for a moment.
    queueMicrotask(() => {
      if (this.isConnected) return;
      for (const element of this.#sockets) this.emit({ type: 'unmount', data: { element } });
      this.#sockets.clear();
    });
  }

  protected override updated() {
    // The error text lies outside of the node's box, which `content-visibility: auto` would clip.
    this.toggleAttribute('troubled', this.data.problems.length > 0 || !this.data.isKnown);
    const dots = new Set(this.querySelectorAll<HTMLElement>('.dot'));
    for (const element of this.#sockets) {
      if (dots.has(element as HTMLElement)) continue;
      this.#sockets.delete(element);
      this.emit({ type: 'unmount', data: { element } });
    }
    for (const element of dots) {
      if (this.#sockets.has(element)) continue;
      this.#sockets.add(element);
      const { side, key } = element.dataset;
      // `filled` means that the element is rendered already.
      const data = { type: 'socket', element, nodeId: this.data.id, side, key, payload: {}, filled: true };
      this.emit({ type: 'render', data });
    }
  }

  override render() {
    const { data, state } = this;
    const { node, kind, geometry, mark, problems } = data;
    const own = problems.filter(
      ({ input }) => input === undefined || !kind.inputs.some(({ name }) => name === input),
    );
    const classes = [
      'card',
      data.isSelected && 'selected',
      kind.isNote && 'note',
      node.mode,
      mark?.state,
      (problems.length > 0 || !data.isKnown) && 'bad',
    ];
    const summary = [state.kinds.summaryOf?.(node), mark?.note].filter(Boolean).join(' · ');
    const first = geometry.height - (mark?.results?.length || mark?.texts?.length ? RESULTS_HEIGHT : 0);
    return html`<div
      class=${classes.filter(Boolean).join(' ')}
      style="width:${geometry.width}px;height:${geometry.height}px"
      role="group"
      aria-label=${state.labelOf(node)}
    >
      <header data-tip=${kind.help ?? node.type}>
        <span class="title">${state.nameOf(node)}</span>
        ${node.mode ? html`<span class="tag">${graphStrings[node.mode]}</span>` : nothing}
        ${mark ? html`<span class="state ${mark.state}" data-tip=${graphStrings[mark.state]}></span>` : nothing}
        ${
          mark?.state === 'running'
            ? html`<span
                class="bar ${mark.progress ? '' : 'unsure'}"
                style=${mark.progress ? `width:${(100 * mark.progress.value) / mark.progress.max}%` : nothing}
              ></span>`
            : nothing
        }
      </header>
      <div class="inside">
        ${summary ? html`<span class="about" data-tip=${summary}>${summary}</span>` : nothing}
      ${socketInputs(kind).map(({ name, label, required, help }) => {
        const problem = problems.find(({ input }) => input === name);
        return html`<span
            class="label ${required ? '' : 'optional'} ${problem ? 'wrong' : ''}"
            style="top:${geometry.inputs.get(name)! - 10}px"
            data-tip=${problem?.message ?? help ?? nothing}
            >${label}${problem ? html`<b aria-hidden="true"> !</b>` : nothing}</span
          >`;
      })}
      ${kind.outputs.map(
        ({ label, help }, at) =>
          html`<span class="label out" style="top:${geometry.outputs[at]! - 10}px" data-tip=${help ?? nothing}>${label}</span>`,
      )}
      ${fieldInputs(kind).map((input) => {
        const { name, label, help, widget } = input;
        const top = geometry.inputs.get(name)!;
        const isLinked = data.linked.has(name);
        const bad = problems.find((problem) => problem.input === name);
        const isTextArea = widget?.kind === 'text' && widget.multiline;
        return html`<div
            class="field ${widget!.kind} ${isTextArea ? 'lines' : ''} ${isLinked ? 'linked' : ''} ${bad ? 'wrong' : ''}"
            style="top:${top - 14}px;height:${fieldHeight(input) - 6}px"
            data-tip=${bad?.message ?? help ?? nothing}
            @pointerdown=${this.#stopPropagation}
            @wheel=${scrollText}
            @focusin=${() => this.#expand(name)}
            @dblclick=${this.#stopPropagation}
          >
            ${isTextArea ? nothing : html`<span class="name">${label}</span>`}
            ${
              isLinked
                ? nothing
                : html`${inputControl({ state, node, input, upload: this.upload, onlySelectedOption: !this.#expanded.has(name) })}
                  ${afterRunSelect(state, node, input)}`
            }
          </div>`;
      })}
      </div>
      ${kind.inputs.map(({ name, socket, help }) =>
        socket === undefined ? nothing : this.#dot('input', name, socket, geometry.inputs.get(name)!, help),
      )}
      ${kind.outputs.map(({ socket, help }, at) =>
        this.#dot('output', String(at), socket, geometry.outputs[at]!, help),
      )}
      ${mark ? this.#results(first) : nothing}
      ${
        own.length > 0 || !data.isKnown
          ? html`<p class="problem" role="status">
              ${data.isKnown ? own.map(({ message }) => message).join(' ') : graphStrings.unknown}
            </p>`
          : problems.length > 0
            ? html`<p class="problem" role="status">${problems.map(({ message }) => message).join('\n')}</p>`
            : nothing
      }
    </div>`;
  }

  #dot(side: 'input' | 'output', key: string, type: string, top: number, help: string | undefined) {
    const name = type.startsWith('[') ? 'COMBO' : type;
    return html`<span
      class="dot ${side} ${side === 'input' && this.data.linked.has(key) ? 'full' : ''}"
      data-side=${side}
      data-key=${key}
      data-type=${type}
      style="top:${top - 12}px;--color:${socketColor(type)}"
      data-tip=${help ? `${name}: ${help}` : name}
    ></span>`;
  }

  #results(top: number) {
    const { mark, node } = this.data;
    const results = mark?.results ?? [];
    if (results.length > 0) {
      const name = this.state.nameOf(node);
      const isPlayable = results.some(({ kind }) => kind !== 'image');
      return html`<div
        class="results ${results.length > 1 ? 'several' : ''}"
        style="top:${top}px;height:${RESULTS_HEIGHT - 10}px"
        @pointerdown=${isPlayable ? this.#stopPropagation : undefined}
      >
        ${results.slice(0, 9).map((each) => resultPreview(each, name))}
      </div>`;
    }
    if (!mark?.texts?.length) return nothing;
    return html`<pre class="texts" style="top:${top}px;height:${RESULTS_HEIGHT - 10}px" @pointerdown=${this.#stopPropagation} @wheel=${scrollText}>
${mark.texts.join('\n')}</pre>`;
  }

  /** Keeps pointer events of a field from moving the node. */
  #stopPropagation(event: Event) {
    event.stopPropagation();
  }

  #expand(name: string) {
    if (this.#expanded.has(name)) return;
    this.#expanded.add(name);
    this.requestUpdate();
  }
}

/** Lets the wheel scroll a long text. Otherwise the wheel zooms the canvas. */
function scrollText(event: WheelEvent) {
  const { scrollHeight, clientHeight } = event.target as HTMLElement;
  if (scrollHeight > clientHeight + 1) event.stopPropagation();
}

customElements.define('tabd-graph-node', GraphNodeElement);
