import { css, html, LitElement, nothing, type PropertyDeclarations } from 'lit';
import { controls } from '../../ui/styles/controls.ts';
import type { UploadFile } from '../controls/field.ts';
import type { NodeId } from '../graph/graph.ts';
import type { GraphState } from '../state/graph-state.ts';
import { graphStrings } from '../strings.ts';
import { Canvas } from './canvas.ts';
import { layerStyles } from './layer-styles.ts';
import { nodeStyles } from './node-styles.ts';
import type { Point } from './socket-positions.ts';
import type { WireEnd } from './wire-flow.ts';

/** Asks for the dialog that adds a node at a position, connected to `wire`. */
export class AddNodeEvent extends Event {
  constructor(
    readonly at: Point,
    readonly wire?: WireEnd,
  ) {
    super('graph-add', { bubbles: true, composed: true });
  }
}

/** Asks for the dialog with name and color of a group. */
export class EditGroupEvent extends Event {
  constructor(readonly group: string) {
    super('graph-group', { bubbles: true, composed: true });
  }
}

/** The canvas view: pan, zoom, drag, connect. */
export class GraphCanvas extends LitElement {
  static override properties: PropertyDeclarations = {
    state: { attribute: false },
    upload: { attribute: false },
    frame: { state: true },
    wire: { state: true },
  };
  declare state: GraphState;
  declare upload: UploadFile | undefined;
  /** The selection rectangle that is being drawn. */
  declare frame: { a: Point; b: Point } | undefined;
  declare wire: WireEnd | undefined;
  #canvas: Canvas | undefined;
  #resizes: ResizeObserver | undefined;
  readonly #changed = () => {
    void this.#canvas?.sync();
    this.requestUpdate();
  };

  static override styles = [
    controls,
    nodeStyles,
    layerStyles,
    css`
      :host {
        display: block;
        position: relative;
        height: 100%;
        overflow: hidden;
        color: var(--text);
      }
      .ground {
        position: absolute;
        inset: 0;
        background-color: var(--bg);
        background-image: radial-gradient(circle at 1px 1px, var(--line) 1px, transparent 1.5px);
        background-size: 24px 24px;
        cursor: default;
        touch-action: none;
      }
      .ground:focus-visible {
        outline-offset: -3px;
      }
      .wiring .dot {
        opacity: 0.25;
      }
      .frame {
        position: absolute;
        border: 1px solid var(--accent);
        background: color-mix(in srgb, var(--accent) 14%, transparent);
        border-radius: 3px;
        pointer-events: none;
      }
      .zoom {
        position: absolute;
        left: 12px;
        bottom: 12px;
        display: flex;
        gap: 4px;
        --round: 2.1rem;
      }
      .empty {
        position: absolute;
        inset: 0;
        display: grid;
        place-content: center;
        justify-items: center;
        text-align: center;
        padding: 2rem;
        pointer-events: none;
      }
      .empty button {
        pointer-events: auto;
      }
      @media (pointer: coarse) {
        .dot::before {
          content: '';
          position: absolute;
          inset: -6px;
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
    this.#resizes?.disconnect();
    this.#canvas?.destroy();
    this.#canvas = undefined;
  }

  protected override firstUpdated() {
    const ground = this.renderRoot.querySelector<HTMLElement>('.ground')!;
    this.#canvas = new Canvas(ground, this.state, {
      upload: this.upload,
      wireChanged: (end) => {
        this.wire = end;
      },
      editGroup: (id) => this.dispatchEvent(new EditGroupEvent(id)),
      wireDropped: (end, at) => this.dispatchEvent(new AddNodeEvent(at, end)),
    });
    void this.#canvas.sync();
    // A graph that was opened while the canvas was hidden is fitted when the canvas becomes visible.
    let isVisible = ground.clientWidth > 0;
    this.#resizes = new ResizeObserver(() => {
      if (!isVisible && ground.clientWidth > 0) void this.fit();
      isVisible = ground.clientWidth > 0;
    });
    this.#resizes.observe(ground);
  }

  override render() {
    const { frame, wire } = this;
    return html`<div
        class="ground ${wire ? 'wiring' : ''}"
        tabindex="0"
        role="group"
        aria-label=${graphStrings.canvasLabel}
        @dblclick=${this.#doubleClicked}
      ></div>
      ${wire ? html`<style>${this.#fitting(wire)}</style>` : nothing}
      ${
        this.state.graph.nodes.size === 0
          ? html`<div class="empty">
              <h2>${graphStrings.emptyHeading}</h2>
              <p class="soft">${graphStrings.emptySub}</p>
              <button @click=${() => this.dispatchEvent(new AddNodeEvent(this.center()))}>${graphStrings.add}</button>
            </div>`
          : nothing
      }
      ${
        frame
          ? html`<div
              class="frame"
              style="left:${Math.min(frame.a.x, frame.b.x)}px;top:${Math.min(frame.a.y, frame.b.y)}px;width:${Math.abs(frame.a.x - frame.b.x)}px;height:${Math.abs(frame.a.y - frame.b.y)}px"
            ></div>`
          : nothing
      }
      <span class="visually-hidden" role="status">${this.#chosen()}</span>
      <div class="zoom">
        <button class="round" aria-label=${graphStrings.zoomOut} data-tip=${graphStrings.zoomOut} @click=${() => this.#canvas?.viewport.zoomBy(0.8)}>−</button>
        <button class="round" aria-label=${graphStrings.zoomIn} data-tip=${graphStrings.zoomIn} @click=${() => this.#canvas?.viewport.zoomBy(1.25)}>+</button>
        <button class="round" aria-label=${graphStrings.fit} aria-keyshortcuts="." data-tip=${graphStrings.fit} @click=${() => this.fit()}>⤢</button>
      </div>`;
  }

  /** The selection, as text for screen readers. */
  #chosen(): string {
    const { selection, graph, groups, selectedGroup } = this.state;
    if (selectedGroup !== undefined) return graphStrings.groupNamed(groups.get(selectedGroup)?.title ?? '');
    const [id = ''] = selection;
    const node = selection.size === 1 ? graph.nodes.get(id) : undefined;
    return node ? this.state.labelOf(node) : selection.size > 1 ? graphStrings.chosen(selection.size) : '';
  }

  /** A style rule that highlights the sockets to which a wire can be connected. */
  #fitting(wire: WireEnd): string {
    const { state } = this;
    const isOutput = 'from' in wire;
    const node = state.graph.nodes.get(isOutput ? wire.from : wire.to);
    if (!node) return '';
    const kind = state.kindOf(node);
    const type = isOutput
      ? kind.outputs[wire.output]?.socket
      : kind.inputs.find(({ name }) => name === wire.input)?.socket;
    if (type === undefined) return '';
    const types = new Set<string>();
    for (const other of state.graph.nodes.values()) {
      const { inputs, outputs } = state.kindOf(other);
      if (isOutput) {
        for (const { socket } of inputs)
          if (socket !== undefined && state.kinds.canConnect(type, socket)) types.add(socket);
      } else for (const { socket } of outputs) if (state.kinds.canConnect(socket, type)) types.add(socket);
    }
    const side = isOutput ? 'input' : 'output';
    const fitting = [...types].map(
      (name) => `.wiring .dot[data-side=${side}][data-type=${JSON.stringify(CSS.escape(name))}]`,
    );
    return fitting.length === 0 ? '' : `${fitting.join(',')}{opacity:1}`;
  }

  async zoom(factor: number): Promise<void> {
    await this.#canvas?.viewport.zoomBy(factor);
  }

  /** Moves the graph by pixels of the page. */
  async pan(x: number, y: number): Promise<void> {
    await this.#canvas?.viewport.pan(x, y);
  }

  /** Pans so that a node is visible. */
  async reveal(id: NodeId): Promise<void> {
    await this.#canvas?.viewport.reveal(this.state.areaOf(id));
  }

  fit(): Promise<void> {
    return this.#canvas?.fit() ?? Promise.resolve();
  }

  center(): Point {
    return this.#canvas?.viewport.center() ?? { x: 0, y: 0 };
  }

  /** Cancels the wire that is being drawn. Returns false when there is none. */
  dropWire(): boolean {
    if (!this.wire) return false;
    this.#canvas?.dropWire();
    return true;
  }

  override focus() {
    this.renderRoot.querySelector<HTMLElement>('.ground')?.focus();
  }

  #doubleClicked(event: MouseEvent) {
    const [target] = event.composedPath();
    if (!(target instanceof HTMLElement) || target.closest('tabd-graph-node')) return;
    const at = this.#canvas?.viewport.toGraph(event.clientX, event.clientY);
    if (at) this.dispatchEvent(new AddNodeEvent(at));
  }

  constructor() {
    super();
    this.addEventListener('pointerdown', (event) => this.#drawFrame(event), { capture: true });
  }

  /** Selects the nodes in the rectangle that the user draws with Shift and a drag over the background. */
  #drawFrame(event: PointerEvent) {
    const [target] = event.composedPath() as HTMLElement[];
    if (!event.shiftKey || event.button !== 0 || !target?.closest('.ground')) return;
    if (target.closest('tabd-graph-node, tabd-graph-overview')) return;
    event.stopImmediatePropagation();
    event.preventDefault();
    const { left, top } = this.getBoundingClientRect();
    const toCanvas = ({ x, y }: Point) => ({ x: x - left, y: y - top });
    const a = toCanvas(event);
    this.setPointerCapture(event.pointerId);
    const move = (moved: PointerEvent) => {
      this.frame = { a, b: toCanvas(moved) };
    };
    const end = (last: PointerEvent) => {
      this.removeEventListener('pointermove', move);
      const frame = this.frame;
      this.frame = undefined;
      if (frame && last.type === 'pointerup')
        this.state.select(this.#canvas?.nodesIn(event, last) ?? [], 'also');
      this.focus();
    };
    this.addEventListener('pointermove', move);
    this.addEventListener('pointerup', end, { once: true });
    this.addEventListener('pointercancel', end, { once: true });
  }
}

customElements.define('tabd-graph-canvas', GraphCanvas);
