import { css, html, LitElement, type PropertyDeclarations } from 'lit';
import { commonStrings } from '../strings/common.ts';
import { controls } from './styles/controls.ts';
import { dialogs } from './styles/dialogs.ts';
import { theme } from './styles/theme.ts';

/** A dialog with one text field. */
class TextDialog extends LitElement {
  static override properties: PropertyDeclarations = { label: {}, value: {} };
  declare label: string;
  declare value: string;
  /** Called once with the text, or with undefined when the dialog is closed without it. */
  answer: (text: string | undefined) => void = () => {};

  // It is a child of the document's body, outside of the element that sets the tokens.
  static override styles = [
    theme,
    controls,
    dialogs,
    css`
      dialog {
        --width: 24rem;
        width: 100%;
      }
    `,
  ];

  override render() {
    return html`<dialog
      aria-label=${this.label}
      @close=${() => this.answer(undefined)}
      @keydown=${(event: Event) => event.stopPropagation()}
    >
      <form @submit=${this.#submit}>
        <label class="field">${this.label} <input type="text" name="text" required .value=${this.value} /></label>
        <div class="buttons">
          <button type="button" class="plain" @click=${() => this.#dialog.close()}>${commonStrings.cancel}</button>
          <button class="primary">${commonStrings.save}</button>
        </div>
      </form>
    </dialog>`;
  }

  async show(): Promise<void> {
    await this.updateComplete;
    this.#dialog.showModal();
    this.renderRoot.querySelector('input')?.select();
  }

  get #dialog(): HTMLDialogElement {
    return this.renderRoot.querySelector('dialog')!;
  }

  #submit(event: SubmitEvent) {
    event.preventDefault();
    this.answer(String(new FormData(event.target as HTMLFormElement).get('text')));
    this.#dialog.close();
  }
}

customElements.define('tabd-text-dialog', TextDialog);

/** Asks for a text. Resolves with undefined when the user cancels. The focus returns to where it was. */
export function askForText(label: string, value: string): Promise<string | undefined> {
  const dialog = Object.assign(new TextDialog(), { label, value });
  document.body.append(dialog);
  void dialog.show();
  return new Promise<string | undefined>((resolve) => {
    dialog.answer = resolve;
  }).finally(() => dialog.remove());
}
