import { errorMessage } from '#core/base';
import type { AnswerToolCall } from '../api-client.ts';
import { AnswerRuns } from './answers/answer-runs.ts';
import { canContinue } from './answers/continue-answer.ts';
import { InterruptedAnswers } from './answers/interrupted-answers.ts';
import { type Attachments, MessageQueue } from './answers/message-queue.ts';
import type { ChatHost } from './chat-host.ts';
import type { ChatStore } from './chat-store.ts';
import {
  type Conversation,
  type ConversationChange,
  comparedAnswers,
  editedTurn,
  forkOf,
  newConversation,
  newestLeaf,
  newTurn,
  pathTo,
  runningAnswer,
  siblings,
  type Turn,
  titleOf,
  withChange,
} from './conversation.ts';
import { TurnCache } from './turn-cache.ts';

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
  readonly #turns = new TurnCache();
  readonly queue = new MessageQueue();
  readonly #answers: AnswerRuns;
  readonly #interrupted: InterruptedAnswers;
  readonly #channel: BroadcastChannel;

  constructor(
    readonly store: ChatStore,
    readonly host: ChatHost,
  ) {
    this.#answers = new AnswerRuns(host, {
      turns: (id) => this.#turns.get(id) ?? [],
      nextTime: (id) => this.#turns.nextTime(id),
      replace: (turn) => this.#replaceTurn(turn),
      save: (turn) => this.#saveTurn(turn),
      saveConversation: (conversation, turns, leaf) => this.#saveConversation(conversation, turns, { leaf }),
      // Not awaited, because the caller holds the lock of this answer.
      ended: ({ conversation, state }) => void this.#sendQueued(conversation, state === 'done'),
    });
    this.#interrupted = new InterruptedAnswers(store, host, {
      attempt: (work) => this.#attempt(work),
      save: (turn) => this.#saveTurn(turn),
      read: async (id) => {
        await this.#readTurns(id);
        this.host.changed();
      },
      continue: async (turn) => {
        const conversation = this.#find(turn.conversation);
        if (conversation) await this.#answers.resume(turn, conversation);
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
    return this.#find(this.#current) ?? this.#newConversation;
  }

  #find(id: string | undefined): Conversation | undefined {
    return this.list?.find((conversation) => conversation.id === id);
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

  /** A shown answer that is not complete, also one next to the shown branch. */
  get runningTurn(): Turn | undefined {
    return runningAnswer(this.turns ?? [], this.conversation.leaf);
  }

  /** Whether this tab generates the answer, so that it can stop it. */
  isOwn(turn: Turn): boolean {
    return this.#answers.isOwn(turn);
  }

  isBusy(conversation: string): boolean {
    return this.#turns.get(conversation)?.some(({ state }) => state === 'running') ?? false;
  }

  /** The model of the next answer. */
  get model(): string | undefined {
    const { model } = this.conversation;
    return model !== undefined && this.host.capabilities(model) ? model : this.host.model;
  }

  /** The second model of the next answers. */
  get comparedModel(): string | undefined {
    const { compare } = this.conversation;
    return compare !== this.model && this.host.capabilities(compare ?? '') ? compare : undefined;
  }

  /** Shows a conversation. Resolves to false when the id is unknown. */
  async open(id: string): Promise<boolean> {
    if (this.list === undefined) await this.#readList();
    if (!this.#find(id)) return false;
    this.#current = id;
    sessionStorage.setItem(CURRENT_KEY, id);
    if (!this.#turns.has(id)) await this.#readTurns(id);
    this.host.changed();
    return true;
  }

  /** @param folder the folder of the new conversation */
  startNew(folder?: string): void {
    const { model, settings } = this.#newConversation;
    this.#newConversation = {
      ...newConversation(),
      ...(this.isNew && { settings, ...(model && { model }) }),
      ...(folder !== undefined && { folder }),
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
    const edited = editedTurn(answer, content, this.#turns.nextTime(answer.conversation));
    await this.#saveConversation(this.conversation, [edited]);
  }

  /** Continues an answer that ended early. Its text grows in place, beyond a limit of its length. */
  async continue(answer: Turn): Promise<void> {
    const { model } = this;
    if (model === undefined) return;
    const { num_predict, ...settings } = this.conversation.settings;
    const { error, attempts, stats, ...rest } = answer;
    await this.#answers.continue(rest, model, { ...this.conversation, settings });
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

  /** Generates another version of an answer. An answer of two keeps its side and its model. */
  async retry(answer: Turn): Promise<void> {
    const [left, right] = comparedAnswers(this.turns ?? [], answer) ?? [];
    if (!right) return this.#generateAnswer(this.conversation, answer.parent, []);
    const place = answer.id === right.id ? { left: left!.id } : { right };
    const models = [answer.model ?? this.model].filter((model) => model !== undefined);
    await this.#answers.generate(this.conversation, answer.parent, models, place);
  }

  /** Generates an answer of another model, and shows it next to this one. */
  retryWith(answer: Turn, model: string): Promise<void> {
    return this.#answers.generate(this.conversation, answer.parent, [model], { left: answer.id });
  }

  /** Shows one of two compared answers alone, and continues from it. */
  async closeComparison(chosen: Turn): Promise<void> {
    const turns = this.turns ?? [];
    const compared = siblings(turns, chosen).filter(({ comparedWith }) => comparedWith !== undefined);
    const alone = compared.map(({ comparedWith, ...turn }): Turn => turn);
    const leaf = newestLeaf(turns, chosen).id;
    await this.#saveConversation(this.conversation, alone, { leaf, touched: false });
  }

  /** Stops an answer, and the one that is compared with it. */
  stop(turn: Turn): void {
    for (const { id } of comparedAnswers(this.#turns.get(turn.conversation) ?? [], turn) ?? [turn])
      this.#answers.stop({ ...turn, id });
  }

  /** Shows the branch that goes through `turn`. */
  async showBranch(turn: Turn): Promise<void> {
    const leaf = newestLeaf(this.turns ?? [], turn).id;
    await this.#saveConversation(this.conversation, [], { leaf, touched: false });
  }

  /** Shows a new conversation with copies of the turns up to `turn`. Resolves to its id. */
  async fork(turn: Turn): Promise<string> {
    const { conversation: fork, turns } = forkOf(this.conversation, pathTo(this.turns ?? [], turn.id));
    await this.#saveConversation(fork, turns);
    await this.open(fork.id);
    return fork.id;
  }

  /** Changes the shown conversation. Undefined removes a second model. */
  async update(change: ConversationChange): Promise<void> {
    const updated = withChange(this.conversation, change);
    if (this.isNew) {
      this.#newConversation = updated;
      this.host.changed();
    } else await this.#saveConversation(updated, [], { touched: false });
  }

  async rename(id: string, title: string): Promise<void> {
    if (title.trim() !== '') await this.#change(id, { title: title.trim() });
  }

  /** Pins a conversation above the others, or unpins it. */
  pin(id: string, pinned: boolean): Promise<void> {
    return this.#change(id, { pinned });
  }

  /** Moves conversations into a folder, or out of all folders. */
  async move(ids: readonly string[], folder: string | undefined): Promise<void> {
    for (const id of ids) await this.#change(id, { folder });
  }

  async #change(id: string, change: ConversationChange): Promise<void> {
    const found = this.#find(id);
    if (found) await this.#saveConversation(withChange(found, change), [], { touched: false });
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
    return newTurn(role, content, { conversation: id, parent, at: this.#turns.nextTime(id) }, attached);
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
    const now = this.#find(titled.id);
    const { comparedModel } = this;
    if (now) await this.#generateAnswer(now, turn.id, comparedModel === undefined ? [] : [comparedModel]);
  }

  /** Answers with the model of the conversation, and then with the others. */
  async #generateAnswer(conversation: Conversation, parent: string | undefined, others: string[]) {
    const { model } = this;
    if (model !== undefined)
      await this.#answers.generate({ ...conversation, model }, parent, [model, ...others]);
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
    if (this.#turns.replace(turn)) this.host.changed();
  }

  async #saveTurn(turn: Turn): Promise<void> {
    await this.#attempt(async () => {
      if (!(await this.store.putTurn(turn))) this.stop(turn);
      this.#channel.postMessage(turn.conversation);
    });
  }

  /** Shows and stores a conversation with new or changed turns. `leaf`: by default, the last of them. */
  async #saveConversation(
    conversation: Conversation,
    turns: Turn[],
    { leaf = turns.at(-1)?.id, touched = true }: { leaf?: string | undefined; touched?: boolean } = {},
  ): Promise<void> {
    const saved = { ...conversation };
    if (leaf !== undefined) saved.leaf = leaf;
    if (touched) saved.updated = Date.now();
    const others = (this.list ?? []).filter(({ id }) => id !== saved.id);
    this.list = [saved, ...others].sort((a, b) => b.updated - a.updated);
    this.#turns.merge(saved.id, turns);
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
      const turns = await this.store.turns(id);
      const own = this.#turns.get(id)?.filter((turn) => this.isOwn(turn)) ?? [];
      this.#turns.set(id, turns);
      this.#turns.merge(id, own);
      for (const turn of turns)
        if (!this.isOwn(turn) && (turn.state === 'running' || canContinue(turn)))
          this.#interrupted.watch(turn);
    });
  }

  /** Reads a conversation that another tab has changed. */
  async #onOtherTabChange(id: string): Promise<void> {
    await this.#readList();
    if (!this.#find(id)) {
      for (const turn of this.#turns.get(id) ?? []) this.stop(turn);
      this.#turns.delete(id);
      if (this.#current === id) this.startNew();
    } else if (this.#turns.has(id)) await this.#readTurns(id);
    this.host.changed();
  }
}
