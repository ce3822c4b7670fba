import { css, html, LitElement, type PropertyDeclarations } from 'lit';
import { chatPartStrings } from '../../strings/chat-parts.ts';
import { icon } from '../../ui/icon.ts';
import { controls } from '../../ui/styles/controls.ts';
import type { Turn } from '../conversation.ts';

const strings = chatPartStrings.compare;

/**
 * Two answers side by side, in the slots `0` and `1`. Fires `use` with the turn that the chat is to continue from, and
 * `show-one`.
 */
export class AnswerPair extends LitElement {
  static override properties: PropertyDeclarations = {
    pair: { attribute: false },
    used: { attribute: false },
    canChoose: { attribute: false },
  };
  declare pair: readonly [Turn, Turn];
  /** The id of the answer that the chat continues from. */
  declare used: string;
  declare canChoose: boolean;

  static override styles = [
    controls,
    css`
      :host {
        display: block;
        container-type: inline-size;
      }
      .pair {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        gap: 0.75rem;
      }
      section {
        display: flex;
        flex-direction: column;
        min-width: 0;
        padding: 0.35rem 0.9rem 0.2rem;
        border: 1px solid var(--line);
        border-radius: var(--radius);
      }
      section.used {
        border-color: var(--accent);
      }
      header {
        display: flex;
        align-items: center;
        gap: 0.25rem;
        min-height: 2.25rem;
        margin-bottom: 0.35rem;
      }
      h3 {
        flex: 1;
        min-width: 0;
        margin: 0;
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
      .mark {
        display: flex;
        padding: 0 0.3rem;
        color: var(--accent);
      }
      .mark svg {
        width: 1.1rem;
        height: 1.1rem;
      }
      button.small {
        flex: none;
      }
      slot {
        display: block;
        flex: 1;
      }
      @container (min-width: 40rem) {
        .pair {
          grid-template-columns: repeat(2, minmax(0, 1fr));
        }
      }
    `,
  ];

  override render() {
    return html`<div class="pair" role="group" aria-label=${strings.group}>
      ${this.pair.map((turn, side) => this.#answer(turn, side))}
    </div>`;
  }

  #answer(turn: Turn, side: number) {
    const isUsed = turn.id === this.used;
    return html`<section class=${isUsed ? 'used' : ''} aria-label=${turn.model ?? ''}>
      <header>
        <h3>${turn.model}</h3>
        ${isUsed ? this.#used() : this.#use(turn)}
      </header>
      <slot name=${side}></slot>
    </section>`;
  }

  #used() {
    return html`<span class="mark" role="img" aria-label=${strings.inUse} data-tip=${strings.inUse}>${icon('check')}</span>
      <button
        class="plain small"
        aria-description=${strings.closeTitle}
        data-tip=${strings.closeTitle}
        ?disabled=${!this.canChoose}
        @click=${() => this.dispatchEvent(new Event('show-one'))}
      >
        ${strings.close}
      </button>`;
  }

  #use(turn: Turn) {
    return html`<button
      class="small"
      ?disabled=${!this.canChoose}
      @click=${() => this.dispatchEvent(new CustomEvent<Turn>('use', { detail: turn }))}
    >
      ${strings.use}
    </button>`;
  }
}

customElements.define('tabd-answer-pair', AnswerPair);
