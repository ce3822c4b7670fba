/**
 * The graph on rete's area. `GraphState` is the source of truth: `sync` shows it, and drawn wires and moved nodes
 * become edits of it.
 */
import { NodeEditor, type NodeId } from 'rete';
import { AreaExtensions, AreaPlugin } from 'rete-area-plugin';
import { ConnectionPlugin } from 'rete-connection-plugin';
import { MinimapPlugin } from 'rete-minimap-plugin';
import type { UploadFile } from '../controls/field.ts';
import { socketColor } from '../controls/socket-colors.ts';
import type { Graph, Link } from '../graph/graph.ts';
import { linkId } from '../graph/graph.ts';
import type { NodeGeometry } from '../nodes/node-geometry.ts';
import type { GraphState } from '../state/graph-state.ts';
import { GroupLayer } from './group-layer.ts';
import { MINIMAP_RATIO } from './minimap.ts';
import { NodeDrag, setPosition } from './node-drag.ts';
import { createRenderer } from './renderer.ts';
import { type Point, SocketPositions } from './socket-positions.ts';
import { type Scheme, ViewLink, ViewNode } from './view-node.ts';
import { MAX_ZOOM, MIN_ZOOM, Viewport } from './viewport.ts';
import { type WireEnd, WireFlow } from './wire-flow.ts';
import { WireLayer } from './wire-layer.ts';

export interface CanvasOptions {
  /** A wire was dropped over empty space, where a matching node can be added. */
  wireDropped(end: WireEnd, at: Point): void;
  /** The wire that is being drawn, or undefined after it. */
  wireChanged(end: WireEnd | undefined): void;
  /** The user wants to rename a group. */
  editGroup(id: string): void;
  upload?: UploadFile | undefined;
}

/** Milliseconds of work after which the canvas yields to the event loop. */
const WORK_SLICE = 8;
/** Pixels that the pointer may move during a click. */
const CLICK_TOLERANCE = 4;
/** Distance in pixels from a wire at which a click selects it. */
const WIRE_TOLERANCE = 8;

// biome-ignore lint/suspicious/noExplicitAny: rete's plugins type the signals of all others
type Any = any;

export class Canvas {
  readonly #editor = new NodeEditor<Scheme>();
  readonly #area: AreaPlugin<Scheme, Any>;
  readonly #minimap = new MinimapPlugin<Scheme>({
    boundViewport: true,
    minDistance: 1200,
    ratio: MINIMAP_RATIO,
  });
  readonly #views = new Map<NodeId, ViewNode>();
  readonly #links = new Map<string, ViewLink>();
  readonly #sockets: SocketPositions;
  readonly #ended = new AbortController();
  #linksOf: { links: readonly Link[]; into: Map<NodeId, Set<string>> } = { links: [], into: new Map() };
  #syncing = false;
  #again = false;
  #opened = 0;
  #pressedNode: { id: NodeId; event: PointerEvent; moved: boolean; wasSelected: boolean } | undefined;
  readonly #wireLayer: WireLayer;
  readonly viewport: Viewport;
  readonly #carrier: NodeDrag;
  readonly #groups: GroupLayer;
  #down: PointerEvent | undefined;
  #flow: WireFlow | undefined;
  readonly #wires: ConnectionPlugin<Scheme, Any>;
  #frame = 0;

  constructor(
    container: HTMLElement,
    private readonly state: GraphState,
    private readonly events: CanvasOptions,
  ) {
    this.#area = new AreaPlugin<Scheme, Any>(container);
    this.#sockets = new SocketPositions(
      (id) => this.#views.get(id),
      (id) => this.#area.nodeViews.get(id)?.position,
    );
    this.#editor.use(this.#area as Any);
    this.#area.addPipe((signal: Any) => this.#skipLinks(signal));
    this.#area.use(createRenderer(state, this.#sockets, events.upload) as Any);
    this.#wires = this.#connections();
    this.#area.use(this.#wires as Any);
    this.#minimap.setParent(this.#area as Any);
    this.#area.addPipe((signal: Any) => this.#handleSignal(signal));
    AreaExtensions.zIndexNodesOrder(this.#area);
    AreaExtensions.restrictor(this.#area, { scaling: { min: MIN_ZOOM, max: MAX_ZOOM } });
    this.viewport = new Viewport(container, this.#area);
    this.#wireLayer = new WireLayer(this.viewport.holder, this.#sockets);
    this.#carrier = new NodeDrag(this.#area, (id) => this.#nodeMoved(id));
    this.#groups = new GroupLayer(this.viewport.holder, state, this.#carrier, {
      zoom: () => this.viewport.zoom,
      edit: (id) => events.editGroup(id),
    });
    const { signal } = this.#ended;
    container.addEventListener('pointerdown', (event) => this.#pressed(event), { capture: true, signal });
    addEventListener('pointerup', (event) => this.#released(event), { signal });
  }

  destroy(): void {
    this.#ended.abort();
    cancelAnimationFrame(this.#frame);
    this.#wireLayer.destroy();
    this.#area.destroy();
  }

  /** Shows the graph of the state. Large graphs are added in slices, so that the page stays responsive. */
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
    const linkIds = new Set(graph.links.map(linkId));
    this.#groups.sync();
    let since = performance.now();
    const yieldWhenDue = async () => {
      if (performance.now() - since < WORK_SLICE) return;
      await new Promise((resolve) => setTimeout(resolve));
      since = performance.now();
    };
    for (const [id] of [...this.#links]) if (!linkIds.has(id)) await this.#removeLink(id);
    for (const [id] of [...this.#views]) {
      if (graph.nodes.has(id)) continue;
      for (const [link, { source, target }] of [...this.#links])
        if (source === id || target === id) await this.#removeLink(link);
      await this.#editor.removeNode(id);
      this.#views.delete(id);
    }
    const into = this.#linkedInputs(graph);
    const isNew = this.#opened !== state.openCount;
    for (const node of graph.nodes.values()) {
      const existing = this.#views.get(node.id);
      const view = existing ?? new ViewNode(node);
      const before = existing?.geometry;
      const isChanged = view.update(state, node, into.get(node.id) ?? noInputs);
      if (!existing) {
        this.#views.set(node.id, view);
        await this.#editor.addNode(view);
        await this.#area.translate(node.id, node);
        if (isNew && this.#views.size === 1) await this.viewport.moveToCorner(node);
      } else {
        const place = this.#area.nodeViews.get(node.id)?.position;
        const isHeld = this.#pressedNode?.id === node.id || this.#carrier.has(node.id);
        if (place && (place.x !== node.x || place.y !== node.y) && !isHeld)
          await this.#area.translate(node.id, node);
        if (isChanged) await this.#area.update('node', node.id);
        if (before && !hasSameSockets(before, view.geometry)) this.#nodeMoved(node.id);
      }
      await yieldWhenDue();
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
      const unused = this.#area.connectionViews.get(id)?.element;
      if (unused) unused.style.display = 'none';
      this.#wireLayer.add(view, socketColor(this.#typeOf(link.from, link.output)));
      await yieldWhenDue();
    }
    this.#wireLayer.select(state.selectedLink && linkId(state.selectedLink));
    if (isNew && graph === state.graph) {
      this.#opened = state.openCount;
      await this.fit();
    }
    this.#updateMinimap();
  }

  async #removeLink(id: string): Promise<void> {
    this.#links.delete(id);
    this.#wireLayer.delete(id);
    if (this.#editor.getConnection(id)) await this.#editor.removeConnection(id);
  }

  #linkedInputs({ links }: Graph): Map<NodeId, Set<string>> {
    if (this.#linksOf.links === links) return this.#linksOf.into;
    const into = new Map<NodeId, Set<string>>();
    for (const { to, input } of links) into.set(to, (into.get(to) ?? new Set()).add(input));
    this.#linksOf = { links, into };
    return into;
  }

  #typeOf(id: NodeId, output: number): string {
    return this.#views.get(id)?.kind.outputs[output]?.socket ?? '*';
  }

  /** Keeps rete from drawing links: `WireLayer` does. Rete draws the wire that is being drawn. */
  #skipLinks(signal: Any): Any {
    const isWire = signal?.type === 'render' && signal.data.type === 'connection';
    return isWire && signal.data.payload instanceof ViewLink ? undefined : signal;
  }

  #put({ id, position }: { id: NodeId; position: Point }): void {
    const view = this.#area.nodeViews.get(id);
    if (view) setPosition(view.element, position);
  }

  #nodeMoved(id: NodeId): void {
    this.#sockets.nodeMoved(id);
    this.#wireLayer.nodeMoved(id);
    this.#updateMinimap();
  }

  #connections() {
    const plugin = new ConnectionPlugin<Scheme, Any>();
    const events = {
      wireChanged: (end: WireEnd | undefined) => this.events.wireChanged(end),
      wireDropped: (end: WireEnd) => this.events.wireDropped(end, { ...this.#area.area.pointer }),
    };
    plugin.addPreset(() => {
      this.#flow = new WireFlow(this.state, events);
      return this.#flow as Any;
    });
    return plugin;
  }

  /** Cancels the wire that is being drawn. */
  dropWire(): void {
    this.#flow?.cancel();
    this.#wires.drop();
  }

  #handleSignal(signal: Any): Any {
    switch (signal?.type) {
      case 'zoom':
        // A double click adds a node instead of zooming.
        if (signal.data.source === 'dblclick') return undefined;
        break;
      case 'nodepicked':
        this.#pick(signal.data.id);
        break;
      case 'nodetranslated':
        this.#put(signal.data);
        this.#nodeMoved(signal.data.id);
        this.#follow(signal.data);
        break;
      case 'nodedragged':
        this.#settle();
        break;
      case 'translated':
      case 'zoomed':
        this.viewport.applyTransform();
        this.#updateMinimap();
        break;
      case 'render':
        if (signal.data.type === 'connection' && signal.data.payload.isPseudo)
          this.#styleDrawnWire(signal.data);
        break;
    }
    return signal;
  }

  /** Gives the wire that is being drawn the color of its socket, and lets pointer events through. */
  #styleDrawnWire({ element, payload }: Any): void {
    const type = payload.source
      ? this.#typeOf(payload.source, Number(payload.sourceOutput))
      : (this.#views.get(payload.target)?.kind.inputs.find(({ name }) => name === payload.targetInput)
          ?.socket ?? '*');
    element.style.setProperty('--wire', socketColor(type));
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
    this.#pressedNode = { id, event, moved: false, wasSelected };
    if (event.shiftKey || event.ctrlKey || event.metaKey) this.state.select([id], 'toggle');
    else if (!wasSelected) this.state.select([id]);
  }

  /** Moves the other selected nodes with the dragged one. */
  #follow({ id, position }: { id: NodeId; position: Point }): void {
    const picked = this.#pressedNode;
    if (picked?.id !== id) return;
    const node = this.state.graph.nodes.get(id);
    if (!node || (!picked.moved && position.x === node.x && position.y === node.y)) return;
    if (!picked.moved) {
      picked.moved = true;
      this.#carrier.start([...this.state.selection].filter((other) => other !== id));
    }
    this.#carrier.moveBy({ x: position.x - node.x, y: position.y - node.y });
  }

  #settle(): void {
    const picked = this.#pressedNode;
    this.#pressedNode = undefined;
    if (!picked) return;
    if (!picked.moved) {
      const { shiftKey, ctrlKey, metaKey } = picked.event;
      if (picked.wasSelected && !shiftKey && !ctrlKey && !metaKey) this.state.select([picked.id]);
      return;
    }
    const places = this.#carrier.end();
    const place = this.#area.nodeViews.get(picked.id)?.position;
    if (place) places.set(picked.id, { x: Math.round(place.x), y: Math.round(place.y) });
    this.state.move(places);
  }

  /** A click on a wire selects it. A click on the background clears the selection. */
  #released(event: PointerEvent): void {
    const down = this.#down;
    if (!down || down.pointerId !== event.pointerId) return;
    const isGround = this.viewport.isBackground(down.composedPath()[0]);
    const moved = Math.hypot(down.x - event.x, down.y - event.y) > CLICK_TOLERANCE;
    if (!isGround || moved || down.shiftKey) return;
    const { zoom } = this.viewport;
    const id = this.#wireLayer.nearest(
      this.viewport.toGraph(event.clientX, event.clientY),
      WIRE_TOLERANCE / zoom,
    );
    const link = id === undefined ? undefined : this.#links.get(id)?.link;
    if (link || this.state.hasSelection) this.state.selectLink(link);
  }

  /** Updates the minimap at most once per frame. */
  #updateMinimap(): void {
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      if (this.#views.size === 0) return;
      void this.#minimap.signal.emit({ type: 'resized', data: { event: new Event('resize') } } as Any);
    });
  }

  fit(): Promise<void> {
    const nodes = [...this.#views.keys()].map((id) => this.state.areaOf(id));
    return this.viewport.fit([...nodes, ...this.state.groups.all]);
  }

  /** The nodes that intersect a rectangle with the corners `a` and `b`, in pixels of the page. */
  nodesIn(a: Point, b: Point): NodeId[] {
    const [first, second] = [this.viewport.toGraph(a.x, a.y), this.viewport.toGraph(b.x, b.y)];
    const [left, right] = [Math.min(first.x, second.x), Math.max(first.x, second.x)];
    const [top, bottom] = [Math.min(first.y, second.y), Math.max(first.y, second.y)];
    return [...this.#views.values()].flatMap(({ id, width, height }) => {
      const place = this.#area.nodeViews.get(id)?.position;
      if (!place || place.x > right || place.y > bottom) return [];
      return place.x + width < left || place.y + height < top ? [] : [id];
    });
  }
}

const noInputs: ReadonlySet<string> = new Set();

/** Whether all sockets are at the same positions within the node. */
function hasSameSockets(a: NodeGeometry, b: NodeGeometry): boolean {
  return (
    a === b ||
    (a.width === b.width && a.inputs.size === b.inputs.size && a.outputs.length === b.outputs.length)
  );
}
