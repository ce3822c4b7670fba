import { LitElement, type PropertyDeclarations } from 'lit';
import type { AppState } from '../app-state.ts';

/** An element that renders again whenever the app's state fires `change`. */
export class AppElement extends LitElement {
  static override properties: PropertyDeclarations = { app: { attribute: false } };
  declare app: AppState;
  readonly #changed = () => this.requestUpdate();

  override connectedCallback() {
    super.connectedCallback();
    // An element that was rendered before its class was loaded gets its properties with its first update.
    if (this.app) this.#listen();
    else void this.updateComplete.then(() => this.#listen());
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.app?.removeEventListener('change', this.#changed);
  }

  #listen(): void {
    if (this.isConnected) this.app.addEventListener('change', this.#changed);
  }
}
