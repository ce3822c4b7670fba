import { css, html, nothing, type PropertyDeclarations } from 'lit';
import { AppElement } from '../ui/app-element.ts';
import './credentials/credentials-view.ts';
import { CredentialState } from './credentials/credential-state.ts';
import { PageState } from './editor/page-state.ts';
import './list-view.ts';
import { ListState } from './list-state.ts';
import { followEvents } from './live-events.ts';
import './page/workflow-page.ts';
import type { Connection } from '../servers/connection.ts';
import { hashOf, type Place, placeOf } from './route.ts';
import './runs/run-page.ts';
import { words } from '../strings/workflows.ts';
import type { ServerEvent } from './api-types.ts';
import { RunState } from './runs/run-state.ts';
import { WorkflowClient } from './workflow-client.ts';

/** A workflow that was left for another view of the app: what was not saved of it is there on return. */
let kept: { page: PageState; of: Connection } | undefined;

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
  #connection!: Connection;
  #client!: WorkflowClient;
  #list!: ListState;
  /** Kept while one looks at its runs: what is not saved is still there. */
  #page: PageState | undefined;
  #run: RunState | undefined;
  #credentials: CredentialState | undefined;

  static override styles = css`
    :host {
      display: block;
      height: 100%;
      position: relative;
    }
    .screen {
      height: 100%;
      outline: none;
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
    const place = placeOf(location.hash);
    if (!location.hash.startsWith('#/workflows')) return;
    const id = 'id' in place ? place.id : undefined;
    if (this.#page && id !== this.#page.id) {
      if (this.#page.dirty && !confirm(words.page.leave)) {
        history.replaceState(null, '', hashOf({ screen: 'workflow', id: this.#page.id, tab: 'nodes' }));
        return;
      }
      this.#page.close();
      this.#page = undefined;
    }
    const moved = this.place !== undefined && this.place.screen !== place.screen;
    this.place = place;
    this.#enter(place);
    if (moved) void this.#focusScreen();
  };

  /** A keyboard goes on where the new screen begins, and a screen reader reads it. */
  async #focusScreen() {
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLElement>('.screen')?.focus({ preventScroll: true });
  }

  #enter(place: Place) {
    if (place.screen === 'workflow' && !this.#page) {
      const isKept = kept?.page.id === place.id && kept.page.dirty && kept.of === this.#connection;
      this.#page = isKept ? kept!.page : new PageState(this.#client, place.id);
      kept = undefined;
      void this.#page.load();
    }
    if (place.screen === 'execution' && this.#run?.id !== place.execution) {
      this.#run?.close();
      this.#run = new RunState(this.#client, place.execution);
      void this.#run.load();
    }
    if (place.screen === 'credentials') {
      this.#credentials ??= new CredentialState(this.#client);
      void this.#credentials.load();
    } else if (place.screen === 'workflow') void this.#page?.loadCredentials();
  }

  override connectedCallback() {
    super.connectedCallback();
    const { connection } = this.app;
    this.#connection = connection;
    this.#client = new WorkflowClient((input, init) => connection.fetch(input, init));
    this.#list = new ListState(this.#client);
    this.#navigated();
    addEventListener('hashchange', this.#navigated);
    this.#left = new AbortController();
    const told = {
      onOpen: () => {
        this.lost = false;
        void this.#list.load();
        void this.#page?.load();
        void this.#run?.load();
      },
      onEvent: (event: ServerEvent) => {
        this.#list.onEvent(event);
        this.#page?.onEvent(event);
        this.#run?.onEvent(event);
      },
      onLost: () => {
        this.lost = true;
      },
    };
    void followEvents(this.#client, told, this.#left.signal);
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    removeEventListener('hashchange', this.#navigated);
    this.#left?.abort();
    this.#page?.close();
    kept = this.#page && { page: this.#page, of: this.#connection };
    this.#page = undefined;
    this.#run?.close();
    this.#run = undefined;
  }

  override render() {
    // Not the screen itself: a `tabindex` of -1 there would keep the keyboard out of all that is in its shadow root.
    return html`<div class="screen" tabindex="-1">${this.#screen()}</div>
    ${this.lost ? html`<div class="lost" role="status">${words.lost}</div>` : nothing}`;
  }

  #screen() {
    const { place } = this;
    if (place.screen === 'workflow') {
      return html`<tabd-workflow-page
        .app=${this.app}
        .state=${this.#page}
        .list=${this.#list}
        .tab=${place.tab}
      ></tabd-workflow-page>`;
    }
    if (place.screen === 'execution') return html`<tabd-run-page .state=${this.#run}></tabd-run-page>`;
    if (place.screen === 'credentials')
      return html`<tabd-credentials .state=${this.#credentials}></tabd-credentials>`;
    return html`<tabd-workflow-list .state=${this.#list}></tabd-workflow-list>`;
  }
}

// What is not saved would be lost with the page of the browser.
addEventListener('beforeunload', (event) => {
  if (kept?.page.dirty) event.preventDefault();
});

customElements.define('tabd-workflows', WorkflowsView);
