import { type ImageSettings, imageSettingsOf, randomSeed, suggestedSettings } from '#core/api-client';
import { errorMessage } from '#core/base';
import type { Pulls } from '../models/pulls.ts';
import { imageStrings } from '../strings/images.ts';
import { type BundledModel, findBundledModel } from './first-model.ts';
import { formGraph, upscaleGraph } from './form-graph.ts';
import type { FinishedPrompt, ImageClient, ImageFile, PromptEvent } from './image-client.ts';
import { type StartImage, USUAL_STRENGTH } from './start-image.ts';

export interface GalleryImage {
  finished: FinishedPrompt;
  file: ImageFile;
  /** Object URL of the file. */
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
  /** Installed models that enlarge images. */
  upscalers: string[] = [];
  samplers: string[] = [];
  schedulers: string[] = [];
  settings: ImageSettings;
  keepSeed = false;
  /** Number of images of the next prompt. */
  count = 1;
  /** The image to change. Undefined: the next image is made of the text alone. */
  start: StartImage | undefined;
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
      const [checkpoints, samplers, schedulers, upscalers] = await Promise.all([
        this.client.choices('CheckpointLoaderSimple', 'ckpt_name'),
        this.client.choices('KSampler', 'sampler_name'),
        this.client.choices('KSampler', 'scheduler'),
        this.client.choices('UpscaleModelLoader', 'model_name'),
      ]);
      const [first] = checkpoints;
      if (first === undefined) this.offer ??= await this.findModel();
      Object.assign(this, { checkpoints, samplers, schedulers, upscalers });
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
    const part = { checkpoint, ...suggestedSettings(checkpoint), ...ownSize };
    if (ownSize) return this.change(part);
    // Files that are still being copied state no size. The choice is not stored, so that the next visit looks again.
    this.#apply(part);
  }

  change(part: Partial<ImageSettings>): void {
    this.#apply(part);
    localStorage.setItem(KEY, JSON.stringify(this.settings));
  }

  #apply(part: Partial<ImageSettings>): void {
    this.settings = { ...this.settings, ...part };
    this.changed();
  }

  /**
   * Begins with this image. A file that is no image becomes the failure that the view shows.
   * @param file a PNG, JPEG or another image that the browser reads
   */
  async startWith(file: Blob): Promise<void> {
    await this.#attempt(async () => {
      const bitmap = await createImageBitmap(file).catch(() => {
        throw new Error(imageStrings.notAnImage);
      });
      this.removeStart();
      this.failure = undefined;
      this.start = { bitmap, lines: [], strength: USUAL_STRENGTH };
    });
  }

  /** Begins with an image of the gallery and its settings, with another seed. */
  async edit(image: GalleryImage): Promise<void> {
    if (image.settings) this.change(image.settings);
    await this.#attempt(async () => this.startWith(await this.client.viewFile(image.file)));
  }

  changeStart(part: Partial<Pick<StartImage, 'lines' | 'strength'>>): void {
    if (this.start) this.start = { ...this.start, ...part };
    this.changed();
  }

  removeStart(): void {
    this.start?.bitmap.close();
    this.start = undefined;
    this.changed();
  }

  setCount(count: number): void {
    this.count = count;
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
    if (!this.keepSeed) this.change({ seed: randomSeed() });
    await this.#run((signal) => formGraph(this, this.client, signal));
  }

  /** Makes the image larger by the first model that can do it. */
  async upscale({ file }: GalleryImage): Promise<void> {
    const [model] = this.upscalers;
    if (this.#abort || model === undefined) return;
    await this.#run(async (signal) =>
      upscaleGraph(model, await this.client.uploadTemporary(await this.client.viewFile(file), signal)),
    );
  }

  /** Runs a graph and shows its progress. */
  async #run(graphOf: (signal: AbortSignal) => Promise<string>): Promise<void> {
    const abort = new AbortController();
    this.#abort = abort;
    this.generation = { ahead: 0, step: 0, steps: this.settings.steps, preview: undefined };
    this.failure = undefined;
    this.changed();
    try {
      const graph = await graphOf(abort.signal);
      for await (const event of this.client.run(graph, abort.signal)) this.#follow(event);
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

  /** Deletes an image, and the prompt of which it is the last image. */
  async delete(image: GalleryImage): Promise<void> {
    await this.#attempt(async () => {
      await this.client.deleteFile(image.file);
      const { id } = image.finished;
      const isLast = !this.gallery.some((other) => other !== image && other.finished.id === id);
      if (isLast) await this.client.deletePrompt(id);
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
    const loaded = new Map(this.gallery.map((image) => [keyOf(image), image]));
    const shown = await Promise.all(
      finished.flatMap((prompt) =>
        prompt.images.map(
          async (file) =>
            loaded.get(keyOf({ finished: prompt, file })) ??
            // A deleted file of a batch is still in the history.
            (await this.#loadImage(prompt, file).catch(() => undefined)),
        ),
      ),
    );
    this.gallery = shown.filter((image) => image !== undefined);
    const shownUrls = new Set(this.gallery.map(({ url }) => url));
    for (const { url } of loaded.values()) if (!shownUrls.has(url)) URL.revokeObjectURL(url);
    this.changed();
  }

  async #loadImage(finished: FinishedPrompt, file: ImageFile): Promise<GalleryImage> {
    const url = URL.createObjectURL(await this.client.viewFile(file));
    return { finished, file, url, settings: imageSettingsOf(finished.graph) };
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

const keyOf = ({ finished, file }: Pick<GalleryImage, 'finished' | 'file'>) =>
  `${finished.id}/${file.subfolder}/${file.filename}`;

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
