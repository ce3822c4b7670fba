import { errorMessage } from '#core/base';
import type { AnswerToolCall } from '../api-client.ts';
import type { ChatHost } from './chat-host.ts';
import type { ChatStore } from './chat-store.ts';
import { canContinue } from './continue-answer.ts';
import {
  type ChatSettings,
  type Conversation,
  chatRequestBody,
  editedTurn,
  forkOf,
  newConversation,
  newestLeaf,
  newTurn,
  pathTo,
  type Turn,
  titleOf,
} from './conversation.ts';
import { InterruptedAnswers, lockName } from './interrupted-answers.ts';
import { type Attachments, MessageQueue } from './message-queue.ts';
import { runAnswer } from './run-answer.ts';

const CURRENT_KEY = 'tabd.conversation';

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
  readonly queue = new MessageQueue();
  readonly #interrupted: InterruptedAnswers;
  readonly #channel: BroadcastChannel;

  constructor(
    readonly store: ChatStore,
    readonly host: ChatHost,
  ) {
    this.#interrupted = new InterruptedAnswers(store, host, {
      attempt: (work) => this.#attempt(work),
      save: (turn) => this.#saveTurn(turn),
      read: async (id) => {
        await this.#readTurns(id);
        this.host.changed();
      },
      continue: async (turn, model) => {
        const conversation = this.list?.find(({ id }) => id === turn.conversation);
        if (!conversation) return;
        await this.#runAnswer(turn, this.#chatRequest(model, conversation, turn.parent), true);
      },
    });
    this.#channel = new BroadcastChannel(store.name);
    this.#channel.onmessage = ({ data }) => void this.#onOtherTabChange(data as string);
    this.#current = sessionStorage.getItem(CURRENT_KEY) ?? undefined;
  }

  /** Reads the stored conversations and opens the current one. */
  async start(): Promise<void> {
    await this.#readList();
    if (this.#current !== undefined) await this.open(this.#current);
    this.host.changed();
    await this.#attempt(async () => {
      for (const id of await this.#interrupted.conversations(this.list ?? []))
        if (!this.#turns.has(id)) await this.#readTurns(id);
    });
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

  /** Sends a message. While this conversation generates an answer, the message waits for its end. */
  async send(content: string, { images = [], documents = [] }: Attachments = {}): Promise<void> {
    if (this.runningTurn) {
      this.queue.add(this.conversation.id, { content, images, documents });
      return this.host.changed();
    }
    const turn = this.#turn('user', content, this.conversation.leaf, { images, documents });
    await this.#sendTurn(turn);
  }

  /** Adds another version of a message and generates its answer. */
  async edit(turn: Turn, content: string): Promise<void> {
    const again = this.#turn('user', content, turn.parent, turn);
    await this.#sendTurn(again);
  }

  /** Adds another version of an answer, with the user's text. */
  async editAnswer(answer: Turn, content: string): Promise<void> {
    const edited = editedTurn(answer, content, this.#nextTime(answer.conversation));
    await this.#saveConversation(this.conversation, [edited]);
  }

  /** Continues an answer that ended early. Its text grows in place, beyond a limit of its length. */
  async continue(answer: Turn): Promise<void> {
    const { model } = this;
    if (model === undefined) return;
    const { num_predict, ...settings } = this.conversation.settings;
    const request = this.#chatRequest(model, { ...this.conversation, settings }, answer.parent);
    const { error, attempts, stats, ...rest } = answer;
    const turn = this.#running(rest, model);
    this.#answering.set(turn.id, new AbortController());
    this.#replaceTurn(turn);
    await navigator.locks.request(lockName(turn), () => this.#runAnswer(turn, request, true));
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
    const { conversation: fork, turns } = forkOf(this.conversation, pathTo(this.turns ?? [], turn.id));
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

  /** Pins a conversation above the others, or unpins it. */
  async pin(id: string, pinned: boolean): Promise<void> {
    const found = this.list?.find((conversation) => conversation.id === id);
    if (found) await this.#saveConversation({ ...found, pinned }, [], false);
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

  #turn(role: Turn['role'], content: string, parent: string | undefined, attached: Attachments = {}): Turn {
    const { id } = this.conversation;
    return newTurn(role, content, { conversation: id, parent, at: this.#nextTime(id) }, attached);
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
    const { model } = this;
    if (model === undefined) return;
    const request = this.#chatRequest(model, conversation, parent);
    const place = { conversation: conversation.id, parent, at: this.#nextTime(conversation.id) };
    const turn = this.#running(newTurn('assistant', '', place), model);
    if (request.format !== undefined) turn.json = true;
    this.#answering.set(turn.id, new AbortController());
    await navigator.locks.request(lockName(turn), async () => {
      await this.#saveConversation({ ...conversation, model }, [turn]);
      await this.#runAnswer(turn, request, false);
    });
  }

  #chatRequest(model: string, { id, settings }: Conversation, parent: string | undefined) {
    const path = pathTo(this.#turns.get(id) ?? [], parent);
    return chatRequestBody(model, settings, path, this.host.capabilities(model));
  }

  #running(turn: Turn, model: string): Turn {
    return { ...turn, state: 'running', waiting: this.host.isLoaded(model) ? 'reading' : 'loading', model };
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
    void this.host.refresh();
    // Not awaited, because the caller holds the lock of this answer.
    void this.#sendQueued(turn.conversation, ended.state === 'done');
  }

  /** Sends the next waiting message. After a stop or a failure, the waiting messages return to the draft. */
  async #sendQueued(conversation: string, send: boolean): Promise<void> {
    const [next] = this.queue.of(conversation);
    if (!next) return;
    if (send && this.conversation.id === conversation) {
      this.queue.remove(conversation, next);
      return this.send(next.content, next);
    }
    const texts = [this.queue.drain(conversation), this.drafts.get(conversation)];
    this.drafts.set(conversation, texts.filter(Boolean).join('\n\n'));
    this.host.changed();
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
        if (!this.isOwn(turn) && (turn.state === 'running' || canContinue(turn)))
          this.#interrupted.watch(turn);
    });
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
