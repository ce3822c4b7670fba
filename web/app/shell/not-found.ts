import { html, LitElement } from 'lit';
import { appStrings } from '../strings/app.ts';
import { controls } from '../ui/styles/controls.ts';

/** Says that no view has the address. */
export class NotFound extends LitElement {
  static override properties = { address: { attribute: false } };
  declare address: string;

  static override styles = controls;

  override render() {
    return html`<div class="view">
      <h1>${appStrings.notFound.heading}</h1>
      <p class="soft">${appStrings.notFound.text(this.address)}</p>
      <p><a href="#/">${appStrings.notFound.home}</a></p>
    </div>`;
  }
}

customElements.define('tabd-not-found', NotFound);
