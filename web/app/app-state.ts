import { Deferred, errorMessage, withoutPartNumber } from '#core/base';
import type { LoadedModelEntry, ModelListEntry, PullLine, Recommendation } from './api-client.ts';
import { ChatStore } from './chat/chat-store.ts';
import { Chats } from './chat/chats.ts';
import { canChat, canEmbed } from './models/capabilities.ts';
import { deviceLabel, hasExpiredModel, haveModelsChanged } from './models/running-models.ts';
import type { ComputerConnection } from './servers/computer-connection.ts';
import { type ApiOrigins, findComputerOrigins } from './servers/computer-origins.ts';
import type { BackendConnection, ServerName } from './servers/connection.ts';
import { ServerSession } from './servers/server-session.ts';
import { appStrings } from './strings/app.ts';
import { modelStrings } from './strings/models.ts';

/** A question whether to download a model, shown as a dialog. */
export interface ConsentRequest {
  model: string;
  bytes: number;
  licence?: string;
  answer(yes: boolean): void;
}

/** The running tabd, without its API clients. */
export interface Backend {
  /** The path of this installation on its origin. */
  readonly scope: string;
  fetch(input: string, init?: RequestInit): Promise<Response>;
  connect(url: string): WebSocket;
  /** The device of each loaded model, by the model's name. */
  devices(): Promise<Record<string, { kind: 'gpu' | 'cpu'; name: string; note?: string }>>;
  importFile(name: string, files: readonly File[], signal: AbortSignal): AsyncIterable<PullLine>;
  /** Connects this browser to the ports by a link's token. Undefined disconnects it. */
  bridge(token: string | undefined): Promise<void>;
  /** Stops the server of this page. */
  stop(): Promise<void>;
}

const MODEL_KEY = 'tabd.model';
const SERVER_KEY = 'tabd.server';
/** The storage key of the computer's last addresses. The computer may be offline when the page opens. */
const COMPUTER_KEY = 'tabd.computer';
/** Milliseconds between attempts to reach a computer that does not answer. */
const RETRY_DELAY = 3000;

/** Milliseconds between checks of the loaded models. */
const LOADED_CHECK_INTERVAL = 5000;

/** The state that views share. Fires `change` after every change. */
export class AppState extends EventTarget {
  installed: ModelListEntry[] | undefined;
  running: LoadedModelEntry[] = [];
  suggestions: Recommendation[] = [];
  /** Whether the request for suggestions has ended, with or without a result. */
  suggestionsLoaded = false;
  devices: Awaited<ReturnType<Backend['devices']>> = {};
  /** The model to chat with: the chosen one, otherwise the first installed one. */
  model: string | undefined;
  consentRequest: ConsentRequest | undefined;
  failure: string | undefined;
  /** Whether the selected computer does not answer. */
  unreachable = false;
  /** Addresses of the computer that serves this page. Undefined when it offers no ports. */
  origins: ApiOrigins | undefined;
  readonly chats: Chats;
  readonly #modelsListed = new Deferred<void>();
  #session: ServerSession;
  readonly #tabSession: ServerSession;
  #retryTimer: ReturnType<typeof setTimeout> | undefined;
  #computerSession: (ServerSession & { connection: ComputerConnection }) | undefined;

  constructor(readonly backend: Backend) {
    super();
    this.#tabSession = new ServerSession(
      'tab',
      backend,
      () => this.changed(),
      (files) => this.importModel(files),
    );
    this.#session = this.#tabSession;
    this.chats = new Chats(new ChatStore(`tabd-app ${backend.scope}`), this);
  }

  /** Opens the server that the address names, or else the one that was selected last. */
  async start(): Promise<void> {
    setInterval(() => void this.#refreshIfOutdated(), LOADED_CHECK_INTERVAL);
    this.origins = JSON.parse(localStorage.getItem(COMPUTER_KEY) ?? 'null') ?? undefined;
    const looking = this.#findComputer();
    if (takeNamedServer() === 'computer' || localStorage.getItem(SERVER_KEY) === 'computer') {
      if (!this.origins) await looking;
      if (this.origins) return this.selectServer('computer');
    }
    await this.#load();
  }

  get modelsListed(): Promise<void> {
    return this.#modelsListed.promise;
  }

  get server(): ServerName {
    return this.#session.name;
  }

  /** Host name of the computer. Undefined when it is the one that shows this page. */
  get remoteHost(): string | undefined {
    const { hostname } = new URL(this.origins?.['local-models'] ?? 'http://localhost');
    return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname) ? undefined : hostname;
  }

  /** The connection of the selected server. Each server has its own object. */
  get connection(): BackendConnection {
    return this.#session.connection;
  }

  get api() {
    return this.#session.api;
  }

  get pulls() {
    return this.#session.pulls;
  }

  get session(): ServerSession {
    return this.#session;
  }

  get addedFiles() {
    return this.#session.addedFiles;
  }

  /** Shows another server. Work on the former server continues. */
  async selectServer(server: ServerName): Promise<void> {
    this.#session = server === 'tab' ? this.#tabSession : await this.#openComputerSession();
    localStorage.setItem(SERVER_KEY, server);
    Object.assign<AppState, Partial<AppState>>(this, {
      installed: undefined,
      running: [],
      suggestions: [],
      suggestionsLoaded: false,
      devices: {},
      model: undefined,
      failure: undefined,
      unreachable: false,
    });
    this.changed();
    await this.#load();
  }

  async #load(): Promise<void> {
    await Promise.all([this.refresh(), this.#loadSuggestions()]);
  }

  async #openComputerSession(): Promise<ServerSession> {
    if (this.#computerSession) return this.#computerSession;
    const { ComputerConnection } = await import('./servers/computer-connection.ts');
    const connection = new ComputerConnection(this.origins ?? {}, (yes) => this.#onReachable(yes));
    this.#computerSession = Object.assign(new ServerSession('computer', connection, () => this.changed()), {
      connection,
    });
    return this.#computerSession;
  }

  async #findComputer(): Promise<void> {
    const found = await findComputerOrigins();
    if (!found) return;
    this.origins = found;
    if (this.#computerSession) this.#computerSession.connection.origins = found;
    localStorage.setItem(COMPUTER_KEY, JSON.stringify(found));
    this.changed();
  }

  #onReachable(yes: boolean): void {
    if (this.server !== 'computer' || this.unreachable === !yes) return;
    this.unreachable = !yes;
    this.changed();
    if (!yes) this.#retryLater();
  }

  #retryLater(): void {
    clearTimeout(this.#retryTimer);
    this.#retryTimer = setTimeout(() => void this.#retry(), RETRY_DELAY);
  }

  /** Repeats itself until the computer answers or another server is selected. */
  async #retry(): Promise<void> {
    if (this.server !== 'computer' || !this.unreachable) return;
    await this.#findComputer();
    await this.#load();
    if (this.unreachable) this.#retryLater();
  }

  changed(): void {
    this.dispatchEvent(new Event('change'));
  }

  async refresh(): Promise<void> {
    const { api } = this;
    try {
      const [installed, running] = await Promise.all([api.installed(), api.running()]);
      const devices = await this.#devicesOf(running);
      // Another server may have been selected meanwhile.
      if (api !== this.api) return;
      Object.assign<AppState, Partial<AppState>>(this, { installed, running, devices, failure: undefined });
      const storedModel = localStorage.getItem(MODEL_KEY);
      const names = this.chatModels!.map(({ name }) => name);
      this.model = names.find((name) => name === storedModel) ?? names[0];
      this.#modelsListed.resolve();
    } catch (error) {
      if (api !== this.api) return;
      this.failure = errorMessage(error);
    }
    this.changed();
  }

  async #loadSuggestions(): Promise<void> {
    const { api } = this;
    // Suggestions are optional: a model can be downloaded by its name.
    const recommended = await api.recommended().catch(() => []);
    if (api !== this.api) return;
    const suggestions = recommended.map((suggestion) => ({
      ...suggestion,
      description: modelStrings.description(suggestion.model, suggestion.description),
    }));
    Object.assign<AppState, Partial<AppState>>(this, { suggestions, suggestionsLoaded: true });
    this.changed();
  }

  /** Through the ports, only the share of a model on the GPU is available, not the name of the device. */
  async #devicesOf(running: readonly LoadedModelEntry[]): Promise<AppState['devices']> {
    if (this.server === 'tab') return this.backend.devices();
    const deviceOfModel = ({ name, size_vram }: LoadedModelEntry) => {
      const kind = size_vram > 0 ? 'gpu' : 'cpu';
      return [name, { kind, name: appStrings.device[kind] }];
    };
    return Object.fromEntries(running.map(deviceOfModel));
  }

  /** The installed models that can chat. */
  get chatModels(): ModelListEntry[] | undefined {
    return this.installed?.filter(canChat);
  }

  /** Undefined when the model is not installed. */
  capabilities(model: string): readonly string[] | undefined {
    const found = this.installed?.find(({ name }) => name === model);
    return found && (found.capabilities ?? []);
  }

  chooseModel(model: string): void {
    this.model = model;
    localStorage.setItem(MODEL_KEY, model);
    this.changed();
  }

  isLoaded(model: string): boolean {
    return this.running.some(({ name }) => name === model);
  }

  /** A model for embeddings, if possible one that is loaded. */
  get embeddingModel(): string | undefined {
    const names = this.installed?.filter(canEmbed).map(({ name }) => name) ?? [];
    return names.find((name) => this.isLoaded(name)) ?? names[0];
  }

  contextLength(model: string): number | undefined {
    return this.running.find(({ name }) => name === model)?.context_length;
  }

  async deviceOf(model: string): Promise<string> {
    this.devices = await this.#devicesOf(this.server === 'tab' ? [] : await this.api.running());
    return this.devices[model]?.name ?? '';
  }

  /** The device of the loaded model, or the model that loads next. */
  get deviceLabel(): string {
    return deviceLabel(this.devices, this.chats.model, this.installed);
  }

  /** Refreshes the models if another client has loaded one, or one has unloaded after its time. */
  async #refreshIfOutdated(): Promise<void> {
    if (document.hidden || this.installed === undefined) return;
    if (this.server === 'tab') {
      const devices = await this.backend.devices().catch(() => undefined);
      if (devices && this.server === 'tab' && haveModelsChanged(this.devices, devices)) await this.refresh();
    } else if (hasExpiredModel(this.running, Date.now())) await this.refresh();
  }

  async pull(model: string): Promise<void> {
    if (await this.pulls.start(model)) await this.refresh();
  }

  /** Imports a language model. @param files one file, or all parts of one that was split */
  async importModel(files: readonly File[]): Promise<void> {
    const name = modelNameOf(files[0]!.name);
    const done = await this.pulls.followImport(name, (signal) =>
      this.backend.importFile(name, files, signal),
    );
    if (done) await this.refresh();
  }

  askConsent(model: string, bytes: number, licence: string | undefined): Promise<boolean> {
    return new Promise((resolve) => {
      this.consentRequest = {
        model,
        bytes,
        ...(licence === undefined ? {} : { licence }),
        answer: (yes) => {
          this.consentRequest = undefined;
          this.changed();
          resolve(yes);
        },
      };
      this.changed();
    });
  }
}

/** `SmolLM2-135M-Instruct.Q4_1.gguf` or one of its parts -> `smollm2-135m-instruct:q4_1` */
export function modelNameOf(fileName: string): string {
  const stem = withoutPartNumber(fileName)
    .replace(/\.gguf$/i, '')
    .toLowerCase();
  const [, name = stem, tag] = /^(.*?)[.-]((?:i?q\d|f16|f32|bf16)[a-z0-9_]*)$/.exec(stem) ?? [];
  const clean = name.replace(/[^a-z0-9._-]+/g, '-').replace(/^[^a-z0-9]+/, '') || 'model';
  return tag === undefined ? clean : `${clean}:${tag}`;
}

/** Reads `?server=` and removes it from the address, so that a reload keeps a later choice. */
function takeNamedServer(): string | null {
  const address = new URL(location.href);
  const named = address.searchParams.get('server');
  if (named === null) return null;
  address.searchParams.delete('server');
  history.replaceState(history.state, '', address);
  return named;
}
