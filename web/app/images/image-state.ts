import {
  graphText,
  type ImageSettings,
  imageSettingsOf,
  randomSeed,
  suggestedSettings,
} from '#core/api-client';
import { errorMessage } from '#core/base';
import type { Pulls } from '../models/pulls.ts';
import { imageStrings } from '../strings/images.ts';
import { type BundledModel, findBundledModel } from './first-model.ts';
import type { FinishedPrompt, ImageClient, PromptEvent } from './image-client.ts';

export interface GalleryImage {
  finished: FinishedPrompt;
  /** Object URL of its first image. */
  url: string;
  settings: ImageSettings | undefined;
}

/** Progress of the running prompt. */
export interface GenerationProgress {
  ahead: number;
  step: number;
  steps: number;
  preview: string | undefined;
}

const KEY = 'tabd.picture';
const GALLERY_SIZE = 60;

/** State and actions of the form in the images view. */
export class ImageState {
  /** Installed checkpoints. Undefined until they are loaded. */
  checkpoints: string[] | undefined;
  /** The model to install when there is no checkpoint. */
  offer: BundledModel | undefined;
  samplers: string[] = [];
  schedulers: string[] = [];
  settings: ImageSettings;
  keepSeed = false;
  generation: GenerationProgress | undefined;
  failure: string | undefined;
  gallery: GalleryImage[] = [];
  #abort: AbortController | undefined;

  constructor(
    private readonly client: ImageClient,
    private readonly pulls: Pick<Pulls, 'start' | 'cancel' | 'active'>,
    private readonly changed: () => void,
    private readonly findModel: () => Promise<BundledModel | undefined> = findBundledModel,
  ) {
    this.settings = {
      ...defaultSettings,
      ...(JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<ImageSettings>),
    };
  }

  async load(): Promise<void> {
    await this.#attempt(async () => {
      const [checkpoints, samplers, schedulers] = await Promise.all([
        this.client.choices('CheckpointLoaderSimple', 'ckpt_name'),
        this.client.choices('KSampler', 'sampler_name'),
        this.client.choices('KSampler', 'scheduler'),
      ]);
      const [first] = checkpoints;
      if (first === undefined) this.offer ??= await this.findModel();
      Object.assign(this, { checkpoints, samplers, schedulers });
      if (first === undefined && this.offer) this.#prepare(this.offer);
      if (first !== undefined && !checkpoints.includes(this.settings.checkpoint)) await this.choose(first);
      await this.#loadGallery();
    });
  }

  /** Sets the form up for the offered model before it is installed. */
  #prepare({ model }: BundledModel): void {
    const { checkpoint, prompt } = this.settings;
    if (checkpoint !== model) this.change({ checkpoint: model, ...suggestedSettings(model) });
    if (prompt === '') this.change({ prompt: imageStrings.placeholder });
  }

  /** Selects another checkpoint, with the settings and size that suit it. */
  async choose(checkpoint: string): Promise<void> {
    const size = await this.client.resolution(checkpoint).catch(() => undefined);
    // All settings change at once, because the graph editor may open the graph of these settings at any time.
    const ownSize = size && { width: size[0], height: size[1] };
    this.change({ checkpoint, ...suggestedSettings(checkpoint), ...ownSize });
  }

  change(part: Partial<ImageSettings>): void {
    this.settings = { ...this.settings, ...part };
    localStorage.setItem(KEY, JSON.stringify(this.settings));
    this.changed();
  }

  reuseSettings({ settings }: GalleryImage): void {
    if (!settings) return;
    this.keepSeed = true;
    this.change(settings);
  }

  /** The download of the offered model, while it runs or after it has failed. */
  get download() {
    return this.pulls.active.find(({ model }) => model === this.offer?.model);
  }

  /** Installs the offered model, then generates an image with it. */
  async installAndGenerate(): Promise<void> {
    if (!this.offer || !(await this.pulls.start(this.offer.model))) return;
    await this.load();
    if (this.settings.checkpoint !== '') await this.generate();
  }

  async generate(): Promise<void> {
    if (this.#abort) return;
    const abort = new AbortController();
    this.#abort = abort;
    if (!this.keepSeed) this.change({ seed: randomSeed() });
    this.generation = { ahead: 0, step: 0, steps: this.settings.steps, preview: undefined };
    this.failure = undefined;
    this.changed();
    try {
      for await (const event of this.client.run(graphText(this.settings), abort.signal)) this.#follow(event);
    } catch (error) {
      if (!abort.signal.aborted) this.failure = errorMessage(error);
    } finally {
      if (this.generation.preview) URL.revokeObjectURL(this.generation.preview);
      this.generation = undefined;
      this.#abort = undefined;
      this.changed();
    }
    await this.#attempt(() => this.#loadGallery());
  }

  stop(): void {
    const { download } = this;
    if (download) this.pulls.cancel(download);
    this.#abort?.abort();
  }

  async delete(image: GalleryImage): Promise<void> {
    await this.#attempt(async () => {
      await this.client.delete(image.finished);
      await this.#loadGallery();
    });
  }

  #follow(event: PromptEvent): void {
    const generation = this.generation!;
    if (event.type === 'waiting') generation.ahead = Math.max(0, event.ahead - 1);
    if (event.type === 'step') Object.assign(generation, { step: event.step, steps: event.steps, ahead: 0 });
    if (event.type === 'preview') {
      if (generation.preview) URL.revokeObjectURL(generation.preview);
      generation.preview = URL.createObjectURL(event.image);
    }
    this.changed();
  }

  async #loadGallery(): Promise<void> {
    const finished = await this.client.finishedPrompts(GALLERY_SIZE);
    const loaded = new Map(this.gallery.map((image) => [image.finished.id, image]));
    const shown = await Promise.all(
      finished.map(
        async (prompt) => loaded.get(prompt.id) ?? (await this.#loadImage(prompt).catch(() => undefined)),
      ),
    );
    this.gallery = shown.filter((image) => image !== undefined);
    for (const [id, { url }] of loaded) {
      if (!this.gallery.some(({ finished }) => finished.id === id)) URL.revokeObjectURL(url);
    }
    this.changed();
  }

  async #loadImage(finished: FinishedPrompt): Promise<GalleryImage> {
    const url = URL.createObjectURL(await this.client.viewFile(finished.images[0]!));
    return { finished, url, settings: imageSettingsOf(finished.graph) };
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.failure = errorMessage(error);
    }
    this.changed();
  }
}

const defaultSettings: ImageSettings = {
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
