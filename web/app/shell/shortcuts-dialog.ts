import { css, html, LitElement } from 'lit';
import { appStrings } from '../strings/app.ts';
import { commonStrings } from '../strings/common.ts';
import { controls } from '../ui/styles/controls.ts';
import { dialogs } from '../ui/styles/dialogs.ts';

const strings = appStrings.shortcuts;

/** The list of keyboard shortcuts, by view. */
export class ShortcutsDialog extends LitElement {
  static override styles = [
    controls,
    dialogs,
    css`
      dialog {
        --width: 34rem;
        width: 100%;
      }
      section {
        margin-top: 1rem;
      }
      h3 {
        margin: 0 0 0.3rem;
      }
      dl {
        display: grid;
        grid-template-columns: minmax(0, 1fr) max-content;
        gap: 0.35rem 1rem;
        margin: 0;
        font-size: var(--text-md);
      }
      dd {
        margin: 0;
        text-align: right;
      }
      kbd {
        padding: 0.1rem 0.4rem;
        border: 1px solid var(--line);
        border-radius: 6px;
        background: var(--sunken);
        font: 0.75rem var(--mono);
      }
    `,
  ];

  override render() {
    return html`<dialog aria-labelledby="title">
      <h2 id="title">${strings.title}</h2>
      ${strings.groups.map(
        ({ name, keys }) => html`<section>
          <h3>${name}</h3>
          <dl>
            ${keys.map(
              ([pressed, what]) => html`<dt>${what}</dt>
                <dd>${pressed.split(' + ').map((key) => html`<kbd>${key}</kbd> `)}</dd>`,
            )}
          </dl>
        </section>`,
      )}
      <form method="dialog" class="buttons"><button>${commonStrings.close}</button></form>
    </dialog>`;
  }

  async show(): Promise<void> {
    await this.updateComplete;
    this.renderRoot.querySelector('dialog')?.showModal();
  }
}

customElements.define('tabd-shortcuts', ShortcutsDialog);
