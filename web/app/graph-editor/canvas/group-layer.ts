import type { Group } from '../graph/graph.ts';
import { nestedGroups } from '../graph/group.ts';
import type { GraphState } from '../state/graph-state.ts';
import { graphStrings } from '../strings.ts';
import type { NodeDrag } from './node-drag.ts';
import type { Point } from './socket-positions.ts';

export interface GroupLayerOptions {
  zoom(): number;
  /** The user wants to rename a group. */
  edit(id: string): void;
}

/** Pixels that the pointer may move during a click. */
const CLICK_TOLERANCE = 4;

/** The frames of groups below the nodes. The title drags a group with its nodes; a corner resizes it. */
export class GroupLayer {
  readonly #frames = new Map<string, { element: HTMLElement; group: Group }>();
  #held: string | undefined;

  constructor(
    private readonly holder: HTMLElement,
    private readonly state: GraphState,
    private readonly carrier: NodeDrag,
    private readonly events: GroupLayerOptions,
  ) {}

  sync(): void {
    const { state } = this;
    const groups = new Map(state.groups.all.map((group) => [group.id, group]));
    for (const [id, { element }] of this.#frames) {
      if (groups.has(id)) continue;
      element.remove();
      this.#frames.delete(id);
    }
    for (const [id, group] of groups) {
      const frame = this.#frames.get(id) ?? { element: this.#make(id), group: undefined };
      frame.element.classList.toggle('chosen', state.selectedGroup === id);
      if (frame.group === group || this.#held === id) continue;
      this.#frames.set(id, { element: frame.element, group });
      const { style } = frame.element;
      place(frame.element, group);
      style.width = `${group.width}px`;
      style.height = `${group.height}px`;
      if (group.color) style.setProperty('--group', group.color);
      else style.removeProperty('--group');
      const title = frame.element.querySelector('.name')!;
      title.textContent = group.title;
      frame.element.setAttribute('aria-label', graphStrings.groupNamed(group.title));
    }
  }

  #make(id: string): HTMLElement {
    const element = document.createElement('div');
    element.className = 'group';
    element.setAttribute('role', 'group');
    const name = document.createElement('span');
    name.className = 'name';
    const corner = document.createElement('span');
    corner.className = 'corner';
    corner.title = graphStrings.groupSize;
    element.append(name, corner);
    name.addEventListener('pointerdown', (event) => this.#drag(id, event));
    name.addEventListener('dblclick', (event) => {
      event.stopPropagation();
      this.events.edit(id);
    });
    corner.addEventListener('pointerdown', (event) => this.#size(id, event));
    this.holder.prepend(element);
    return element;
  }

  #drag(id: string, event: PointerEvent): void {
    const { state } = this;
    const group = state.groups.get(id);
    if (!group || event.button !== 0) return;
    state.groups.select(id);
    this.carrier.start(state.groups.members(group));
    const moved = [group, ...nestedGroups(state.graph, group)];
    this.#follow(event, id, (by) => {
      this.carrier.moveBy(by);
      for (const each of moved) {
        const frame = this.#frames.get(each.id);
        if (frame) place(frame.element, { x: each.x + by.x, y: each.y + by.y });
      }
    }).then((by) => {
      this.carrier.end();
      if (by) state.groups.move(id, Math.round(by.x), Math.round(by.y));
      else this.#reset(moved);
    });
  }

  #size(id: string, event: PointerEvent): void {
    const { state } = this;
    const group = state.groups.get(id);
    const frame = this.#frames.get(id);
    if (!group || !frame || event.button !== 0) return;
    state.groups.select(id);
    const sized = (by: Point) => ({
      width: Math.round(group.width + by.x),
      height: Math.round(group.height + by.y),
    });
    this.#follow(event, id, (by) => {
      const { width, height } = sized(by);
      frame.element.style.width = `${Math.max(0, width)}px`;
      frame.element.style.height = `${Math.max(0, height)}px`;
    }).then((by) => {
      if (by) state.groups.change(id, sized(by));
      else this.#reset([group]);
    });
  }

  /** Shows groups as the state has them, after a drag without effect. */
  #reset(groups: readonly Group[]): void {
    for (const { id } of groups) {
      const frame = this.#frames.get(id);
      if (frame) this.#frames.set(id, { element: frame.element, group: undefined as never });
    }
    this.sync();
  }

  /** Follows the pointer until it is released. Resolves with its way in pixels of the graph; undefined for a click. */
  #follow(event: PointerEvent, id: string, moved: (by: Point) => void): Promise<Point | undefined> {
    event.stopPropagation();
    const target = event.currentTarget as HTMLElement;
    target.setPointerCapture(event.pointerId);
    this.#held = id;
    const zoom = this.events.zoom();
    let by: Point | undefined;
    const move = (now: PointerEvent) => {
      const [x, y] = [now.clientX - event.clientX, now.clientY - event.clientY];
      if (!by && Math.hypot(x, y) < CLICK_TOLERANCE) return;
      by = { x: x / zoom, y: y / zoom };
      moved(by);
    };
    return new Promise((resolve) => {
      const end = ({ type }: Event) => {
        target.removeEventListener('pointermove', move);
        this.#held = undefined;
        resolve(type === 'pointerup' ? by : undefined);
      };
      target.addEventListener('pointermove', move);
      target.addEventListener('pointerup', end, { once: true });
      target.addEventListener('pointercancel', end, { once: true });
    });
  }
}

function place(element: HTMLElement, { x, y }: Point): void {
  element.style.transform = `translate(${x}px, ${y}px)`;
}
