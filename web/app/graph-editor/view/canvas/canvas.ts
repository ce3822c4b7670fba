/**
 * The graph on rete's area. The model is the truth: what it holds is shown (`sync`), and what a person does here, a
 * wire drawn or a node moved, is told to the model.
 */
import { LitPlugin, Presets } from '@retejs/lit-plugin';
import { html } from 'lit';
import { NodeEditor, type NodeId } from 'rete';
import { AreaExtensions, AreaPlugin } from 'rete-area-plugin';
import { ConnectionPlugin } from 'rete-connection-plugin';
import { MinimapPlugin } from 'rete-minimap-plugin';
import type { GraphState } from '../../graph-state.ts';
import type { Graph, Link } from '../../model/graph.ts';
import { linkId } from '../../model/graph.ts';
import type { Upload } from '../field.ts';
import { socketColour } from '../socket-colours.ts';
import { overviewPreset, RATIO } from './overview.ts';
import { type Place, SocketPlaces } from './socket-places.ts';
import { type Scheme, ViewLink, ViewNode } from './view-node.ts';
import { type WireEnd, WireFlow } from './wire-flow.ts';
import './graph-node.ts';

export interface CanvasEvents {
  /** A wire was let go over empty space: what could go there? */
  wireDropped(end: WireEnd, at: Place): void;
  /** A wire is in the hand; undefined: no more. */
  wiring(end: WireEnd | undefined): void;
  upload?: Upload | undefined;
}

const CLOSEST = 2.5;
const FARTHEST = 0.08;
/** Milliseconds of work before the page gets its turn. */
const SLICE = 8;
/** Pixels that a hand may shake in a click. */
const SHAKE = 4;

// biome-ignore lint/suspicious/noExplicitAny: rete's plugins type the signals of all others
type Any = any;

export class Canvas {
  readonly #editor = new NodeEditor<Scheme>();
  readonly #area: AreaPlugin<Scheme, Any>;
  readonly #minimap = new MinimapPlugin<Scheme>({ boundViewport: true, minDistance: 1200, ratio: RATIO });
  readonly #views = new Map<NodeId, ViewNode>();
  readonly #links = new Map<string, ViewLink>();
  readonly #sockets: SocketPlaces;
  readonly #ended = new AbortController();
  #linksOf: { links: readonly Link[]; into: Map<NodeId, Set<string>> } = { links: [], into: new Map() };
  #syncing = false;
  #again = false;
  #opened = 0;
  #picked: { id: NodeId; event: PointerEvent; moved: boolean; wasSelected: boolean } | undefined;
  #following = false;
  #down: PointerEvent | undefined;
  #flow: WireFlow | undefined;
  readonly #wires: ConnectionPlugin<Scheme, Any>;
  #frame = 0;

  constructor(
    private readonly container: HTMLElement,
    private readonly state: GraphState,
    private readonly events: CanvasEvents,
  ) {
    this.#area = new AreaPlugin<Scheme, Any>(container);
    this.#sockets = new SocketPlaces(
      (id) => this.#views.get(id),
      (id) => this.#area.nodeViews.get(id)?.position,
    );
    this.#editor.use(this.#area as Any);
    this.#area.use(this.#renderer() as Any);
    this.#wires = this.#connections();
    this.#area.use(this.#wires as Any);
    this.#minimap.setParent(this.#area as Any);
    this.#area.addPipe((signal: Any) => this.#heard(signal));
    AreaExtensions.zIndexNodesOrder(this.#area);
    AreaExtensions.restrictor(this.#area, { scaling: { min: FARTHEST, max: CLOSEST } });
    const { signal } = this.#ended;
    container.addEventListener('pointerdown', (event) => this.#pressed(event), { capture: true, signal });
    addEventListener('pointerup', (event) => this.#released(event), { signal });
  }

  destroy(): void {
    this.#ended.abort();
    cancelAnimationFrame(this.#frame);
    this.#area.destroy();
  }

  /** Shows what the model holds. Large graphs come in slices, so that the page stays awake. */
  async sync(): Promise<void> {
    this.#again = true;
    if (this.#syncing) return;
    this.#syncing = true;
    try {
      while (this.#again && !this.#ended.signal.aborted) {
        this.#again = false;
        await this.#show(this.state.graph);
      }
    } finally {
      this.#syncing = false;
    }
  }

  async #show(graph: Graph): Promise<void> {
    const { state } = this;
    const wanted = new Set(graph.links.map(linkId));
    let since = performance.now();
    const breathe = async () => {
      if (performance.now() - since < SLICE) return;
      await new Promise((resolve) => setTimeout(resolve));
      since = performance.now();
    };
    for (const [id] of [...this.#links]) if (!wanted.has(id)) await this.#removeLink(id);
    for (const [id] of [...this.#views]) {
      if (graph.nodes.has(id)) continue;
      for (const [link, { source, target }] of [...this.#links])
        if (source === id || target === id) await this.#removeLink(link);
      await this.#editor.removeNode(id);
      this.#views.delete(id);
    }
    const into = this.#linkedInputs(graph);
    const isNew = this.#opened !== state.opened;
    for (const node of graph.nodes.values()) {
      const known = this.#views.get(node.id);
      const view = known ?? new ViewNode(node);
      const before = known?.geometry;
      const isChanged = view.take(state, node, into.get(node.id) ?? none);
      if (!known) {
        this.#views.set(node.id, view);
        await this.#editor.addNode(view);
        await this.#area.translate(node.id, node);
        if (isNew && this.#views.size === 1) this.#centre(node);
      } else if (isChanged) {
        const place = this.#area.nodeViews.get(node.id)?.position;
        if (place && (place.x !== node.x || place.y !== node.y) && this.#picked?.id !== node.id)
          await this.#area.translate(node.id, node);
        await this.#area.update('node', node.id);
        if (before && (before.width !== view.width || before.inputs.size !== view.geometry.inputs.size))
          this.#sockets.told(node.id);
      }
      await breathe();
      if (this.#again && state.graph !== graph) return;
    }
    for (const link of graph.links) {
      const id = linkId(link);
      const source = this.#views.get(link.from);
      const target = this.#views.get(link.to);
      if (this.#links.has(id) || !source || !target) continue;
      const view = new ViewLink(source, target, link);
      this.#links.set(id, view);
      await this.#editor.addConnection(view);
      this.#dress(id, link);
      await breathe();
    }
    for (const [id, { link }] of this.#links) this.#mark(id, state.link === link);
    if (isNew && graph === state.graph) {
      this.#opened = state.opened;
      await this.fit();
    }
    this.#overview();
  }

  async #removeLink(id: string): Promise<void> {
    this.#links.delete(id);
    if (this.#editor.getConnection(id)) await this.#editor.removeConnection(id);
  }

  #linkedInputs({ links }: Graph): Map<NodeId, Set<string>> {
    if (this.#linksOf.links === links) return this.#linksOf.into;
    const into = new Map<NodeId, Set<string>>();
    for (const { to, input } of links) into.set(to, (into.get(to) ?? new Set()).add(input));
    this.#linksOf = { links, into };
    return into;
  }

  /** The colour of what flows in it; a click chooses it. */
  #dress(id: string, link: Link): void {
    const element = this.#area.connectionViews.get(id)?.element;
    if (!element) return;
    element.style.setProperty('--wire', socketColour(this.#typeOf(link.from, link.output)));
    element.addEventListener('click', (event) => {
      const start = this.#down;
      if (start && Math.hypot(start.x - event.x, start.y - event.y) > SHAKE) return;
      this.state.selectLink(this.state.graph.links.find((other) => linkId(other) === id));
    });
  }

  #mark(id: string, isChosen: boolean): void {
    const style = this.#area.connectionViews.get(id)?.element.style;
    style?.setProperty('--wire-width', isChosen ? '5px' : '2.5px');
  }

  #typeOf(id: NodeId, output: number): string {
    return this.#views.get(id)?.kind.outputs[output]?.socket ?? '*';
  }

  #renderer() {
    const renderer = new LitPlugin<Scheme, Any>();
    renderer.addPreset(
      Presets.classic.setup({
        socketPositionWatcher: this.#sockets as Any,
        customize: {
          node:
            ({ payload }: Any) =>
            ({ emit }: Any) =>
              html`<tabd-graph-node
                .data=${payload}
                .emit=${emit}
                .state=${this.state}
                .upload=${this.events.upload}
              ></tabd-graph-node>`,
          connection:
            () =>
            ({ path }: { path: string }) =>
              // In a tree of its own: styles are given here.
              html`<svg style="position:absolute;width:1px;height:1px;overflow:visible;pointer-events:none">
                <path
                  d=${path ?? ''}
                  style="fill:none;stroke:var(--wire);stroke-width:var(--wire-width,2.5px);stroke-linecap:round"
                />
                <path
                  d=${path ?? ''}
                  style="fill:none;stroke:transparent;stroke-width:14px;pointer-events:var(--wire-hit,stroke);cursor:pointer"
                />
              </svg>`,
        },
      } as Any) as Any,
    );
    renderer.addPreset(overviewPreset as Any);
    return renderer;
  }

  #connections() {
    const plugin = new ConnectionPlugin<Scheme, Any>();
    const events = {
      wiring: (end: WireEnd | undefined) => this.events.wiring(end),
      wireDropped: (end: WireEnd) => this.events.wireDropped(end, { ...this.#area.area.pointer }),
    };
    plugin.addPreset(() => {
      this.#flow = new WireFlow(this.state, events);
      return this.#flow as Any;
    });
    return plugin;
  }

  /** Lets go of the wire in the hand. */
  dropWire(): void {
    this.#flow?.cancel();
    this.#wires.drop();
  }

  #heard(signal: Any): Any {
    switch (signal?.type) {
      case 'zoom':
        // A double click adds a node.
        if (signal.data.source === 'dblclick') return undefined;
        break;
      case 'nodepicked':
        this.#pick(signal.data.id);
        break;
      case 'nodetranslated':
        this.#sockets.told(signal.data.id);
        this.#follow(signal.data);
        this.#overview();
        break;
      case 'nodedragged':
        this.#settle();
        break;
      case 'translated':
      case 'zoomed':
        this.#ground();
        this.#overview();
        break;
      case 'render':
        if (signal.data.type === 'connection' && signal.data.payload.isPseudo) this.#dressDrawn(signal.data);
        break;
    }
    return signal;
  }

  /** A wire in the hand has the colour of what it comes from, and lets the pointer through. */
  #dressDrawn({ element, payload }: Any): void {
    const type = payload.source
      ? this.#typeOf(payload.source, Number(payload.sourceOutput))
      : (this.#views.get(payload.target)?.kind.inputs.find(({ name }) => name === payload.targetInput)
          ?.socket ?? '*');
    element.style.setProperty('--wire', socketColour(type));
    element.style.setProperty('--wire-hit', 'none');
    element.style.pointerEvents = 'none';
  }

  #pressed(event: PointerEvent): void {
    this.#down = event;
  }

  #pick(id: NodeId): void {
    const event = this.#down;
    if (!event) return;
    const wasSelected = this.state.selection.has(id);
    this.#picked = { id, event, moved: false, wasSelected };
    if (event.shiftKey || event.ctrlKey || event.metaKey) this.state.select([id], 'toggle');
    else if (!wasSelected) this.state.select([id]);
  }

  /** What is chosen goes with the node that is dragged. */
  #follow({ id, position, previous }: { id: NodeId; position: Place; previous: Place }): void {
    if (this.#following || this.#picked?.id !== id) return;
    const [x, y] = [position.x - previous.x, position.y - previous.y];
    if (x === 0 && y === 0) return;
    this.#picked.moved = true;
    this.#following = true;
    for (const other of this.state.selection) {
      const view = other === id ? undefined : this.#area.nodeViews.get(other);
      if (view) void view.translate(view.position.x + x, view.position.y + y);
    }
    this.#following = false;
  }

  #settle(): void {
    const picked = this.#picked;
    this.#picked = undefined;
    if (!picked) return;
    if (!picked.moved) {
      const { shiftKey, ctrlKey, metaKey } = picked.event;
      if (picked.wasSelected && !shiftKey && !ctrlKey && !metaKey) this.state.select([picked.id]);
      return;
    }
    const places = new Map<NodeId, Place>();
    for (const id of new Set([picked.id, ...this.state.selection])) {
      const place = this.#area.nodeViews.get(id)?.position;
      if (place) places.set(id, { x: Math.round(place.x), y: Math.round(place.y) });
    }
    this.state.move(places);
  }

  /** A click beside everything chooses nothing. */
  #released(event: PointerEvent): void {
    const down = this.#down;
    if (!down || down.pointerId !== event.pointerId) return;
    const isGround = down.composedPath()[0] === this.container || down.composedPath()[0] === this.#holder;
    const moved = Math.hypot(down.x - event.x, down.y - event.y) > SHAKE;
    if (isGround && !moved && !down.shiftKey && (this.state.selection.size > 0 || this.state.link)) {
      this.state.selectLink(undefined);
    }
  }

  get #holder(): HTMLElement {
    return this.#area.area.content.holder;
  }

  /** The overview is told once a frame, however much moves. */
  #overview(): void {
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      if (this.#views.size === 0) return;
      void this.#minimap.signal.emit({ type: 'resized', data: { event: new Event('resize') } } as Any);
    });
  }

  /** The dots of the ground move with the graph. */
  #ground(): void {
    const { x, y, k } = this.#area.area.transform;
    this.container.style.backgroundPosition = `${x}px ${y}px`;
    const step = k < 0.45 ? 96 * k : 24 * k;
    this.container.style.backgroundSize = `${step}px ${step}px`;
  }

  /** The first node of a graph that comes in slices is seen at once. */
  #centre({ x, y }: Place): void {
    const { transform } = this.#area.area;
    void this.#area.area.translate(80 - x * transform.k, 80 - y * transform.k);
  }

  async fit(): Promise<void> {
    if (this.#views.size === 0 || this.container.clientWidth === 0) return;
    await AreaExtensions.zoomAt(this.#area, [...this.#views.values()], { scale: 0.88 });
    this.#ground();
  }

  async zoomBy(factor: number): Promise<void> {
    const { transform } = this.#area.area;
    const { clientWidth, clientHeight } = this.container;
    const k = Math.min(CLOSEST, Math.max(FARTHEST, transform.k * factor));
    const part = k / transform.k - 1;
    await this.#area.area.zoom(
      k,
      (transform.x - clientWidth / 2) * part,
      (transform.y - clientHeight / 2) * part,
    );
  }

  /** A place on the page as a place in the graph. */
  placeAt(clientX: number, clientY: number): Place {
    const { left, top } = this.container.getBoundingClientRect();
    const { x, y, k } = this.#area.area.transform;
    return { x: (clientX - left - x) / k, y: (clientY - top - y) / k };
  }

  middle(): Place {
    const { left, top, width, height } = this.container.getBoundingClientRect();
    return this.placeAt(left + width / 2, top + height / 2);
  }

  /** Nodes that a frame on the page touches. */
  within(a: Place, b: Place): NodeId[] {
    const [one, other] = [this.placeAt(a.x, a.y), this.placeAt(b.x, b.y)];
    const [left, right] = [Math.min(one.x, other.x), Math.max(one.x, other.x)];
    const [top, bottom] = [Math.min(one.y, other.y), Math.max(one.y, other.y)];
    return [...this.#views.values()].flatMap(({ id, width, height }) => {
      const place = this.#area.nodeViews.get(id)?.position;
      if (!place || place.x > right || place.y > bottom) return [];
      return place.x + width < left || place.y + height < top ? [] : [id];
    });
  }
}

const none: ReadonlySet<string> = new Set();
