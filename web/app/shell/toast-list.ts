import { css, html, LitElement } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { commonStrings } from '../strings/common.ts';
import { icon } from '../ui/icon.ts';
import { controls } from '../ui/styles/controls.ts';
import { type Toast, toasts } from '../ui/toasts.ts';

/** Shows the messages of `toasts`. They stay above dialogs. */
export class ToastList extends LitElement {
  static override styles = [
    controls,
    css`
      :host {
        position: fixed;
        inset: 4rem 0 auto;
        margin: 0;
        padding: 0 1rem;
        width: auto;
        border: 0;
        background: none;
        overflow: visible;
        pointer-events: none;
      }
      .list {
        display: grid;
        justify-items: center;
        gap: 0.5rem;
      }
      .toast {
        pointer-events: auto;
        display: flex;
        align-items: center;
        gap: 0.5rem;
        max-width: 32rem;
        padding: 0.4rem 0.4rem 0.4rem 1rem;
        border-radius: var(--radius);
        background: var(--text);
        color: var(--bg);
        box-shadow: var(--shadow-md);
        font-size: var(--text-md);
        animation: rise var(--motion);
      }
      @keyframes rise {
        from {
          opacity: 0;
          transform: translateY(-8px);
        }
      }
      .toast button {
        min-height: 2rem;
        border-color: transparent;
        background: transparent;
        color: inherit;
        font-weight: 600;
      }
      .toast button:hover {
        background: color-mix(in srgb, var(--bg) 15%, transparent);
      }
      .toast button:focus-visible {
        outline-color: var(--bg);
        outline-offset: -2px;
      }
    `,
  ];

  readonly #changed = () => this.requestUpdate();
  readonly #leaving = () => toasts.flush();

  override connectedCallback() {
    super.connectedCallback();
    this.popover = 'manual';
    toasts.addEventListener('change', this.#changed);
    addEventListener('pagehide', this.#leaving);
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    toasts.removeEventListener('change', this.#changed);
    removeEventListener('pagehide', this.#leaving);
  }

  override render() {
    return html`<div class="list" role="status" aria-live="polite">
      ${repeat(
        toasts.list,
        (toast) => toast,
        (toast) => this.#toast(toast),
      )}
    </div>`;
  }

  #toast(toast: Toast) {
    return html`<div
      class="toast"
      @pointerenter=${() => toasts.hold(toast)}
      @pointerleave=${() => toasts.release(toast)}
      @focusin=${() => toasts.hold(toast)}
      @focusout=${() => toasts.release(toast)}
    >
      <span>${toast.text}</span>
      ${toast.action ? html`<button @click=${() => toasts.act(toast)}>${toast.action.label}</button>` : ''}
      <button class="round" aria-label=${commonStrings.dismiss} @click=${() => toasts.dismiss(toast)}>
        ${icon('close')}
      </button>
    </div>`;
  }

  override updated() {
    const isOpen = this.matches(':popover-open');
    if (toasts.list.length > 0 && !isOpen) this.showPopover();
    if (toasts.list.length === 0 && isOpen) this.hidePopover();
  }
}

customElements.define('tabd-toasts', ToastList);
