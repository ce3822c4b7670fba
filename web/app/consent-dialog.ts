import { html, nothing } from 'lit';
import { modelStrings } from './strings/models.ts';
import { AppElement } from './ui/app-element.ts';
import { bytes } from './ui/format.ts';
import { controls } from './ui/styles/controls.ts';
import { dialogs } from './ui/styles/dialogs.ts';

/** Asks before a large download, with its size and licence. */
export class ConsentDialog extends AppElement {
  static override styles = [controls, dialogs];

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
