import {
  ApiClient,
  type InstalledModel,
  type PullLine,
  type Recommendation,
  type RunningModel,
} from './api-client.ts';
import { ChatStore } from './chat/chat-store.ts';
import { Chats } from './chat/chats.ts';
import { ImageClient } from './images/image-client.ts';
import { ImageState } from './images/image-state.ts';
import { Pulls } from './pulls.ts';
import { strings } from './strings.ts';
import { errorText } from './ui/error-text.ts';

/** A question to the person, shown as a dialog. */
export interface Question {
  model: string;
  bytes: number;
  licence?: string;
  answer(yes: boolean): void;
}

/** What the app needs of the running tabd besides its API. */
export interface Backend {
  /** The path that this installation is known by on its origin. */
  readonly scope: string;
  fetch(input: string, init?: RequestInit): Promise<Response>;
  connect(url: string): WebSocket;
  /** Device name by display name of a loaded model. */
  devices(): Promise<Record<string, { kind: 'gpu' | 'cpu'; name: string; note?: string }>>;
  importFile(name: string, file: File, signal: AbortSignal): AsyncIterable<PullLine>;
  /** Connects this browser to the ports by the token of a link; undefined gives them back. */
  bridge(token: string | undefined): Promise<void>;
  /** Ends what this page runs. */
  stop(): Promise<void>;
}

const MODEL_KEY = 'tabd.model';

/** The state that views share; `change` is fired after every change. */
export class AppState extends EventTarget {
  installed: InstalledModel[] | undefined;
  running: RunningModel[] = [];
  suggestions: Recommendation[] = [];
  devices: Awaited<ReturnType<Backend['devices']>> = {};
  /** The model to chat with: the last one chosen, else the newest. */
  model: string | undefined;
  question: Question | undefined;
  failure: string | undefined;
  readonly api: ApiClient;
  readonly pulls: Pulls;
  readonly images: ImageState;
  readonly chats: Chats;

  constructor(readonly backend: Backend) {
    super();
    this.api = new ApiClient((input, init) => backend.fetch(input, init));
    this.pulls = new Pulls(this.api, () => this.changed(), localStorage);
    this.images = new ImageState(new ImageClient(backend), () => this.changed());
    this.chats = new Chats(new ChatStore(`tabd-app ${backend.scope}`), this);
  }

  changed(): void {
    this.dispatchEvent(new Event('change'));
  }

  async refresh(): Promise<void> {
    try {
      const [installed, running, devices] = await Promise.all([
        this.api.installed(),
        this.api.running(),
        this.backend.devices(),
      ]);
      Object.assign(this, { installed, running, devices, failure: undefined });
      const wanted = localStorage.getItem(MODEL_KEY);
      const names = this.chatModels!.map(({ name }) => name);
      this.model = names.find((name) => name === wanted) ?? names[0];
    } catch (error) {
      this.failure = errorText(error);
    }
    this.changed();
  }

  async loadSuggestions(): Promise<void> {
    this.suggestions = await this.api.recommended();
    this.changed();
  }

  /** Those that can be talked to: not models that give vectors of texts. */
  get chatModels(): InstalledModel[] | undefined {
    return this.installed?.filter(({ capabilities }) => capabilities?.includes('completion') ?? true);
  }

  /** undefined where it is not installed. */
  capabilities(model: string): readonly string[] | undefined {
    const found = this.installed?.find(({ name }) => name === model);
    return found && (found.capabilities ?? []);
  }

  choose(model: string): void {
    this.model = model;
    localStorage.setItem(MODEL_KEY, model);
    this.changed();
  }

  isLoaded(model: string): boolean {
    return this.running.some(({ name }) => name === model);
  }

  async deviceOf(model: string): Promise<string> {
    this.devices = await this.backend.devices();
    return this.devices[model]?.name ?? '';
  }

  /** The device in use, for the top bar. */
  get deviceLabel(): string {
    const [device] = Object.values(this.devices);
    return device?.name ?? strings.device.none;
  }

  async pull(model: string): Promise<void> {
    if (await this.pulls.start(model)) await this.refresh();
  }

  async importFile(file: File): Promise<void> {
    const name = modelNameOf(file.name);
    const done = await this.pulls.follow(name, (signal) => this.backend.importFile(name, file, signal));
    if (done) await this.refresh();
  }

  ask(model: string, bytes: number, licence: string | undefined): Promise<boolean> {
    return new Promise((resolve) => {
      this.question = {
        model,
        bytes,
        ...(licence === undefined ? {} : { licence }),
        answer: (yes) => {
          this.question = undefined;
          this.changed();
          resolve(yes);
        },
      };
      this.changed();
    });
  }
}

/** `SmolLM2-135M-Instruct.Q4_1.gguf` -> `smollm2-135m-instruct:q4_1` */
export function modelNameOf(fileName: string): string {
  const stem = fileName.replace(/\.gguf$/i, '').toLowerCase();
  const [, name = stem, tag] = /^(.*?)[.-]((?:i?q\d|f16|f32|bf16)[a-z0-9_]*)$/.exec(stem) ?? [];
  const clean = name.replace(/[^a-z0-9._-]+/g, '-').replace(/^[^a-z0-9]+/, '') || 'model';
  return tag === undefined ? clean : `${clean}:${tag}`;
}
