import { css, html, LitElement, nothing, type PropertyDeclarations } from 'lit';
import { strings } from '../strings.ts';
import { controls } from '../ui/theme.ts';
import type { GraphState } from './graph-state.ts';
import type { AddDialog, KindChosen } from './view/add-dialog.ts';
import type { Upload } from './view/field.ts';
import type { AddEvent, GraphCanvas } from './view/graph-canvas.ts';
import './view/add-dialog.ts';
import './view/graph-canvas.ts';
import './view/menu.ts';
import type { GraphOutline } from './view/outline.ts';
import './view/outline.ts';

type Shown = 'canvas' | 'outline';
const KEY = 'tabd.graph.view';
const NUDGE = 10;

/**
 * An editor of graphs, as a drawing and as an outline. It knows what `state.kinds` tells it of nodes, and no server.
 * Slots `start` and `end` of its bar are for the page: files, running. Fires `graph-run` for the key that runs, and
 * `graph-text` with text that was pasted and is no part of a graph.
 */
export class GraphEditor extends LitElement {
  static override properties: PropertyDeclarations = {
    state: { attribute: false },
    upload: { attribute: false },
    shown: { state: true },
  };
  declare state: GraphState;
  declare upload: Upload | undefined;
  declare shown: Shown;
  /** Of the node that is asked for. */
  #place: Pick<AddEvent, 'at' | 'wire'> | undefined;
  #wasDrawn = false;
  readonly #changed = () => this.requestUpdate();
  #ended = new AbortController();

  static override styles = [
    controls,
    css`
      :host {
        display: grid;
        grid-template-rows: auto minmax(0, 1fr);
        height: 100%;
        min-height: 0;
      }
      .bar {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 0.2rem 0.35rem;
        padding: 0.4rem 0.75rem;
        border-bottom: 1px solid var(--line);
        background: var(--bg);
      }
      .bar button {
        min-height: 2.1rem;
      }
      .icon {
        width: 2.1rem;
        padding: 0;
      }
      .switch {
        display: inline-flex;
        padding: 2px;
        border: 1px solid var(--line);
        border-radius: 999px;
      }
      .switch button {
        min-height: 1.75rem;
        border: 0;
        background: transparent;
        color: var(--soft);
        padding: 0 0.75rem;
      }
      .switch button[aria-pressed='true'] {
        background: var(--sunken);
        color: var(--text);
        font-weight: 550;
      }
      .end {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 0.4rem;
        margin-left: auto;
      }
      .stage {
        position: relative;
        min-height: 0;
      }
      .stage > * {
        position: absolute;
        inset: 0;
      }
      [hidden] {
        display: none !important;
      }
      dialog {
        border: 1px solid var(--line);
        border-radius: var(--radius);
        background: var(--surface);
        color: var(--text);
        padding: 1.25rem 1.5rem;
      }
      dialog::backdrop {
        background: rgb(0 0 0 / 30%);
      }
      dl {
        display: grid;
        grid-template-columns: auto 1fr;
        gap: 0.5rem 1.5rem;
        margin: 0 0 1rem;
        font-size: 0.9rem;
      }
      dt {
        font-family: var(--mono);
        font-size: 0.82rem;
      }
      dd {
        margin: 0;
        color: var(--soft);
      }
      @media (max-width: 40rem) {
        .bar {
          padding: 0.35rem 0.5rem;
        }
        .wide {
          display: none;
        }
      }
    `,
  ];

  constructor() {
    super();
    const kept = localStorage.getItem(KEY);
    this.shown =
      kept === 'canvas' || kept === 'outline'
        ? kept
        : matchMedia('(max-width: 40rem)').matches
          ? 'outline'
          : 'canvas';
    this.addEventListener('keydown', (event) => this.#key(event));
    this.addEventListener('graph-add', (event) => this.#ask(event as AddEvent));
  }

  override connectedCallback() {
    super.connectedCallback();
    this.#ended = new AbortController();
    const { signal } = this.#ended;
    this.state.addEventListener('change', this.#changed, { signal });
    addEventListener('copy', (event) => this.#copied(event, () => this.state.copy()), { signal });
    addEventListener('cut', (event) => this.#copied(event, () => this.state.cut()), { signal });
    addEventListener('paste', (event) => this.#pasted(event), { signal });
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.#ended.abort();
  }

  override render() {
    const { state, shown } = this;
    const words = strings.graph;
    const some = state.selection.size > 0;
    this.#wasDrawn ||= shown === 'canvas';
    const item = (label: string, run: () => void, isOff = false) =>
      html`<button ?disabled=${isOff} @click=${run}>${label}</button>`;
    return html`<div class="bar" role="toolbar" aria-label=${words.heading}>
        <slot name="start"></slot>
        <tabd-graph-menu label=${words.edit}>
          ${item(words.copy, () => this.#toClipboard(state.copy()), !some)}
          ${item(words.cut, () => this.#toClipboard(state.cut()), !some)}
          ${item(words.paste, () => state.paste(), !state.canPaste)}
          ${item(words.duplicate, () => state.duplicate(), !some)}
          ${item(words.delete, () => state.delete(), !some && !state.link)}
          ${item(`${words.rename}…`, () => this.#rename(), state.selection.size !== 1)}
          <hr />
          ${item(words.mute, () => state.toggleMode('muted'), !some)}
          ${item(words.bypass, () => state.toggleMode('bypassed'), !some)}
          <hr />
          ${item(words.selectAll, () => state.selectAll(), state.graph.nodes.size === 0)}
          ${item(words.arrange, () => state.arrange(), state.graph.nodes.size === 0)}
          ${item(`${words.help}…`, () => this.#help())}
        </tabd-graph-menu>
        <button class="plain" @click=${() => this.#ask()}>${words.add}</button>
        <button class="plain icon" aria-label=${words.undo} title=${words.undo} ?disabled=${!state.canUndo} @click=${() => state.undo()}>
          <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
            <path d="M6 3 2.5 6.5 6 10M3 6.5h6.5a4 4 0 0 1 0 8H7" fill="none" stroke="currentColor" stroke-width="1.5" />
          </svg>
        </button>
        <button class="plain icon" aria-label=${words.redo} title=${words.redo} ?disabled=${!state.canRedo} @click=${() => state.redo()}>
          <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
            <path d="M10 3l3.5 3.5L10 10M13 6.5H6.5a4 4 0 0 0 0 8H9" fill="none" stroke="currentColor" stroke-width="1.5" />
          </svg>
        </button>
        <div class="end">
          <slot name="end"></slot>
          <span class="switch" role="group" aria-label=${words.views}>
            ${(['canvas', 'outline'] as const).map(
              (name) =>
                html`<button aria-pressed=${shown === name ? 'true' : 'false'} @click=${() => this.show(name)}>
                  ${words[name]}
                </button>`,
            )}
          </span>
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
      <dialog class="help" aria-label=${words.help}>
        <dl>${words.keys.map(([keys, what]) => html`<dt>${keys}</dt><dd>${what}</dd>`)}</dl>
        <form method="dialog"><button>${words.close}</button></form>
      </dialog>`;
  }

  show(shown: Shown) {
    this.shown = shown;
    localStorage.setItem(KEY, shown);
  }

  get #canvas(): GraphCanvas | null {
    return this.renderRoot.querySelector('tabd-graph-canvas');
  }

  #rename() {
    const [id = ''] = this.state.selection;
    const node = this.state.graph.nodes.get(id);
    const name = node && prompt(strings.graph.rename, this.state.nameOf(node));
    if (name !== null && name !== undefined) this.state.rename(id, name);
  }

  #help() {
    this.renderRoot.querySelector<HTMLDialogElement>('dialog.help')!.showModal();
  }

  async #ask(place?: AddEvent) {
    this.#place = place;
    this.requestUpdate();
    await this.updateComplete;
    const dialog = this.renderRoot.querySelector<AddDialog>('tabd-graph-add')!;
    await dialog.updateComplete;
    dialog.show();
  }

  async #add({ kind }: KindChosen) {
    const { state } = this;
    const at = this.#place?.at ?? this.#freePlace();
    const id = state.add(kind, at, this.#place?.wire);
    if (this.shown === 'canvas') {
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

  /** In the middle of the canvas; without one, to the right of all. */
  #freePlace() {
    const { state } = this;
    if (this.shown === 'canvas' && this.#canvas) return this.#canvas.middle();
    const nodes = [...state.graph.nodes.values()];
    return {
      x: Math.max(0, ...nodes.map((node) => node.x + state.geometry(node).width + 60)),
      y: Math.min(0, ...nodes.map(({ y }) => y)),
    };
  }

  async #toClipboard(text: string | undefined) {
    // Refused where the page may not write: what was copied is kept by the editor itself.
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
    if (this.state.paste(text)) return;
    if (text.trim().startsWith('{')) this.dispatchEvent(new CustomEvent('graph-text', { detail: text }));
  }

  #key(event: KeyboardEvent) {
    const isCommand = event.ctrlKey || event.metaKey;
    if (isCommand && event.key === 'Enter') {
      event.preventDefault();
      // What is typed in a field counts.
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
        return () => state.duplicate();
      case 'm':
        return () => state.toggleMode('muted');
      case 'b':
        return () => state.toggleMode('bypassed');
      default:
        return undefined;
    }
  }

  #plain(event: KeyboardEvent): (() => void) | undefined {
    const { state } = this;
    const far = event.shiftKey ? NUDGE * 5 : NUDGE;
    const onCanvas = this.shown === 'canvas';
    const arrow = { ArrowLeft: [-far, 0], ArrowRight: [far, 0], ArrowUp: [0, -far], ArrowDown: [0, far] }[
      event.key
    ];
    if (arrow && onCanvas && state.selection.size > 0) return () => state.nudge(arrow[0]!, arrow[1]!);
    switch (event.key) {
      case 'Delete':
      case 'Backspace':
        return state.selection.size > 0 || state.link ? () => state.delete() : undefined;
      case 'Escape':
        return () => {
          if (!this.#canvas?.dropWire()) state.selectLink(undefined);
        };
      case 'a':
        return () => void this.#ask();
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

/** Keys there are for a field, and a button's own. */
function isTyping(event: Event): boolean {
  const [target] = event.composedPath();
  if (!(target instanceof HTMLElement)) return false;
  return target.matches('input:not([type=checkbox]), textarea, select, [contenteditable]');
}

customElements.define('tabd-graph-editor', GraphEditor);
