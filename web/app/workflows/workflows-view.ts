import { css, html, nothing, type PropertyDeclarations } from 'lit';
import { AppElement } from '../ui/app-element.ts';
import './credentials/credentials-view.ts';
import { CredentialState } from './credentials/credential-state.ts';
import { PageState } from './editor/page-state.ts';
import './list-view.ts';
import { ListState } from './list-state.ts';
import { followEvents } from './live-events.ts';
import './page/workflow-page.ts';
import type { BackendConnection } from '../servers/connection.ts';
import { parseRoute, type WorkflowRoute } from './route.ts';
import './runs/run-page.ts';
import { workflowStrings } from '../strings/workflows.ts';
import type { ServerEvent } from './api-types.ts';
import { RunPageState } from './runs/run-state.ts';
import { leavePage, takePage } from './unsaved-pages.ts';
import { WorkflowClient } from './workflow-client.ts';

/** Shows the screen of the current address and passes server events to it. */
export class WorkflowsView extends AppElement {
  static override properties: PropertyDeclarations = {
    ...AppElement.properties,
    route: { state: true },
    isDisconnected: { state: true },
  };
  declare route: WorkflowRoute;
  /** Whether the connection for events is lost. */
  declare isDisconnected: boolean;
  #leaving: AbortController | undefined;
  #connection!: BackendConnection;
  #client!: WorkflowClient;
  #list!: ListState;
  /** The page of a workflow. It stays, with its unsaved changes, while a run of the workflow is shown. */
  #page: PageState | undefined;
  #run: RunPageState | undefined;
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

  readonly #onNavigate = () => {
    const route = parseRoute(location.hash);
    if (!location.hash.startsWith('#/workflows')) return;
    const id = 'id' in route ? route.id : undefined;
    if (this.#page && id !== this.#page.id) {
      leavePage(this.#connection, this.#page);
      this.#page = undefined;
    }
    const moved = this.route !== undefined && this.route.screen !== route.screen;
    this.route = route;
    this.#openRoute(route);
    if (moved) void this.#focusView();
  };

  /** Moves the focus to the screen, for keyboards and screen readers. */
  async #focusView() {
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLElement>('.screen')?.focus({ preventScroll: true });
  }

  #openRoute(route: WorkflowRoute) {
    if (route.screen === 'workflow' && !this.#page) {
      this.#page = takePage(this.#connection, route.id) ?? new PageState(this.#client, route.id);
      void this.#page.load();
    }
    if (route.screen === 'execution' && this.#run?.id !== route.execution) {
      this.#run?.close();
      this.#run = new RunPageState(this.#client, route.execution);
      void this.#run.load();
    }
    if (route.screen === 'credentials') {
      this.#credentials ??= new CredentialState(this.#client);
      void this.#credentials.load();
    } else if (route.screen === 'workflow') void this.#page?.loadCredentials();
  }

  override connectedCallback() {
    super.connectedCallback();
    const { connection } = this.app;
    this.#connection = connection;
    this.#client = new WorkflowClient((input, init) => connection.fetch(input, init));
    this.#list = new ListState(this.#client);
    this.#onNavigate();
    addEventListener('hashchange', this.#onNavigate);
    this.#leaving = new AbortController();
    const handlers = {
      onOpen: () => {
        this.isDisconnected = false;
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
        this.isDisconnected = true;
      },
    };
    void followEvents(this.#client, handlers, this.#leaving.signal);
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    removeEventListener('hashchange', this.#onNavigate);
    this.#leaving?.abort();
    if (this.#page) leavePage(this.#connection, this.#page);
    this.#page = undefined;
    this.#run?.close();
    this.#run = undefined;
  }

  override render() {
    // A wrapper, because a tabindex of -1 on the screen would make its shadow root unreachable by keyboard.
    return html`<div class="screen" tabindex="-1">${this.#screen()}</div>
    ${this.isDisconnected ? html`<div class="lost" role="status">${workflowStrings.disconnected}</div>` : nothing}`;
  }

  #screen() {
    const { route } = this;
    if (route.screen === 'workflow') {
      return html`<tabd-workflow-page
        .app=${this.app}
        .state=${this.#page}
        .list=${this.#list}
        .tab=${route.tab}
      ></tabd-workflow-page>`;
    }
    if (route.screen === 'execution') return html`<tabd-run-page .state=${this.#run}></tabd-run-page>`;
    if (route.screen === 'credentials')
      return html`<tabd-credentials .state=${this.#credentials}></tabd-credentials>`;
    return html`<tabd-workflow-list .state=${this.#list}></tabd-workflow-list>`;
  }
}

customElements.define('tabd-workflows', WorkflowsView);
