import { html, LitElement, nothing, type PropertyDeclarations } from 'lit';
import { controls } from '../ui/styles/controls.ts';
import { dialogs } from '../ui/styles/dialogs.ts';
import { lists } from '../ui/styles/lists.ts';
import { switches } from '../ui/styles/switches.ts';
import { askForText } from '../ui/text-dialog.ts';
import type { AddNodeEvent, EditGroupEvent, GraphCanvas } from './canvas/graph-canvas.ts';
import type { UploadFile } from './controls/field.ts';
import type { AddDialog, KindSelectedEvent } from './dialogs/add-dialog.ts';
import type { GroupDialog } from './dialogs/group-dialog.ts';
import { editorStyles } from './editor-styles.ts';
import { topologicalOrder } from './graph/graph.ts';
import { isGround, isInDialog, isOutside, isTyping } from './key-target.ts';
import type { GraphState } from './state/graph-state.ts';
import { graphStrings } from './strings.ts';
import './dialogs/add-dialog.ts';
import './canvas/graph-canvas.ts';
import './dialogs/group-dialog.ts';
import './dialogs/menu.ts';
import type { GraphOutline } from './outline/outline.ts';
import './outline/outline.ts';

type Shown = 'canvas' | 'outline';
const KEY = 'tabd.graph.view';
const NUDGE = 10;

/**
 * A graph editor with two views: canvas and outline. It knows the kinds of nodes from `state.kinds` and no server.
 * The page fills the toolbar's slots `start` (files) and `end` (running). Fires `graph-run` for the run key, and
 * `graph-text` with pasted JSON that is not a fragment of a graph.
 */
export class GraphEditor extends LitElement {
  static override properties: PropertyDeclarations = {
    state: { attribute: false },
    upload: { attribute: false },
    shown: { state: true },
    onlyCanvas: { type: Boolean, attribute: 'only-canvas' },
  };
  declare state: GraphState;
  declare upload: UploadFile | undefined;
  declare shown: Shown;
  /** Hides the outline, because the page has its own. */
  declare onlyCanvas: boolean;
  /** Where the node that the dialog adds goes, and the wire end that it connects to. */
  #place: Pick<AddNodeEvent, 'at' | 'wire'> | undefined;
  #wasDrawn = false;
  readonly #changed = () => this.requestUpdate();
  #ended = new AbortController();

  static override styles = [controls, switches, lists, dialogs, editorStyles];

  constructor() {
    super();
    const storedView = localStorage.getItem(KEY);
    this.shown =
      storedView === 'canvas' || storedView === 'outline'
        ? storedView
        : matchMedia('(max-width: 40rem)').matches
          ? 'outline'
          : 'canvas';
    this.addEventListener('keydown', (event) => this.#key(event));
    this.addEventListener('graph-add', (event) => this.#ask(event as AddNodeEvent));
    this.addEventListener('graph-group', (event) => this.#editGroup((event as EditGroupEvent).group));
  }

  override connectedCallback() {
    super.connectedCallback();
    this.#ended = new AbortController();
    const { signal } = this.#ended;
    this.state.addEventListener('change', this.#changed, { signal });
    addEventListener('copy', (event) => this.#copied(event, () => this.state.clipboard.copy()), { signal });
    addEventListener('cut', (event) => this.#copied(event, () => this.state.clipboard.cut()), { signal });
    addEventListener('paste', (event) => this.#pasted(event), { signal });
    // Without this listener, the keys would need a click into the editor first.
    addEventListener('keydown', (event) => this.#outerKey(event), { signal });
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.#ended.abort();
  }

  override render() {
    const { state } = this;
    const shown = this.#shown;
    const some = state.selection.size > 0;
    const holds = some || state.selectedGroup !== undefined;
    this.#wasDrawn ||= shown === 'canvas';
    const item = (label: string, run: () => void, isOff = false) =>
      html`<button ?disabled=${isOff} @click=${run}>${label}</button>`;
    return html`<div class="bar" role="toolbar" aria-label=${graphStrings.heading}>
        <slot name="start"></slot>
        <tabd-graph-menu label=${graphStrings.edit}>
          ${item(graphStrings.copy, () => this.#toClipboard(state.clipboard.copy()), !holds)}
          ${item(graphStrings.cut, () => this.#toClipboard(state.clipboard.cut()), !holds)}
          ${item(graphStrings.paste, () => state.clipboard.paste(), !state.clipboard.canPaste)}
          ${item(graphStrings.duplicate, () => state.clipboard.duplicate(), !holds)}
          ${item(graphStrings.delete, () => state.delete(), !state.hasSelection)}
          ${item(`${graphStrings.rename}…`, () => this.#rename(), state.selection.size !== 1)}
          <hr />
          ${this.#modes.map((mode) =>
            item(
              mode === 'muted' ? graphStrings.mute : graphStrings.bypass,
              () => state.toggleMode(mode),
              !some,
            ),
          )}
          <hr />
          ${item(graphStrings.group, () => this.#group(), !some)}
          ${item(`${graphStrings.groupEdit}…`, () => this.#editGroup(state.selectedGroup), state.selectedGroup === undefined)}
          <hr />
          ${item(graphStrings.selectAll, () => state.selectAll(), state.graph.nodes.size === 0)}
          ${item(graphStrings.arrange, () => state.arrange(), state.graph.nodes.size === 0)}
          ${item(`${graphStrings.help}…`, () => this.#help())}
        </tabd-graph-menu>
        <button class="plain" aria-keyshortcuts="A" data-tip=${graphStrings.add} @click=${() => this.#ask()}>${graphStrings.add}</button>
        <button class="plain round" aria-label=${graphStrings.undo} aria-keyshortcuts="Control+Z" data-tip=${graphStrings.undo} ?disabled=${!state.canUndo} @click=${() => state.undo()}>
          <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
            <path d="M6 3 2.5 6.5 6 10M3 6.5h6.5a4 4 0 0 1 0 8H7" fill="none" stroke="currentColor" stroke-width="1.5" />
          </svg>
        </button>
        <button class="plain round" aria-label=${graphStrings.redo} aria-keyshortcuts="Control+Shift+Z" data-tip=${graphStrings.redo} ?disabled=${!state.canRedo} @click=${() => state.redo()}>
          <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
            <path d="M10 3l3.5 3.5L10 10M13 6.5H6.5a4 4 0 0 0 0 8H9" fill="none" stroke="currentColor" stroke-width="1.5" />
          </svg>
        </button>
        <div class="end">
          <slot name="end"></slot>
          ${
            this.onlyCanvas
              ? nothing
              : html`<span class="switch" role="group" aria-label=${graphStrings.views}>
                  ${(['canvas', 'outline'] as const).map(
                    (name) =>
                      html`<button
                        aria-pressed=${shown === name ? 'true' : 'false'}
                        @click=${() => this.show(name)}
                      >
                        ${graphStrings[name]}
                      </button>`,
                  )}
                </span>`
          }
        </div>
      </div>
      <div class="stage">
        ${
          this.#wasDrawn
            ? html`<tabd-graph-canvas
                ?hidden=${shown !== 'canvas'}
                .state=${state}
                .upload=${this.upload}
              ></tabd-graph-canvas>`
            : nothing
        }
        ${
          shown === 'outline'
            ? html`<tabd-graph-outline .state=${state} .upload=${this.upload}></tabd-graph-outline>`
            : nothing
        }
        <slot></slot>
      </div>
      <tabd-graph-add .state=${state} .wire=${this.#place?.wire} @kind-chosen=${this.#add}></tabd-graph-add>
      <tabd-graph-group .state=${state}></tabd-graph-group>
      <dialog class="help" aria-label=${graphStrings.help}>
        <dl>${graphStrings.keys.map(([keys, what]) => html`<dt>${keys}</dt><dd>${what}</dd>`)}</dl>
        <form method="dialog"><button>${graphStrings.close}</button></form>
      </dialog>`;
  }

  get #shown(): Shown {
    return this.onlyCanvas ? 'canvas' : this.shown;
  }

  get #modes() {
    return this.state.kinds.modes ?? (['muted', 'bypassed'] as const);
  }

  show(shown: Shown) {
    if (this.onlyCanvas) return;
    this.shown = shown;
    localStorage.setItem(KEY, shown);
  }

  get #canvas(): GraphCanvas | null {
    return this.renderRoot.querySelector('tabd-graph-canvas');
  }

  async #rename() {
    const [id = ''] = this.state.selection;
    const node = this.state.graph.nodes.get(id);
    const name = node && (await askForText(graphStrings.rename, this.state.nameOf(node)));
    if (name !== undefined) this.state.rename(id, name);
  }

  /** Groups the selection and opens the dialog for the group's name. */
  #group() {
    this.#editGroup(this.state.groups.add(graphStrings.group));
  }

  #editGroup(id: string | undefined) {
    if (id === undefined) return;
    void this.renderRoot.querySelector<GroupDialog>('tabd-graph-group')!.show(id);
  }

  /** Selects the next (1) or previous (-1) node in topological order. */
  #step(by: number) {
    const { state } = this;
    const ids = topologicalOrder(state.graph).map(({ id }) => id);
    const [chosen] = state.selection;
    const at = chosen === undefined ? (by > 0 ? -1 : 0) : ids.indexOf(chosen);
    const id = ids.at((at + by + ids.length) % Math.max(1, ids.length));
    if (id === undefined) return;
    state.select([id]);
    void this.#canvas?.reveal(id);
  }

  #help() {
    this.renderRoot.querySelector<HTMLDialogElement>('dialog.help')!.showModal();
  }

  async #ask(place?: AddNodeEvent) {
    this.#place = place;
    this.requestUpdate();
    await this.updateComplete;
    const dialog = this.renderRoot.querySelector<AddDialog>('tabd-graph-add')!;
    await dialog.updateComplete;
    dialog.show();
  }

  async #add({ kind }: KindSelectedEvent) {
    const { state } = this;
    const at = this.#place?.at ?? this.#freePlace();
    const id = state.add(kind, at, this.#place?.wire);
    if (this.#shown === 'canvas') {
      this.#canvas?.focus();
      return;
    }
    await this.updateComplete;
    const outline = this.renderRoot.querySelector<GraphOutline>('tabd-graph-outline');
    await outline?.updateComplete;
    const item = outline?.renderRoot.querySelector<HTMLElement>(`[data-node="${CSS.escape(id)}"]`);
    item?.scrollIntoView({ block: 'nearest' });
    item?.querySelector<HTMLElement>('.fold')?.focus();
  }

  /** The center of the canvas; in the outline, a position to the right of all nodes. */
  #freePlace() {
    const { state } = this;
    if (this.#shown === 'canvas' && this.#canvas) return this.#canvas.center();
    const nodes = [...state.graph.nodes.values()];
    return {
      x: Math.max(0, ...nodes.map((node) => node.x + state.geometry(node).width + 60)),
      y: Math.min(0, ...nodes.map(({ y }) => y)),
    };
  }

  async #toClipboard(text: string | undefined) {
    // The browser may deny access to its clipboard. The editor's own clipboard still has the copy.
    if (text !== undefined) await navigator.clipboard?.writeText(text).catch(() => undefined);
  }

  #copied(event: ClipboardEvent, take: () => string | undefined) {
    if (isTyping(event) || getSelection()?.isCollapsed === false || !this.checkVisibility()) return;
    const text = take();
    if (text === undefined) return;
    event.clipboardData?.setData('text/plain', text);
    event.preventDefault();
  }

  #pasted(event: ClipboardEvent) {
    if (isTyping(event) || !this.checkVisibility()) return;
    const text = event.clipboardData?.getData('text/plain') ?? '';
    event.preventDefault();
    if (this.state.clipboard.paste(text)) return;
    if (text.trim().startsWith('{')) this.dispatchEvent(new CustomEvent('graph-text', { detail: text }));
  }

  #outerKey(event: KeyboardEvent) {
    if (event.defaultPrevented || !isOutside(event, this) || !this.checkVisibility()) return;
    this.#key(event);
  }

  #key(event: KeyboardEvent) {
    // A dialog has keys of its own, such as Escape.
    if (isInDialog(event)) return;
    const isCommand = event.ctrlKey || event.metaKey;
    if (isCommand && event.key === 'Enter') {
      event.preventDefault();
      // A text field reports its value on `change`, which it fires when it loses the focus.
      (event.composedPath()[0] as HTMLElement).dispatchEvent(new Event('change', { bubbles: true }));
      this.dispatchEvent(new Event('graph-run'));
      return;
    }
    if (isTyping(event) || event.altKey) return;
    const run = isCommand ? this.#command(event) : this.#plain(event);
    if (!run) return;
    event.preventDefault();
    run();
  }

  #command({ key, shiftKey }: KeyboardEvent): (() => void) | undefined {
    const { state } = this;
    switch (key.toLowerCase()) {
      case 'z':
        return () => (shiftKey ? state.redo() : state.undo());
      case 'y':
        return () => state.redo();
      case 'a':
        return () => state.selectAll();
      case 'd':
        return () => state.clipboard.duplicate();
      case 'm':
        return this.#modes.includes('muted') ? () => state.toggleMode('muted') : undefined;
      case 'b':
        return () => state.toggleMode('bypassed');
      case 'g':
        return () => this.#group();
      default:
        return undefined;
    }
  }

  #plain(event: KeyboardEvent): (() => void) | undefined {
    const { state } = this;
    const distance = event.shiftKey ? NUDGE * 5 : NUDGE;
    const onCanvas = this.#shown === 'canvas';
    const arrow = {
      ArrowLeft: [-distance, 0],
      ArrowRight: [distance, 0],
      ArrowUp: [0, -distance],
      ArrowDown: [0, distance],
    }[event.key];
    if (arrow && onCanvas) {
      const [x, y] = arrow as [number, number];
      if (state.selection.size > 0 || state.selectedGroup !== undefined) return () => state.nudge(x, y);
      return () => void this.#canvas?.pan(-4 * x, -4 * y);
    }
    switch (event.key) {
      case 'Delete':
      case 'Backspace':
        return state.hasSelection ? () => state.delete() : undefined;
      case 'Escape':
        return () => {
          if (!this.#canvas?.dropWire()) state.selectLink(undefined);
        };
      case 'a':
        return () => void this.#ask();
      case '+':
      case '=':
        return () => void this.#canvas?.zoom(1.25);
      case '-':
        return () => void this.#canvas?.zoom(0.8);
      case ']':
        return () => this.#step(1);
      case '[':
        return () => this.#step(-1);
      case 'Enter':
        // On a button, Enter presses the button.
        return isGround(event) && state.selectedGroup !== undefined
          ? () => this.#editGroup(state.selectedGroup)
          : undefined;
      case '.':
        return () => void this.#canvas?.fit();
      case 'l':
        return () => state.arrange();
      case 'o':
        return () => this.show(onCanvas ? 'outline' : 'canvas');
      case '?':
        return () => this.#help();
      default:
        return undefined;
    }
  }
}

customElements.define('tabd-graph-editor', GraphEditor);
