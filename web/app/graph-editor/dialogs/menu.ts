import { css, html, LitElement, type PropertyDeclarations } from 'lit';
import { controls } from '../../ui/styles/controls.ts';

/** A button that opens a menu of buttons. Escape and a click outside close it. */
export class GraphMenu extends LitElement {
  static override properties: PropertyDeclarations = { label: {} };
  declare label: string;

  static override styles = [
    controls,
    css`
      :host {
        display: inline-block;
      }
      .open::after {
        content: '▾' / '';
        color: var(--soft);
        font-size: 0.75em;
      }
      [popover] {
        position: fixed;
        inset: auto;
        min-width: 12rem;
        margin: 0;
        padding: 0.35rem;
        border: 1px solid var(--line);
        border-radius: 12px;
        background: var(--surface);
        color: var(--text);
        box-shadow: 0 10px 34px rgb(0 0 0 / 18%);
      }
      ::slotted(button) {
        display: flex !important;
        width: 100%;
        justify-content: flex-start !important;
        border-color: transparent !important;
        border-radius: 8px !important;
        background: transparent !important;
      }
      ::slotted(button:hover:not(:disabled)),
      ::slotted(button:focus-visible) {
        background: var(--sunken) !important;
      }
      ::slotted(hr) {
        border: 0;
        border-top: 1px solid var(--line);
        margin: 0.3rem 0.5rem;
      }
    `,
  ];

  override render() {
    return html`<button class="plain open" aria-haspopup="menu" popovertarget="list">${this.label}</button>
      <div
        id="list"
        popover="auto"
        role="group"
        aria-label=${this.label}
        @beforetoggle=${this.#place}
        @click=${this.#close}
        @keydown=${this.#key}
      >
        <slot></slot>
      </div>`;
  }

  get #list(): HTMLElement {
    return this.renderRoot.querySelector<HTMLElement>('[popover]')!;
  }

  #place() {
    const { left, bottom } = this.getBoundingClientRect();
    this.#list.style.left = `${Math.max(8, Math.min(left, innerWidth - 220))}px`;
    this.#list.style.top = `${bottom + 4}px`;
  }

  #close() {
    this.#list.hidePopover();
  }

  #key(event: KeyboardEvent) {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (by === 0) return;
    event.preventDefault();
    event.stopPropagation();
    const buttons = [...this.querySelectorAll('button')].filter(({ disabled }) => !disabled);
    const at = buttons.findIndex((button) => button.matches(':focus'));
    buttons[(at + by + buttons.length) % buttons.length]?.focus();
  }
}

customElements.define('tabd-graph-menu', GraphMenu);
