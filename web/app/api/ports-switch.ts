import { css, html, nothing } from 'lit';
import { errorMessage } from '#core/base';
import { portStrings } from '../strings/api.ts';
import { AppElement } from '../ui/app-element.ts';
import { controls } from '../ui/styles/controls.ts';
import { type PortOwner, readPortOwner, setPortOwner } from './port-owner.ts';

/** Milliseconds between checks for a connected tab. */
const POLL_INTERVAL = 2000;

/**
 * Switches the ports of the computer between this browser and the tabd command. Renders nothing where the computer has
 * no ports. Fires `switched`.
 */
export class PortsSwitch extends AppElement {
  static override properties = {
    ...AppElement.properties,
    owner: { state: true },
    link: { state: true },
    failure: { state: true },
    busy: { state: true },
    compact: { type: Boolean },
  };
  declare owner: PortOwner | undefined;
  declare link: string | undefined;
  declare failure: string | undefined;
  declare busy: boolean;
  /** Leaves the heading out. */
  declare compact: boolean;
  #timer: ReturnType<typeof setInterval> | undefined;

  static override styles = [
    controls,
    css`
      code {
        overflow-wrap: anywhere;
      }
    `,
  ];

  override connectedCallback() {
    super.connectedCallback();
    const look = () => void this.#refresh();
    look();
    this.#timer = setInterval(look, POLL_INTERVAL);
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    clearInterval(this.#timer);
  }

  override render() {
    const { owner, link, failure } = this;
    if (!owner) return nothing;
    const byTab = owner.by === 'tab';
    return html`
      ${this.compact ? nothing : html`<h2>${portStrings.heading}</h2>`}
      <label class="check">
        <input
          type="checkbox"
          role="switch"
          .checked=${byTab}
          ?disabled=${this.busy}
          @change=${(event: Event) => this.#switch((event.target as HTMLInputElement).checked)}
        />
        ${portStrings.label(this.#ports)}
      </label>
      <p class="soft" role="status">${byTab ? (owner.connected ? portStrings.connected : portStrings.waiting) : portStrings.node}</p>
      ${link ? html`<p class="soft">${portStrings.link}<br /><code>${link}</code></p>` : nothing}
      ${failure ? html`<p class="error" role="alert">${failure}</p>` : nothing}
    `;
  }

  /** The numbers of the open ports, as the server of this page reports them. */
  get #ports(): string[] {
    return Object.values(this.app.origins ?? {}).map((origin) => new URL(origin).port);
  }

  async #refresh() {
    if (!this.busy) this.owner = await readPortOwner();
  }

  /** Uses the first link for this browser and shows a second one for another browser. */
  async #switch(on: boolean) {
    this.busy = true;
    this.failure = undefined;
    this.link = undefined;
    const { backend } = this.app;
    try {
      const owner = await setPortOwner(on ? 'tab' : 'node');
      await backend.bridge(owner.token);
      this.owner = owner;
      if (on) await this.#awaitConnection();
    } catch (error) {
      this.failure = errorMessage(error);
    }
    this.busy = false;
    await this.#refresh();
    this.dispatchEvent(new Event('switched'));
  }

  /** Waits until this tab is connected, then requests the link for another browser. */
  async #awaitConnection() {
    for (let tries = 0; tries < 20; tries++) {
      const now = await readPortOwner();
      if (now?.connected) {
        this.link = (await setPortOwner('tab')).link;
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    throw new Error(portStrings.failed);
  }
}

customElements.define('tabd-ports-switch', PortsSwitch);
