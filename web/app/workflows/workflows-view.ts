import { css, html, nothing, type PropertyDeclarations } from 'lit';
import { AppElement } from '../ui/app-element.ts';
import './list-view.ts';
import { ListState } from './list-state.ts';
import { followEvents } from './live-events.ts';
import { type Place, placeOf } from './route.ts';
import { words } from './words.ts';
import { WorkflowClient } from './workflow-client.ts';

/** The workflow screens: which one is shown, and what happens on the server, told to it. */
export class WorkflowsView extends AppElement {
  static override properties: PropertyDeclarations = {
    ...AppElement.properties,
    place: { state: true },
    lost: { state: true },
  };
  declare place: Place;
  /** The connection for events broke off. */
  declare lost: boolean;
  #left: AbortController | undefined;
  #list!: ListState;

  static override styles = css`
    :host {
      display: block;
      height: 100%;
      position: relative;
    }
    .lost {
      position: absolute;
      inset: auto 0 0;
      padding: 0.5rem 1.25rem;
      background: var(--accent-wash);
      font-size: 0.85rem;
      text-align: center;
    }
  `;

  readonly #navigated = () => {
    this.place = placeOf(location.hash);
  };

  override connectedCallback() {
    super.connectedCallback();
    const client = new WorkflowClient((input, init) => this.app.backend.fetch(input, init));
    this.#list = new ListState(client);
    this.#navigated();
    addEventListener('hashchange', this.#navigated);
    this.#left = new AbortController();
    const reload = () => {
      this.lost = false;
      void this.#list.load();
    };
    void followEvents(
      client,
      {
        onOpen: reload,
        onEvent: (event) => this.#list.onEvent(event),
        onLost: () => {
          this.lost = true;
        },
      },
      this.#left.signal,
    );
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    removeEventListener('hashchange', this.#navigated);
    this.#left?.abort();
  }

  override render() {
    return html`${this.#screen()}
    ${this.lost ? html`<div class="lost" role="status">${words.lost}</div>` : nothing}`;
  }

  #screen() {
    return html`<tabd-workflow-list .state=${this.#list}></tabd-workflow-list>`;
  }
}

customElements.define('tabd-workflows', WorkflowsView);
