import { css, html, nothing, type PropertyDeclarations } from 'lit';
import { live } from 'lit/directives/live.js';
import { ObservingElement } from '../../ui/observing-element.ts';
import { controls } from '../../ui/styles/controls.ts';
import { dialogs } from '../../ui/styles/dialogs.ts';
import type { GraphState } from '../state/graph-state.ts';
import { graphStrings } from '../strings.ts';

/** The dialog with name and color of a group. */
export class GroupDialog extends ObservingElement<GraphState> {
  static override properties: PropertyDeclarations = {
    ...ObservingElement.properties,
    group: { state: true },
  };
  declare group: string | undefined;

  static override styles = [
    controls,
    dialogs,
    css`
      dialog {
        --width: 24rem;
        width: 100%;
      }
      fieldset {
        margin: 1rem 0;
      }
      legend {
        color: var(--soft);
      }
      .colors {
        display: flex;
        flex-wrap: wrap;
        gap: 0.5rem;
        margin-top: 0.4rem;
      }
      .colors label {
        position: relative;
        width: 2rem;
        height: 2rem;
        border-radius: 50%;
        background: var(--color);
        border: 1px solid var(--line);
        cursor: pointer;
      }
      .colors input {
        position: absolute;
        inset: 0;
        margin: 0;
        width: 100%;
        height: 100%;
        opacity: 0;
        cursor: pointer;
      }
      .colors label:has(:checked) {
        outline: 2px solid var(--accent);
        outline-offset: 2px;
      }
      .colors label:has(:focus-visible) {
        outline: 3px solid var(--text);
        outline-offset: 2px;
      }
      dialog .buttons {
        justify-content: space-between;
      }
    `,
  ];

  async show(id: string): Promise<void> {
    this.group = id;
    await this.updateComplete;
    this.#dialog.showModal();
    this.renderRoot.querySelector('textarea')?.select();
  }

  override render() {
    const { groups } = this.state;
    const group = groups.get(this.group);
    return html`<dialog aria-label=${graphStrings.groupEdit} @keydown=${(event: Event) => event.stopPropagation()}>
      ${
        group
          ? html`<label class="field">
                ${graphStrings.groupTitle}
                <textarea
                  rows="1"
                  .value=${live(group.title)}
                  @input=${({ target }: Event) =>
                    groups.change(
                      group.id,
                      { title: (target as HTMLTextAreaElement).value },
                      `group ${group.id}`,
                    )}
                  @keydown=${this.#closeOnEnter}
                ></textarea>
              </label>
              <fieldset>
                <legend>${graphStrings.groupColor}</legend>
                <div class="colors">
                  ${Object.entries(graphStrings.colors).map(
                    ([color, name]) =>
                      html`<label style="--color:${color || 'var(--sunken)'}" data-tip=${name}>
                        <input
                          type="radio"
                          name="color"
                          aria-label=${name}
                          .checked=${live((group.color ?? '') === color)}
                          @change=${() => groups.change(group.id, { color: color || undefined })}
                        />
                      </label>`,
                  )}
                </div>
              </fieldset>
              <div class="buttons">
                <button
                  class="plain"
                  @click=${() => {
                    this.#dialog.close();
                    groups.remove(group.id);
                  }}
                >
                  ${graphStrings.groupRemove}
                </button>
                <button class="primary" @click=${() => this.#dialog.close()}>${graphStrings.close}</button>
              </div>`
          : nothing
      }
    </dialog>`;
  }

  get #dialog(): HTMLDialogElement {
    return this.renderRoot.querySelector('dialog')!;
  }

  #closeOnEnter(event: KeyboardEvent) {
    if (event.key !== 'Enter' || event.shiftKey) return;
    event.preventDefault();
    this.#dialog.close();
  }
}

customElements.define('tabd-graph-group', GroupDialog);
