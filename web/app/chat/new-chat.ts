import { css, html, nothing } from 'lit';
import { chatPartStrings } from '../strings/chat-parts.ts';
import { AppElement } from '../ui/app-element.ts';
import { icon } from '../ui/icon.ts';
import { controls } from '../ui/styles/controls.ts';
import { presetOf, readPresets, withPreset } from './presets/presets.ts';

const strings = chatPartStrings.presets;

/** The folder and the presets of a new chat. A second press takes a preset away. */
export class NewChat extends AppElement {
  static override styles = [
    controls,
    css`
      div {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        justify-content: center;
        gap: 0.4rem;
        margin-top: 1.5rem;
        font-size: var(--text-sm);
      }
      button[aria-pressed='true'] {
        border-color: var(--accent);
        background: var(--accent-wash);
        color: var(--accent);
      }
    `,
  ];

  override render() {
    const { folder } = this.app.chats.conversation;
    return html`${
      folder === undefined
        ? nothing
        : html`<div class="soft">${icon('folder')} ${chatPartStrings.folders.inFolder(folder)}</div>`
    }
    ${this.#presets()}`;
  }

  #presets() {
    const presets = readPresets(localStorage);
    if (presets.length === 0) return nothing;
    const { settings } = this.app.chats.conversation;
    const chosen = presetOf(presets, settings);
    return html`<div role="group" aria-labelledby="label">
      <span class="soft" id="label">${strings.choose}</span>
      ${presets.map(
        (preset) => html`<button
          class="small"
          aria-pressed=${preset === chosen}
          aria-description=${preset.settings.system ?? nothing}
          data-tip=${preset.settings.system ?? nothing}
          @click=${() =>
            void this.app.chats.update({
              settings: withPreset(settings, preset === chosen ? {} : preset.settings),
            })}
        >
          ${preset.name}
        </button>`,
      )}
    </div>`;
  }
}

customElements.define('tabd-new-chat', NewChat);
