import { html, type TemplateResult } from 'lit';

export interface MenuEntry {
  label: string;
  act(): void;
  danger?: boolean;
}

/** A button that opens a menu. The menu closes after a choice, on Escape, and when it loses the focus. */
export function menu(label: string, entries: MenuEntry[]): TemplateResult {
  return html`<details class="menu" @focusout=${closeOnBlur} @keydown=${closeOnEscape}>
    <summary aria-label=${label} title=${label}>
      <svg viewBox="0 0 16 16" width="16" height="16" fill="currentColor" aria-hidden="true">
        <circle cx="3" cy="8" r="1.4" />
        <circle cx="8" cy="8" r="1.4" />
        <circle cx="13" cy="8" r="1.4" />
      </svg>
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
