import { css, html, nothing } from 'lit';
import { ports as words } from '../strings/api.ts';
import { AppElement } from '../ui/app-element.ts';
import { errorText } from '../ui/error-text.ts';
import { controls } from '../ui/theme.ts';
import { type Answerer, answererOfPorts, letAnswer } from './port-owner.ts';

/** Milliseconds between looks whether a tab has come or gone. */
const LOOK = 2000;

/** Lets this browser answer the ports of the computer, or gives them back; nothing where there are none. */
export class PortsSwitch extends AppElement {
  static override properties = {
    ...AppElement.properties,
    answerer: { state: true },
    link: { state: true },
    failure: { state: true },
    busy: { state: true },
  };
  declare answerer: Answerer | undefined;
  declare link: string | undefined;
  declare failure: string | undefined;
  declare busy: boolean;
  #timer: ReturnType<typeof setInterval> | undefined;

  static override styles = [
    controls,
    css`
      label {
        display: flex;
        align-items: baseline;
        gap: 0.6rem;
      }
      code {
        overflow-wrap: anywhere;
      }
    `,
  ];

  override connectedCallback() {
    super.connectedCallback();
    const look = () => void this.#look();
    look();
    this.#timer = setInterval(look, LOOK);
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    clearInterval(this.#timer);
  }

  override render() {
    const { answerer, link, failure } = this;
    if (!answerer) return nothing;
    const byTab = answerer.by === 'tab';
    return html`
      <h2>${words.heading}</h2>
      <label>
        <input
          type="checkbox"
          role="switch"
          .checked=${byTab}
          ?disabled=${this.busy}
          @change=${(event: Event) => this.#switch((event.target as HTMLInputElement).checked)}
        />
        ${words.label}
      </label>
      <p class="soft" role="status">${byTab ? (answerer.connected ? words.connected : words.waiting) : words.node}</p>
      ${link ? html`<p class="soft">${words.link}<br /><code>${link}</code></p>` : nothing}
      ${failure ? html`<p class="error" role="alert">${failure}</p>` : nothing}
    `;
  }

  async #look() {
    if (!this.busy) this.answerer = await answererOfPorts();
  }

  /** The first link connects this browser; a second one is shown for another. */
  async #switch(on: boolean) {
    this.busy = true;
    this.failure = undefined;
    this.link = undefined;
    const { backend } = this.app;
    try {
      const told = await letAnswer(on ? 'tab' : 'node');
      await backend.bridge(told.token);
      this.answerer = told;
      if (on) await this.#connected();
    } catch (error) {
      this.failure = errorText(error);
    }
    this.busy = false;
    await this.#look();
  }

  /** Until this tab is there; then the link is good for another browser. */
  async #connected() {
    for (let tries = 0; tries < 20; tries++) {
      const now = await answererOfPorts();
      if (now?.connected) {
        this.link = (await letAnswer('tab')).link;
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    throw new Error(words.failed);
  }
}

customElements.define('tabd-ports-switch', PortsSwitch);
