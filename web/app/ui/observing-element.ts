import { LitElement, type PropertyDeclarations } from 'lit';

/** An element that renders again whenever `state` fires `change`. */
export class ObservingElement<State extends EventTarget> extends LitElement {
  static override properties: PropertyDeclarations = { state: { attribute: false } };
  declare state: State;
  readonly #changed = () => this.requestUpdate();
  #followed: State | undefined;

  override connectedCallback() {
    super.connectedCallback();
    this.requestUpdate();
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.#follow(undefined);
  }

  override willUpdate() {
    if (this.isConnected) this.#follow(this.state);
  }

  #follow(state: State | undefined) {
    if (state === this.#followed) return;
    this.#followed?.removeEventListener('change', this.#changed);
    this.#followed = state;
    state?.addEventListener('change', this.#changed);
  }
}
