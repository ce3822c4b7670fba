import { css, html, type TemplateResult } from 'lit';
import { type IconName, icon } from './icon.ts';

const DOTS = html`<svg viewBox="0 0 16 16" width="16" height="16" fill="currentColor" aria-hidden="true">
  <circle cx="3" cy="8" r="1.4" />
  <circle cx="8" cy="8" r="1.4" />
  <circle cx="13" cy="8" r="1.4" />
</svg>`;

export interface MenuEntry {
  label: string;
  act(): void;
  danger?: boolean;
}

/**
 * A button that opens a menu. The menu closes after a choice, on Escape, and when it loses the focus.
 * @param drawing the icon of the button; by default, three dots
 */
export function menu(label: string, entries: MenuEntry[], drawing?: IconName): TemplateResult {
  return html`<details class="menu" @toggle=${place} @focusout=${closeOnBlur} @keydown=${closeOnEscape}>
    <summary aria-label=${label} data-tip=${label}>
      ${drawing ? icon(drawing) : DOTS}
    </summary>
    <div>
      ${entries.map(
        ({ label: text, act, danger }) =>
          html`<button
            type="button"
            class=${danger ? 'danger' : ''}
            @click=${(event: Event) => {
              closeMenu(event);
              act();
            }}
          >
            ${text}
          </button>`,
      )}
    </div>
  </details>`;
}

/** Puts the open menu next to its button, where no scrolling ancestor cuts it off. */
function place(event: Event): void {
  const details = event.currentTarget as HTMLDetailsElement;
  if (!details.open) return;
  const list = details.querySelector<HTMLElement>(':scope > div')!;
  const button = details.getBoundingClientRect();
  const { width, height } = list.getBoundingClientRect();
  const isBelow = button.bottom + height + 8 < innerHeight;
  list.style.top = `${isBelow ? button.bottom + 2 : Math.max(8, button.top - height - 2)}px`;
  list.style.left = `${Math.max(8, Math.min(button.right - width, innerWidth - width - 8))}px`;
}

function closeMenu(event: Event): void {
  (event.target as Element).closest('details')!.open = false;
}

function closeOnBlur(event: FocusEvent): void {
  const details = event.currentTarget as HTMLDetailsElement;
  if (!details.contains(event.relatedTarget as Node | null)) details.open = false;
}

function closeOnEscape(event: KeyboardEvent): void {
  if (event.key !== 'Escape') return;
  const details = event.currentTarget as HTMLDetailsElement;
  details.open = false;
  details.querySelector('summary')!.focus();
}

/** Styles of `menu`. */
export const menuStyles = css`
  details.menu {
    position: relative;
  }
  details.menu > summary {
    list-style: none;
    display: inline-flex;
    align-items: center;
    justify-content: center;
    width: 2.25rem;
    height: 2.25rem;
    border-radius: var(--radius-full);
    cursor: pointer;
    color: var(--soft);
  }
  details.menu > summary::before {
    content: none;
  }
  details.menu > summary:hover,
  details.menu[open] > summary {
    background: var(--sunken);
    color: var(--text);
  }
  details.menu > div {
    position: fixed;
    z-index: 5;
    display: grid;
    min-width: 10rem;
    max-width: calc(100vw - 1rem);
    max-height: 60vh;
    overflow-y: auto;
    padding: 0.35rem;
    background: var(--raised);
    border: 1px solid var(--line);
    border-radius: var(--radius);
    box-shadow: var(--shadow-md);
  }
  details.menu > div button {
    justify-content: flex-start;
    border-color: transparent;
    background: transparent;
    border-radius: var(--radius-sm);
  }
  details.menu > div button:hover {
    background: var(--sunken);
    border-color: transparent;
  }
`;
