import { errorMessage } from '#core/base';
import type { AnswerToolCall } from '../api-client.ts';
import type { ChatHost } from './chat-host.ts';
import type { ChatStore } from './chat-store.ts';
import { canContinue, MAX_AGE } from './continue-answer.ts';
import {
  type ChatSettings,
  type Conversation,
  chatRequestBody,
  copyPath,
  newConversation,
  newestLeaf,
  pathTo,
  type Turn,
  titleOf,
} from './conversation.ts';
import { asCutOff, runAnswer } from './run-answer.ts';

const CURRENT_KEY = 'tabd.conversation';

const lockName = (turn: Turn) => `tabd-app:answer:${turn.id}`;

/**
 * The conversations of this browser. Answers continue while another view is open. A tab holds a lock while it generates
 * an answer: when the lock is free and the answer is incomplete, the tab was closed.
 */
export class Chats {
  /** Newest first. Undefined until the store was read. */
  list: Conversation[] | undefined;
  /** The message of the last failed read or write. */
  failure: string | undefined;
  readonly drafts = new Map<string, string>();
  #current: string | undefined;
  #newConversation = newConversation();
  readonly #turns = new Map<string, Turn[]>();
  /** The answers that this tab generates, by the id of the turn. */
  readonly #answering = new Map<string, AbortController>();
  readonly #watched = new Set<string>();
  readonly #channel: BroadcastChannel;

  constructor(
    readonly store: ChatStore,
    readonly host: ChatHost,
  ) {
    this.#channel = new BroadcastChannel(store.name);
    this.#channel.onmessage = ({ data }) => void this.#onOtherTabChange(data as string);
    this.#current = sessionStorage.getItem(CURRENT_KEY) ?? undefined;
  }

  /** Reads the stored conversations and opens the current one. */
  async start(): Promise<void> {
    await this.#readList();
    if (this.#current !== undefined) await this.open(this.#current);
    this.host.changed();
    await this.#attempt(() => this.#watchLatestAnswers());
  }

  /** The shown conversation. It is stored with its first message. */
  get conversation(): Conversation {
    return this.list?.find(({ id }) => id === this.#current) ?? this.#newConversation;
  }

  get isNew(): boolean {
    return this.conversation === this.#newConversation;
  }

  /** All turns of the shown conversation. Undefined until they were read. */
  get turns(): readonly Turn[] | undefined {
    return this.isNew ? [] : this.#turns.get(this.conversation.id);
  }

  get shownTurns(): Turn[] {
    return pathTo(this.turns ?? [], this.conversation.leaf);
  }

  get runningTurn(): Turn | undefined {
    return this.shownTurns.find(({ state }) => state === 'running');
  }

  /** Whether this tab generates the answer, so that it can stop it. */
  isOwn(turn: Turn): boolean {
    return this.#answering.has(turn.id);
  }

  isBusy(conversation: string): boolean {
    return this.#turns.get(conversation)?.some(({ state }) => state === 'running') ?? false;
  }

  /** The model of the next answer. */
  get model(): string | undefined {
    const { model } = this.conversation;
    return model !== undefined && this.host.capabilities(model) ? model : this.host.model;
  }

  /** Shows a conversation. Resolves to false when the id is unknown. */
  async open(id: string): Promise<boolean> {
    if (this.list === undefined) await this.#readList();
    const exists = this.list?.some((conversation) => conversation.id === id) ?? false;
    if (!exists) return false;
    this.#current = id;
    sessionStorage.setItem(CURRENT_KEY, id);
    if (!this.#turns.has(id)) await this.#readTurns(id);
    this.host.changed();
    return true;
  }

  startNew(): void {
    const { model, settings } = this.#newConversation;
    this.#newConversation = {
      ...newConversation(),
      ...(this.isNew && { settings, ...(model && { model }) }),
    };
    this.#current = undefined;
    sessionStorage.removeItem(CURRENT_KEY);
    this.host.changed();
  }

  async send(content: string, images: string[] = []): Promise<void> {
    const turn = this.#turn('user', content, this.conversation.leaf);
    if (images.length > 0) turn.images = images;
    await this.#sendTurn(turn);
  }

  /** Adds another version of a message and generates its answer. */
  async edit(turn: Turn, content: string): Promise<void> {
    const again = this.#turn('user', content, turn.parent);
    if (turn.images) again.images = turn.images;
    await this.#sendTurn(again);
  }

  /** Adds the result of a tool call. After the last call's result the model continues. */
  async sendToolResult(answer: Turn, call: AnswerToolCall, content: string): Promise<void> {
    const results = pathTo(this.turns ?? [], this.conversation.leaf).filter(({ role }) => role === 'tool');
    const turn = this.#turn('tool', content, this.conversation.leaf ?? answer.id);
    turn.toolName = call.function.name;
    if (call.id !== undefined) turn.toolCallId = call.id;
    const after = results.filter(({ at }) => at >= answer.at).length + 1;
    // The model needs the results of all calls.
    if (after < (answer.toolCalls?.length ?? 1)) await this.#saveConversation(this.conversation, [turn]);
    else await this.#sendTurn(turn);
  }

  retry(answer: Turn): Promise<void> {
    return this.#generateAnswer(this.conversation, answer.parent);
  }

  stop(turn: Turn): void {
    this.#answering.get(turn.id)?.abort();
  }

  /** Shows the branch that goes through `turn`. */
  async showBranch(turn: Turn): Promise<void> {
    const leaf = newestLeaf(this.turns ?? [], turn).id;
    await this.#saveConversation({ ...this.conversation, leaf }, [], false);
  }

  /** Shows a new conversation with copies of the turns up to `turn`. Resolves to its id. */
  async fork(turn: Turn): Promise<string> {
    const from = this.conversation;
    const path = pathTo(this.turns ?? [], turn.id);
    const fork: Conversation = { ...newConversation(), settings: from.settings, title: from.title };
    if (from.model !== undefined) fork.model = from.model;
    const turns = copyPath(path, fork.id);
    fork.leaf = turns.at(-1)!.id;
    await this.#saveConversation(fork, turns);
    await this.open(fork.id);
    return fork.id;
  }

  async update(change: { model?: string; settings?: ChatSettings }): Promise<void> {
    if (this.isNew) {
      Object.assign(this.#newConversation, change);
      this.host.changed();
    } else await this.#saveConversation({ ...this.conversation, ...change }, [], false);
  }

  async rename(id: string, title: string): Promise<void> {
    const named = this.list?.find((conversation) => conversation.id === id);
    if (named && title.trim() !== '')
      await this.#saveConversation({ ...named, title: title.trim() }, [], false);
  }

  async delete(id: string): Promise<void> {
    for (const turn of this.#turns.get(id) ?? []) this.stop(turn);
    await this.#attempt(() => this.store.delete(id));
    this.list = this.list?.filter((conversation) => conversation.id !== id);
    this.#turns.delete(id);
    if (this.#current === id) this.startNew();
    this.#channel.postMessage(id);
    this.host.changed();
  }

  /** Stores the conversations of an export file. Resolves to their number. */
  async importChats(imported: { conversation: Conversation; turns: Turn[] }[]): Promise<number> {
    for (const { conversation, turns } of imported) {
      await this.store.put(conversation, turns);
      this.#channel.postMessage(conversation.id);
    }
    await this.#readList();
    this.host.changed();
    return imported.length;
  }

  #turn(role: Turn['role'], content: string, parent: string | undefined): Turn {
    const { id: conversation } = this.conversation;
    const turn: Turn = {
      id: crypto.randomUUID(),
      conversation,
      role,
      content,
      state: 'done',
      at: this.#nextTime(conversation),
    };
    if (parent !== undefined) turn.parent = parent;
    return turn;
  }

  /** The current time, but later than all turns, because turns are ordered by their times. */
  #nextTime(conversation: string): number {
    const last = this.#turns.get(conversation)?.reduce((latest, { at }) => Math.max(latest, at), 0) ?? 0;
    return Math.max(Date.now(), last + 1);
  }

  async #sendTurn(turn: Turn): Promise<void> {
    const { conversation } = this;
    const title = conversation.title || titleOf(turn.content);
    const titled: Conversation = { ...conversation, title };
    if (this.isNew) {
      this.#turns.set(titled.id, []);
      this.#current = titled.id;
      sessionStorage.setItem(CURRENT_KEY, titled.id);
      this.#newConversation = newConversation();
    }
    await this.#saveConversation(titled, [turn]);
    const now = this.list?.find(({ id }) => id === titled.id);
    if (now) await this.#generateAnswer(now, turn.id);
  }

  async #generateAnswer(conversation: Conversation, parent: string | undefined): Promise<void> {
    const { host, model } = this;
    if (model === undefined) return;
    const request = this.#chatRequest(model, conversation, parent);
    const turn: Turn = {
      id: crypto.randomUUID(),
      conversation: conversation.id,
      role: 'assistant',
      content: '',
      state: 'running',
      waiting: host.isLoaded(model) ? 'reading' : 'loading',
      model,
      at: this.#nextTime(conversation.id),
    };
    if (parent !== undefined) turn.parent = parent;
    if (request.format !== undefined) turn.json = true;
    this.#answering.set(turn.id, new AbortController());
    await navigator.locks.request(lockName(turn), async () => {
      await this.#saveConversation({ ...conversation, model }, [turn]);
      await this.#runAnswer(turn, request, false);
    });
    void host.refresh();
  }

  #chatRequest(model: string, { id, settings }: Conversation, parent: string | undefined) {
    const path = pathTo(this.#turns.get(id) ?? [], parent);
    return chatRequestBody(model, settings, path, this.host.capabilities(model));
  }

  /** Generates an answer, or the rest of an interrupted one. The caller holds its lock. */
  async #runAnswer(turn: Turn, request: Record<string, unknown>, isContinued: boolean): Promise<void> {
    const abort = this.#answering.get(turn.id) ?? new AbortController();
    this.#answering.set(turn.id, abort);
    const ended = await runAnswer({
      turn,
      request,
      isContinued,
      signal: abort.signal,
      api: this.host.api,
      device: () => this.host.deviceOf(turn.model!),
      show: (next) => this.#replaceTurn(next),
      save: (next) => this.#saveTurn(next),
    });
    this.#answering.delete(turn.id);
    this.#replaceTurn(ended);
    await this.#saveTurn(ended);
  }

  #replaceTurn(turn: Turn): void {
    const turns = this.#turns.get(turn.conversation);
    if (!turns) return;
    const at = turns.findIndex(({ id }) => id === turn.id);
    this.#turns.set(turn.conversation, at < 0 ? [...turns, turn] : turns.with(at, turn));
    this.host.changed();
  }

  async #saveTurn(turn: Turn): Promise<void> {
    await this.#attempt(async () => {
      if (!(await this.store.putTurn(turn))) this.stop(turn);
      this.#channel.postMessage(turn.conversation);
    });
  }

  /** Shows and stores a conversation with new turns. The last of them becomes the leaf of the shown branch. */
  async #saveConversation(conversation: Conversation, turns: Turn[], touched = true): Promise<void> {
    const saved = { ...conversation };
    const last = turns.at(-1);
    if (last) saved.leaf = last.id;
    if (touched) saved.updated = Date.now();
    const others = (this.list ?? []).filter(({ id }) => id !== saved.id);
    this.list = [saved, ...others].sort((a, b) => b.updated - a.updated);
    if (turns.length > 0) this.#turns.set(saved.id, [...(this.#turns.get(saved.id) ?? []), ...turns]);
    this.host.changed();
    await this.#attempt(() => this.store.put(saved, turns));
    this.#channel.postMessage(saved.id);
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.failure = undefined;
    } catch (error) {
      this.failure = errorMessage(error);
      this.host.changed();
    }
  }

  async #readList(): Promise<void> {
    await this.#attempt(async () => {
      this.list = await this.store.list();
    });
    this.list ??= [];
  }

  async #readTurns(id: string): Promise<void> {
    await this.#attempt(async () => {
      const stored = await this.store.turns(id);
      const mine = (this.#turns.get(id) ?? []).filter((turn) => this.isOwn(turn));
      const turns = stored.map((turn) => mine.find(({ id: ownId }) => ownId === turn.id) ?? turn);
      this.#turns.set(id, turns);
      for (const turn of turns)
        if (!this.isOwn(turn) && (turn.state === 'running' || canContinue(turn))) this.#watchAnswer(turn);
    });
  }

  /** Watches the answers that tabs generated last: one that was interrupted is continued, also where nobody opens it. */
  async #watchLatestAnswers(): Promise<void> {
    for (const { id, leaf, updated } of this.list ?? []) {
      if (Date.now() - updated > MAX_AGE) return;
      const turn = leaf === undefined ? undefined : await this.store.turn(leaf);
      if (turn && canContinue(turn) && !this.#turns.has(id)) await this.#readTurns(id);
    }
  }

  /** Waits for the lock of another tab's answer. An answer that is incomplete then was interrupted. */
  #watchAnswer(turn: Turn): void {
    if (this.#watched.has(turn.id)) return;
    this.#watched.add(turn.id);
    void navigator.locks.request(lockName(turn), async () => {
      await this.#attempt(() => this.#continueAnswer(turn.id));
      this.#watched.delete(turn.id);
    });
  }

  /** Continues an interrupted answer if its model is installed. The caller holds its lock. */
  async #continueAnswer(id: string): Promise<void> {
    const stored = await this.store.turn(id);
    if (!stored) return;
    const turn = stored.state === 'running' ? asCutOff(stored) : stored;
    if (turn !== stored) await this.#saveTurn(turn);
    await this.#readTurns(turn.conversation);
    this.host.changed();
    if (!canContinue(turn)) return;
    await this.host.modelsListed;
    const conversation = this.list?.find((each) => each.id === turn.conversation);
    const { model = '' } = turn;
    if (!conversation || !this.host.capabilities(model)) return;
    await this.#runAnswer(turn, this.#chatRequest(model, conversation, turn.parent), true);
  }

  /** Reads a conversation that another tab has changed. */
  async #onOtherTabChange(id: string): Promise<void> {
    await this.#readList();
    const there = this.list?.some((exists) => exists.id === id) ?? false;
    if (!there) {
      for (const turn of this.#turns.get(id) ?? []) this.stop(turn);
      this.#turns.delete(id);
      if (this.#current === id) this.startNew();
    } else if (this.#turns.has(id)) await this.#readTurns(id);
    this.host.changed();
  }
}
