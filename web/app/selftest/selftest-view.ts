import { css, html, nothing } from 'lit';
import { errorMessage } from '#core/base';
import { selftestStrings } from '../strings/selftest.ts';
import { AppElement } from '../ui/app-element.ts';
import { decimal } from '../ui/format.ts';
import { controls } from '../ui/styles/controls.ts';
import { scrolled } from '../ui/styles/page.ts';
import { type DeviceRun, reportText, runSelftest, type SelftestReport } from './selftest.ts';

/** Compares GPU and CPU on this device, with a report to copy. */
export class SelftestView extends AppElement {
  static override properties = {
    ...AppElement.properties,
    runs: { state: true },
    report: { state: true },
    error: { state: true },
    abort: { state: true },
    copied: { state: true },
  };
  declare runs: DeviceRun[];
  declare report: SelftestReport | undefined;
  declare error: string | undefined;
  declare abort: AbortController | undefined;
  declare copied: boolean;

  static override styles = [
    controls,
    scrolled,
    css`
      .buttons {
        margin: 1rem 0;
      }
      .card {
        margin: 0.75rem 0;
      }
      .verdict {
        font-weight: 600;
      }
      .same {
        color: var(--good);
      }
      .different {
        color: var(--bad);
      }
      blockquote {
        margin: 0.5rem 0 0;
        white-space: pre-wrap;
        overflow-wrap: anywhere;
      }
    `,
  ];

  constructor() {
    super();
    this.runs = [];
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.abort?.abort();
  }

  override render() {
    const { runs, report } = this;
    const comparison =
      report?.same === undefined
        ? selftestStrings.noGpu
        : report.same
          ? selftestStrings.same
          : selftestStrings.different;
    return html`<div class="view">
      <h1>${selftestStrings.heading}</h1>
      <p class="soft">${selftestStrings.subtitle}</p>
      <div class="buttons">
        ${
          this.abort
            ? html`<button disabled>${selftestStrings.running}</button>
                <button class="plain" @click=${() => this.abort?.abort()}>${selftestStrings.stop}</button>`
            : html`<button class="primary" ?disabled=${this.app.model === undefined} @click=${this.#run}>
                ${selftestStrings.run}
              </button>`
        }
        ${
          report
            ? html`<button @click=${this.#copy}>${this.copied ? selftestStrings.copied : selftestStrings.copy}</button>`
            : nothing
        }
      </div>
      ${this.app.model === undefined ? html`<p class="soft">${selftestStrings.noModel}</p>` : nothing}
      ${this.error ? html`<div class="error" role="alert">${this.error}</div>` : nothing}
      <div aria-live="polite">
        ${
          report
            ? html`<p class="verdict ${report.same === undefined ? '' : report.same ? 'same' : 'different'}">${comparison}</p>`
            : nothing
        }
        ${runs.map(
          (run) => html`<div class="card">
            <strong>${run.device}</strong>
            <div class="soft small num">
              ${selftestStrings.rates(run.rate, run.promptRate, decimal(run.loadSeconds, 1))}
            </div>
            ${run.note ? html`<div class="soft small">${run.note}</div>` : nothing}
            <blockquote>${run.text}</blockquote>
          </div>`,
        )}
        ${report ? html`<pre id="report" tabindex="0">${reportText(report)}</pre>` : nothing}
      </div>
    </div>`;
  }

  async #run() {
    const { model } = this.app;
    if (model === undefined) return;
    const abort = new AbortController();
    Object.assign(this, { abort, runs: [], report: undefined, error: undefined });
    try {
      this.report = await runSelftest(this.app, model, abort.signal, (runs) => {
        this.runs = runs;
      });
    } catch (error) {
      if (!abort.signal.aborted) this.error = errorMessage(error);
    } finally {
      this.abort = undefined;
      void this.app.refresh();
    }
  }

  async #copy() {
    if (this.report === undefined) return;
    await navigator.clipboard.writeText(reportText(this.report));
    this.copied = true;
    setTimeout(() => {
      this.copied = false;
    }, 1500);
  }
}

customElements.define('tabd-selftest', SelftestView);
