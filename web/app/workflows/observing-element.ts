import { LitElement, type PropertyDeclarations } from 'lit';
import type { Observed } from './observed.ts';

/** An element that shows observed state and draws itself again when that changes. */
export class ObservingElement<State extends Observed> extends LitElement {
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
