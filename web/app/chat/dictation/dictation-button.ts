import { html, nothing } from 'lit';
import { errorMessage } from '#core/base';
import { dictationStrings as strings } from '../../strings/dictation.ts';
import { AppElement } from '../../ui/app-element.ts';
import { icon } from '../../ui/icon.ts';
import { controls } from '../../ui/styles/controls.ts';
import { hearingModel } from './hearing-model.ts';
import { speechFile } from './speech-file.ts';
import { SpeechRecorder } from './speech-recorder.ts';

/**
 * Records speech and has it written down by an installed model that hears. Shown where there is one. Fires `heard` with
 * the text, and `failed` with the reason, as `detail`.
 */
export class DictationButton extends AppElement {
  static override properties = { ...AppElement.properties, recorder: { state: true }, work: { state: true } };
  /** Records now. */
  declare recorder: SpeechRecorder | undefined;
  /** A recording is being written down. */
  declare work: AbortController | undefined;

  static override styles = [controls];

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.recorder?.cancel();
    this.recorder = undefined;
    this.work?.abort();
  }

  override render() {
    const isUsable = SpeechRecorder.isAvailable && hearingModel(this.app.installed) !== undefined;
    if (!isUsable && !this.recorder) return nothing;
    const label = this.recorder ? strings.stop : this.work ? strings.writing : strings.dictate;
    return html`<button
      type="button"
      class="plain round ${this.recorder ? 'on' : ''}"
      aria-label=${label}
      data-tip=${label}
      aria-pressed=${this.recorder ? 'true' : 'false'}
      ?disabled=${this.work !== undefined}
      @click=${() => void (this.recorder ? this.#write(this.recorder) : this.#record())}
    >
      ${icon(this.recorder ? 'stop' : 'microphone')}
    </button>`;
  }

  async #record(): Promise<void> {
    try {
      const recorder = await SpeechRecorder.start();
      if (this.isConnected) this.recorder = recorder;
      else recorder.cancel();
    } catch (error) {
      this.#fire('failed', strings.noMicrophone(errorMessage(error)));
    }
  }

  async #write(recorder: SpeechRecorder): Promise<void> {
    this.recorder = undefined;
    const work = new AbortController();
    this.work = work;
    try {
      const file = await speechFile(await recorder.stop());
      const model = hearingModel(this.app.installed);
      if (model === undefined) return;
      const text = await this.app.api.transcribe(model, file, work.signal);
      if (text === '') this.#fire('failed', strings.nothingHeard);
      else this.#fire('heard', text);
    } catch (error) {
      if (!work.signal.aborted) this.#fire('failed', strings.failed(errorMessage(error)));
    } finally {
      this.work = undefined;
    }
  }

  #fire(name: 'heard' | 'failed', detail: string): void {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}

customElements.define('tabd-dictation', DictationButton);
