import { html, nothing } from 'lit';
import { errorMessage } from '#core/base';
import { readingStrings as strings } from '../../strings/reading.ts';
import { AppElement } from '../../ui/app-element.ts';
import { icon } from '../../ui/icon.ts';
import { controls } from '../../ui/styles/controls.ts';
import { speakingModel } from './speaking-model.ts';
import { speechParts } from './speech-parts.ts';
import { SpeechPlayer } from './speech-player.ts';

/** Only one answer is read at a time. */
let stopOther: () => void = () => {};

/** Reads a text aloud by an installed model that speaks, while its audio arrives. Shown where there is one. */
export class ReadAloudButton extends AppElement {
  static override properties = {
    ...AppElement.properties,
    text: { attribute: false },
    work: { state: true },
    problem: { state: true },
  };
  /** Returns the text when the button is pressed. */
  declare text: () => string;
  declare work: AbortController | undefined;
  declare problem: string | undefined;

  static override styles = [controls];

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.#stop();
  }

  override render() {
    const model = SpeechPlayer.isAvailable ? speakingModel(this.app?.installed) : undefined;
    if (model === undefined && !this.work) return nothing;
    const label = this.work ? strings.stop : strings.read;
    return html`<button
        type="button"
        class="plain round ${this.work ? 'on' : ''}"
        aria-label=${label}
        data-tip=${label}
        @click=${() => (this.work ? this.#stop() : void this.#read(model!))}
      >
        ${icon(this.work ? 'stop' : 'speaker')}
      </button>
      ${this.problem ? html`<span class="problem" role="alert">${this.problem}</span>` : nothing}`;
  }

  readonly #stop = () => {
    this.work?.abort();
    this.work = undefined;
  };

  async #read(model: string): Promise<void> {
    stopOther();
    stopOther = this.#stop;
    const work = new AbortController();
    this.work = work;
    this.problem = undefined;
    const player = new SpeechPlayer();
    work.signal.addEventListener('abort', () => player.close());
    try {
      for (const part of speechParts(this.text()))
        await player.add(await this.app.api.speak(model, part, work.signal));
      await player.finished(work.signal);
    } catch (error) {
      if (!work.signal.aborted) this.problem = strings.failed(errorMessage(error));
    } finally {
      player.close();
      if (this.work === work) this.work = undefined;
    }
  }
}

customElements.define('tabd-read-aloud', ReadAloudButton);
