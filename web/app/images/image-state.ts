import type { Pulls } from '../models/pulls.ts';
import { strings } from '../strings.ts';
import { errorText } from '../ui/error-text.ts';
import { type FirstModel, firstModel, suggestedFor } from './first-model.ts';
import type { FinishedPrompt, ImageClient, PromptEvent } from './image-client.ts';
import { graphText, type PictureSettings, randomSeed, settingsOf } from './text-to-image.ts';

export interface Picture {
  finished: FinishedPrompt;
  /** Of its first image: an object URL. */
  url: string;
  settings: PictureSettings | undefined;
}

/** A picture that is being made. */
export interface Making {
  ahead: number;
  step: number;
  steps: number;
  preview: string | undefined;
}

const KEY = 'tabd.picture';
const SHOWN = 60;

/** What the images view shows and what can be done there. */
export class ImageState {
  /** Undefined until they are known. */
  checkpoints: string[] | undefined;
  /** What can be had at once where there are none. */
  offer: FirstModel | undefined;
  samplers: string[] = [];
  schedulers: string[] = [];
  settings: PictureSettings;
  keepSeed = false;
  making: Making | undefined;
  failure: string | undefined;
  pictures: Picture[] = [];
  #abort: AbortController | undefined;

  constructor(
    private readonly client: ImageClient,
    private readonly pulls: Pick<Pulls, 'start' | 'cancel' | 'active'>,
    private readonly changed: () => void,
    private readonly look: () => Promise<FirstModel | undefined> = firstModel,
  ) {
    this.settings = {
      ...usual,
      ...(JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<PictureSettings>),
    };
  }

  async load(): Promise<void> {
    await this.#tell(async () => {
      const [checkpoints, samplers, schedulers] = await Promise.all([
        this.client.choices('CheckpointLoaderSimple', 'ckpt_name'),
        this.client.choices('KSampler', 'sampler_name'),
        this.client.choices('KSampler', 'scheduler'),
      ]);
      const [first] = checkpoints;
      if (first === undefined) this.offer ??= await this.look();
      Object.assign(this, { checkpoints, samplers, schedulers });
      if (first === undefined && this.offer) this.#prepare(this.offer);
      if (first !== undefined && !checkpoints.includes(this.settings.checkpoint)) await this.choose(first);
      await this.#loadPictures();
    });
  }

  /** The form is that of the model that can be had, before it is there. */
  #prepare({ model }: FirstModel): void {
    const { checkpoint, prompt } = this.settings;
    if (checkpoint !== model) this.change({ checkpoint: model, ...suggestedFor(model) });
    if (prompt === '') this.change({ prompt: strings.images.placeholder });
  }

  /** Takes another model, and the size that it was made for. */
  async choose(checkpoint: string): Promise<void> {
    const size = await this.client.resolution(checkpoint).catch(() => undefined);
    // All at once: the graph of these settings may be opened meanwhile.
    const ownSize = size && { width: size[0], height: size[1] };
    this.change({ checkpoint, ...suggestedFor(checkpoint), ...ownSize });
  }

  change(part: Partial<PictureSettings>): void {
    this.settings = { ...this.settings, ...part };
    localStorage.setItem(KEY, JSON.stringify(this.settings));
    this.changed();
  }

  use({ settings }: Picture): void {
    if (!settings) return;
    this.keepSeed = true;
    this.change(settings);
  }

  /** The download of the offered model, while it runs or after it has failed. */
  get fetching() {
    return this.pulls.active.find(({ model }) => model === this.offer?.model);
  }

  /** Gets the offered model, and makes the picture with it. */
  async getAndMake(): Promise<void> {
    if (!this.offer || !(await this.pulls.start(this.offer.model))) return;
    await this.load();
    if (this.settings.checkpoint !== '') await this.make();
  }

  async make(): Promise<void> {
    if (this.#abort) return;
    const abort = new AbortController();
    this.#abort = abort;
    if (!this.keepSeed) this.change({ seed: randomSeed() });
    this.making = { ahead: 0, step: 0, steps: this.settings.steps, preview: undefined };
    this.failure = undefined;
    this.changed();
    try {
      for await (const event of this.client.run(graphText(this.settings), abort.signal)) this.#follow(event);
    } catch (error) {
      if (!abort.signal.aborted) this.failure = errorText(error);
    } finally {
      if (this.making.preview) URL.revokeObjectURL(this.making.preview);
      this.making = undefined;
      this.#abort = undefined;
      this.changed();
    }
    await this.#tell(() => this.#loadPictures());
  }

  stop(): void {
    const { fetching } = this;
    if (fetching) this.pulls.cancel(fetching);
    this.#abort?.abort();
  }

  async delete(picture: Picture): Promise<void> {
    await this.#tell(async () => {
      await this.client.delete(picture.finished);
      await this.#loadPictures();
    });
  }

  #follow(event: PromptEvent): void {
    const making = this.making!;
    if (event.type === 'waiting') making.ahead = Math.max(0, event.ahead - 1);
    if (event.type === 'step') Object.assign(making, { step: event.step, steps: event.steps, ahead: 0 });
    if (event.type === 'preview') {
      if (making.preview) URL.revokeObjectURL(making.preview);
      making.preview = URL.createObjectURL(event.picture);
    }
    this.changed();
  }

  async #loadPictures(): Promise<void> {
    const finished = await this.client.finished(SHOWN);
    const known = new Map(this.pictures.map((picture) => [picture.finished.id, picture]));
    const shown = await Promise.all(
      finished.map(async (one) => known.get(one.id) ?? (await this.#picture(one).catch(() => undefined))),
    );
    this.pictures = shown.filter((picture) => picture !== undefined);
    for (const [id, { url }] of known) {
      if (!this.pictures.some(({ finished }) => finished.id === id)) URL.revokeObjectURL(url);
    }
    this.changed();
  }

  async #picture(finished: FinishedPrompt): Promise<Picture> {
    const url = URL.createObjectURL(await this.client.picture(finished.images[0]!));
    return { finished, url, settings: settingsOf(finished.graph) };
  }

  async #tell(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.failure = errorText(error);
    }
    this.changed();
  }
}

const usual: PictureSettings = {
  checkpoint: '',
  prompt: '',
  negative: '',
  width: 512,
  height: 512,
  steps: 20,
  guidance: 7,
  sampler: 'euler',
  scheduler: 'normal',
  seed: '0',
};
