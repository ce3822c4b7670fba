import { LitElement, type PropertyDeclarations } from 'lit';
import type { AppState } from '../app-state.ts';

/** An element that renders again whenever the app's state fires `change`. */
export class AppElement extends LitElement {
  static override properties: PropertyDeclarations = { app: { attribute: false } };
  declare app: AppState;
  readonly #changed = () => this.requestUpdate();

  override connectedCallback() {
    super.connectedCallback();
    this.app.addEventListener('change', this.#changed);
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.app.removeEventListener('change', this.#changed);
  }
}
