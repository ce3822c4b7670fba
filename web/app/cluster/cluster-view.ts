import { css, html, LitElement, nothing } from 'lit';
import { errorMessage } from '#core/base';
import type { ApiName } from '#core/http';
import { clusterStrings as strings } from '../strings/cluster.ts';
import { duration } from '../ui/format.ts';
import { controls } from '../ui/styles/controls.ts';
import { scrolled } from '../ui/styles/page.ts';
import { tables } from '../ui/styles/tables.ts';
import {
  ClusterClient,
  type ClusterProcess,
  type ClusterReport,
  type StuckExecution,
} from './cluster-client.ts';
import { apiNames, shortName, stateOf } from './cluster-facts.ts';

/** Milliseconds between two reports. */
const POLL_INTERVAL = 2000;

/** The workers, doors, queues and stuck executions of the cluster whose door serves this page. */
export class ClusterView extends LitElement {
  static override properties = {
    report: { state: true },
    failure: { state: true },
    isWrongKey: { state: true },
  };
  /** Undefined until the first answer. */
  declare report: ClusterReport | 'absent' | 'locked' | undefined;
  declare failure: string | undefined;
  declare isWrongKey: boolean;
  readonly #client = new ClusterClient();
  #timer: ReturnType<typeof setInterval> | undefined;
  #isReading = false;

  static override styles = [
    controls,
    scrolled,
    tables,
    css`
      .view {
        max-width: 64rem;
      }
      .scroll {
        overflow-x: auto;
      }
      td.number,
      th.number {
        text-align: right;
      }
      form {
        display: flex;
        flex-wrap: wrap;
        gap: 0.5rem;
        align-items: center;
      }
    `,
  ];

  override connectedCallback() {
    super.connectedCallback();
    void this.#read();
    this.#timer = setInterval(() => void this.#read(), POLL_INTERVAL);
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    clearInterval(this.#timer);
  }

  override render() {
    return html`<div class="view">
      <h1 tabindex="-1">${strings.heading}</h1>
      <p class="soft">${strings.subtitle}</p>
      ${this.#content()}
      ${this.failure ? html`<p class="error" role="alert">${this.failure}</p>` : nothing}
    </div>`;
  }

  #content() {
    const { report } = this;
    if (report === undefined) return nothing;
    if (report === 'absent') return html`<p class="notice">${strings.none}</p>`;
    if (report === 'locked') return this.#keyForm();
    const { processes, queues, stuck } = report;
    const workers = processes.filter(({ role }) => role === 'worker');
    const doors = processes.filter(({ role }) => role === 'door');
    return html`
      <h2>${strings.queues}</h2>
      ${table(
        [strings.queue, strings.waiting, strings.oldest, strings.running],
        queues.map(({ name, waiting, oldest, running }) => [
          strings.queueNames[name],
          waiting,
          oldest === undefined ? '' : duration(oldest),
          running,
        ]),
      )}
      <h2>${strings.workers}</h2>
      <p class="soft small">${workers.length === 0 ? strings.noWorkers : strings.drainHint}</p>
      ${
        workers.length === 0
          ? nothing
          : table(
              [
                ...[strings.process, strings.work, strings.leads, strings.loaded, strings.requests],
                ...[strings.uptime, strings.version, ''],
              ],
              workers.map((worker) => this.#worker(worker)),
            )
      }
      <h2>${strings.doors}</h2>
      ${table(
        [strings.process, strings.uptime, strings.version],
        doors.map(({ process, uptime, version }) => [nameOf(process), duration(uptime), version]),
      )}
      <h2>${strings.stuck}</h2>
      <p class="soft small">${stuck.length === 0 ? strings.noStuck : strings.stuckHint}</p>
      ${
        stuck.length === 0
          ? nothing
          : table(
              [strings.execution, strings.workflow, strings.since, ''],
              stuck.map((execution) => this.#stuck(execution)),
            )
      }
    `;
  }

  #worker(worker: ClusterProcess) {
    const { process, apis, leads, loaded, running, uptime, version, draining } = worker;
    const action = draining ? strings.resume : strings.drain;
    return [
      html`${nameOf(process)}<div class="soft small">${stateOf(worker)}</div>`,
      apiNames(apis),
      apiNames(Object.keys(leads) as ApiName[]),
      loaded.length === 0 ? strings.nothing : loaded.join(', '),
      running,
      duration(uptime),
      version,
      html`<button
        aria-label=${strings.actionOn(action, process)}
        @click=${() => this.#run(() => this.#client.drain(process, !draining))}
      >
        ${action}
      </button>`,
    ];
  }

  #stuck({ id, workflowName, state, startedAt }: StuckExecution) {
    return [
      html`${id}<div class="soft small">${strings.stuckStates[state]}</div>`,
      workflowName,
      duration(Math.max(0, Date.now() - startedAt) / 1000),
      html`<button
        aria-label=${strings.actionOn(strings.retry, id)}
        @click=${() => this.#run(() => this.#client.retry(id))}
      >
        ${strings.retry}
      </button>`,
    ];
  }

  #keyForm() {
    return html`<p class="notice">${strings.locked}</p>
      <form
        @submit=${(event: SubmitEvent) => {
          event.preventDefault();
          this.#client.key = String(new FormData(event.target as HTMLFormElement).get('key')).trim();
          void this.#read().then(() => {
            this.isWrongKey = this.report === 'locked';
          });
        }}
      >
        <label for="key">${strings.key}</label>
        <input id="key" name="key" type="password" autocomplete="off" required />
        <button class="primary">${strings.unlock}</button>
      </form>
      ${this.isWrongKey ? html`<p class="error" role="alert">${strings.wrongKey}</p>` : nothing}`;
  }

  async #read() {
    // A door that answers slowly gets no second question.
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      this.report = await this.#client.report();
    } finally {
      this.#isReading = false;
    }
  }

  async #run(work: () => Promise<void>) {
    this.failure = undefined;
    try {
      await work();
    } catch (error) {
      this.failure = errorMessage(error);
    }
    await this.#read();
  }
}

const nameOf = (process: string) => html`<span class="mono" data-tip=${process}>${shortName(process)}</span>`;

function table(heads: readonly string[], rows: readonly (readonly unknown[])[]) {
  const kind = (cell: unknown) => (typeof cell === 'number' ? 'number num' : nothing);
  const [first = []] = rows;
  return html`<div class="scroll">
    <table>
      <thead>
        <tr>
          ${heads.map((head, at) =>
            head === '' ? html`<td></td>` : html`<th scope="col" class=${kind(first[at])}>${head}</th>`,
          )}
        </tr>
      </thead>
      <tbody>
        ${rows.map((row) => html`<tr>${row.map((cell) => html`<td class=${kind(cell)}>${cell}</td>`)}</tr>`)}
      </tbody>
    </table>
  </div>`;
}

customElements.define('tabd-cluster', ClusterView);
