import { css, html, nothing } from 'lit';
import { modelStrings } from './strings/models.ts';
import { AppElement } from './ui/app-element.ts';
import { bytes } from './ui/format.ts';
import { controls } from './ui/theme.ts';

/** Asks before a large download, with its size and licence. */
export class ConsentDialog extends AppElement {
  static override styles = [
    controls,
    css`
      dialog {
        border: 1px solid var(--line);
        border-radius: 16px;
        background: var(--surface);
        color: var(--text);
        max-width: min(26rem, calc(100vw - 2rem));
        padding: 1.4rem;
      }
      dialog::backdrop {
        background: rgb(0 0 0 / 0.4);
      }
      .buttons {
        display: flex;
        justify-content: flex-end;
        gap: 0.5rem;
        margin-top: 1.25rem;
      }
    `,
  ];

  override render() {
    const { consentRequest: request } = this.app;
    return html`<dialog aria-labelledby="what" @cancel=${() => request?.answer(false)}>
      ${
        request === undefined
          ? nothing
          : html`<p id="what"><strong>${modelStrings.consent(request.model, bytes(request.bytes))}</strong></p>
              ${request.licence ? html`<p class="soft">${modelStrings.consentLicence(request.licence)}</p>` : nothing}
              <div class="buttons">
                <button @click=${() => request.answer(false)}>${modelStrings.notNow}</button>
                <button class="primary" @click=${() => request.answer(true)}>${modelStrings.download}</button>
              </div>`
      }
    </dialog>`;
  }

  override updated() {
    const dialog = this.renderRoot.querySelector('dialog');
    if (this.app.consentRequest !== undefined && !dialog?.open) dialog?.showModal();
    if (this.app.consentRequest === undefined && dialog?.open) dialog.close();
  }
}

customElements.define('tabd-consent', ConsentDialog);
